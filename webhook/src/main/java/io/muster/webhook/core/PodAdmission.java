package io.muster.webhook.core;

import io.muster.extender.core.cluster.Pod.Grouping;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.DialectKeys;
import io.muster.extender.core.queue.Queues;
import io.muster.webhook.core.facts.PodFacts;
import io.muster.webhook.core.facts.Quantities;
import io.muster.webhook.core.patch.Value;
import io.muster.webhook.core.profile.Rulebook;
import io.muster.webhook.core.rendezvous.GangMember;
import io.muster.webhook.core.rendezvous.Meeting;
import io.muster.webhook.core.rendezvous.OwnerKind;
import io.muster.webhook.core.rendezvous.Rendezvous;
import io.muster.webhook.core.rendezvous.RendezvousProfile;
import io.muster.webhook.port.NamespaceLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Decides what a pod gets before it is stored. Safe for concurrent use.
 *
 * <ol>
 *   <li>A pod of another scheduler, or of the cluster's own gang scheduling, stays as it is, unless
 *       its namespace has such gangs wait in a queue: then it is a member.
 *   <li>A member with more containers than {@link PodFacts#MOST_CONTAINERS} is refused, and any
 *       other pod with so many stays as it is, with a warning, or is refused where it may not.
 *   <li>A member whose terms cannot be honoured, or that asks for less than a whole device, is
 *       refused, with the text that says what to mend; so is a member or a pod with devices that
 *       names a queue which is not open to its namespace, and any pod that the apiserver would
 *       refuse with a text that says less.
 *   <li>Any other member, and any pod with devices, is stamped with the rules applied, gets the
 *       scheduler that is assigned where it is the cluster's that would place it, and gets what its
 *       profiles say and what pods with devices need; a member also what it needs to meet its gang.
 *   <li>A member gets the marker resource if it asks for none that kube-scheduler asks Muster
 *       about, its gang's PodGroup where the cluster is to bind members together, and the
 *       scheduling gate, which comes off when its gang has been planned. A pod without gang loses a
 *       gate of ours, which nobody would ever remove. Node affinity of ours is added at that
 *       release only, so what a manifest has of it was copied, and goes.
 * </ol>
 *
 * The answer depends on the pod, the profiles, the queues and the labels of its namespace alone,
 * and for {@code muster.io/nvlink-domain: auto} and PodGroups on whether the cluster was last seen
 * to have them: no gang's state is asked for, every replica answers alike, and no answer changes a
 * decision. Each edit makes sure of a state and does nothing where it holds, so that deciding about
 * the patched pod again gives no patch. Stamps, marker, gate and node affinity are Muster's own:
 * what a copied manifest says about them does not count.
 */
public final class PodAdmission {

  /** Where the apiserver asks about pods that are being created. */
  public static final String PATH = "/mutate/pods";

  /** The scheduler of pods that name none: the API server writes it before anybody is asked. */
  public static final String DEFAULT_SCHEDULER = "default-scheduler";

  private static final int UNPROCESSABLE = 422;
  private static final Set<String> NOT_BY_USERS = Set.of(GangKeys.DIALECT, GangKeys.INCARNATION);

  private final Sources sources;
  private final Rendezvous rendezvous;

  /**
   * What is asked about a pod; nothing of it may throw or wait.
   *
   * @param rules those in force
   * @param kinds what is known of jobs whose pods are members
   * @param isAsked whether kube-scheduler asks Muster about some pods; one that asks about none
   *     takes the marker for a device that no node offers
   * @param keepsManagedFields whether members are stored with the record of who set which field
   * @param queues those that the process knows
   * @param assignedScheduler that pods get which the cluster's kube-scheduler would place; empty:
   *     they keep theirs
   * @param nvlinkAbsence why the cluster has no NVLink domains, as was read last; empty if it has
   * @param groups whether members are to be in a PodGroup, which the cluster was last seen to have
   */
  public record Sources(
      Supplier<Rulebook> rules,
      List<OwnerKind> kinds,
      NamespaceLabels namespaces,
      boolean isAsked,
      boolean keepsManagedFields,
      Supplier<Queues> queues,
      Optional<String> assignedScheduler,
      Supplier<Optional<String>> nvlinkAbsence,
      BooleanSupplier groups) {

    /** Of a process that has not looked for NVLink domains. */
    public Sources(
        Supplier<Rulebook> rules,
        List<OwnerKind> kinds,
        NamespaceLabels namespaces,
        boolean isAsked,
        boolean keepsManagedFields,
        Supplier<Queues> queues,
        Optional<String> assignedScheduler) {
      this(
          rules,
          kinds,
          namespaces,
          isAsked,
          keepsManagedFields,
          queues,
          assignedScheduler,
          () -> Optional.of("it is not known whether the cluster has any"),
          () -> false);
    }

    /**
     * Of a process that knows no queues: each is open to everybody. Under a kube-scheduler that
     * asks; managed fields are dropped.
     */
    public Sources(Supplier<Rulebook> rules, List<OwnerKind> kinds, NamespaceLabels namespaces) {
      this(rules, kinds, namespaces, true, false, () -> Queues.NONE, Optional.empty());
    }
  }

  public PodAdmission(Sources sources) {
    this.sources = sources;
    this.rendezvous = new Rendezvous(sources.kinds());
  }

  /** What becomes of a pod that may pass. */
  public Admission admit(PodFacts facts) {
    return admit(facts, true);
  }

  /**
   * What becomes of the pod.
   *
   * @param mayPass whether it may be stored as it is if Muster does not look into it
   */
  public Admission admit(PodFacts facts, boolean mayPass) {
    var origin = facts.pod().origin();
    var rulebook = sources.rules().get();
    if (!rulebook.serves(origin.schedulerName())) {
      return Admission.UNCHANGED;
    }
    if (origin.nativeGang()) {
      return facts
          .pod()
          .observed()
          .map(member -> member.gang().name())
          .filter(NativeGroup::isMusters)
          .<Admission>map(PodAdmission::ofStranger)
          .orElse(Admission.UNCHANGED);
    }
    var membership = facts.pod().membership();
    if (facts.containerCount() > PodFacts.MOST_CONTAINERS) {
      return ofTooMany(facts, membership, mayPass);
    }
    var problem =
        membership
            .flatMap(PodAdmission::unusable)
            .or(() -> membership.flatMap(member -> MemberRules.refusal(facts, member)))
            .or(() -> barredFromQueue(facts))
            .or(() -> Quantities.problem(facts));
    if (problem.isPresent()) {
      return new Admission.Denied(UNPROCESSABLE, problem.get());
    }
    var draft = draft(facts, rulebook);
    if (membership.isEmpty() && draft.containers().stream().allMatch(c -> !c.asksForDevices())) {
      single(draft);
      return draft.decided();
    }
    problem = PodSecurity.problem(draft, namespaceLabels(facts));
    if (problem.isPresent()) {
      return new Admission.Denied(UNPROCESSABLE, problem.get());
    }
    return inject(draft, rulebook.stamp(draft.rules()));
  }

  /** kube-scheduler would count it for a gang that it is not in. */
  private static Admission ofStranger(String group) {
    return new Admission.Denied(
        UNPROCESSABLE,
        ("spec.schedulingGroup.podGroupName is \"%s\", the PodGroup that Muster makes for a gang,"
                + " and the pod is in no gang; leave spec.schedulingGroup out, or name the gang")
            .formatted(Stated.legible(group)));
  }

  private static Admission ofTooMany(
      PodFacts facts, Optional<Membership> membership, boolean mayPass) {
    var count =
        "spec.containers and spec.initContainers have %d entries in all; "
            .formatted(facts.containerCount());
    var limit = " at most %d".formatted(PodFacts.MOST_CONTAINERS);
    if (membership.isPresent()) {
      var gang = membership.get().gang();
      return new Admission.Denied(
          UNPROCESSABLE, "gang \"%s\": %sa member may have%s".formatted(gang, count, limit));
    }
    return mayPass
        ? Admission.passed(
            List.of(
                "%sMuster changes no pod with more than %d"
                    .formatted(count, PodFacts.MOST_CONTAINERS)))
        : new Admission.Denied(
            UNPROCESSABLE,
            count + "a pod that is not to be without Muster's defaults may have" + limit);
  }

  private Admission inject(Draft draft, String stamp) {
    var membership = draft.facts().pod().membership();
    var marks = draft.edits.by(Rule.DIALECT);
    membership.ifPresentOrElse(
        member -> recognised(marks, member.gang()), () -> marks.removeLabel(GangKeys.MEMBER));
    draft.facts().inferredOwner().ifPresent(owner -> marks.annotate(GangKeys.OF, owner));
    draft.facts().queue().ifPresent(queue -> marks.annotate(GangKeys.QUEUE, queue));
    marks.by(Rule.STAMP).annotate(GangKeys.INJECTED, stamp);
    sources
        .assignedScheduler()
        .filter(_ -> draft.facts().pod().origin().schedulerName().equals(DEFAULT_SCHEDULER))
        .ifPresent(
            name -> draft.edits.by(Rule.SCHEDULER).set("schedulerName", new Value.Text(name)));
    shape(draft);
    membership.ifPresentOrElse(member -> member(draft, member), () -> single(draft));
    ProfileEdits.communicate(draft);
    DeviceDefaults.hideDevices(draft);
    Cautions.aboutPod(draft);
    return draft.decided();
  }

  private static void recognised(PodEdits edits, GangId gang) {
    edits.annotate(GangKeys.DIALECT, gang.dialect().label());
    edits.label(GangKeys.MEMBER, "true");
  }

  private static Optional<String> unusable(Membership membership) {
    return switch (membership.terms()) {
      case Terms.Unusable unusable -> Optional.of(unusable.problem());
      case Terms.Unplaceable unplaceable -> Optional.of(unplaceable.problem());
      case Terms.Usable _, Terms.InObject _ -> Optional.empty();
    };
  }

  /** Stored, the pod would wait for ever for a queue that is not its team's. */
  private Optional<String> barredFromQueue(PodFacts facts) {
    var pod = facts.pod();
    return pod.wishes()
        .hints()
        .queue()
        .filter(_ -> pod.membership().isPresent() || pod.demand().requests().devices() > 0)
        .flatMap(
            name -> sources.queues().get().barred(facts.markings().namespace(), Optional.of(name)))
        .map(refusal -> "%s; %s".formatted(refusal.sentence(), refusal.remedy()));
  }

  private Draft draft(PodFacts facts, Rulebook rulebook) {
    var rules =
        rulebook.rulesFor(
            new Rulebook.Candidate(
                facts.markings(),
                facts.pod().shape(),
                facts.spec().filled().contains("resourceClaims")
                    || NvlinkClaims.apply(facts, sources.nvlinkAbsence().get())));
    return new Draft(facts, PodSecurity.admitted(rules, namespaceLabels(facts)));
  }

  private Map<String, String> namespaceLabels(PodFacts facts) {
    return sources.namespaces().of(facts.markings().namespace());
  }

  /** Makes the edits that decide where the pod may run and what it asks for. */
  private static void shape(Draft draft) {
    ProfileEdits.markPod(draft);
    ProfileEdits.schedule(draft);
    DeviceDefaults.tolerate(draft);
    DeviceDefaults.shareMemory(draft);
    ProfileEdits.mountVolumes(draft);
    DeviceDefaults.limitAccelerators(draft);
    ProfileEdits.equip(draft);
  }

  private void member(Draft draft, Membership membership) {
    membership.warnings().forEach(draft::warn);
    var facts = draft.facts();
    MemberRules.warnings(facts, membership).forEach(draft::warn);
    draft.edits.by(Rule.GATE).gate(!facts.pod().isBound());
    draft.edits.by(Rule.PLACE).unpin();
    if (!sources.keepsManagedFields()) {
      draft.edits.by(Rule.MANAGED_FIELDS).dropManagedFields();
    }
    if (sources.isAsked() && !facts.pod().reachesMusterUnmarked()) {
      draft.edits.by(Rule.MARKER).mark();
    }
    NvlinkClaims.add(draft, membership, sources.nvlinkAbsence().get());
    if (sources.groups().getAsBoolean() && facts.pod().origin().grouping() == Grouping.NONE) {
      draft.edits.by(Rule.GROUP).group(NativeGroup.nameOf(membership.gang()));
    }
    if (membership.terms() instanceof Terms.Usable terms) {
      var profile = profile(draft);
      meet(draft, membership, terms, profile);
      Cautions.aboutMember(draft, terms, profile, namespaceLabels(facts));
    } else {
      // How many they are stands in an object, which is not read here.
      tell(draft, membership, Meeting.NONE);
    }
  }

  private static void tell(Draft draft, Membership membership, Meeting meeting) {
    boolean isWanted = draft.wants(InjectionKeys.ENV);
    GangEnv.inject(
        draft,
        isWanted ? meeting.telling(Rendezvous.location(membership.topology())) : Meeting.NONE);
  }

  private void meet(
      Draft draft, Membership membership, Terms.Usable terms, RendezvousProfile profile) {
    if (!draft.wants(InjectionKeys.ENV)) {
      GangEnv.keep(draft);
      return;
    }
    var facts = draft.facts();
    var meeting =
        rendezvous.of(
            new GangMember(
                membership.gang().name(),
                terms,
                facts.markings(),
                facts.pod().key().name(),
                facts.spec().text("hostname"),
                facts.spec().text("subdomain"),
                facts.pod().origin().controllerUid(),
                ToldByController.rank(facts),
                ToldByController.isOneOfSeveralRoles(facts)),
            profile);
    meeting.warnings().forEach(draft::warn);
    tell(draft, membership, meeting);
  }

  private static RendezvousProfile profile(Draft draft) {
    var word = draft.annotation(RendezvousProfile.KEY);
    var known = word.isEmpty() ? Optional.of(RendezvousProfile.NONE) : RendezvousProfile.of(word);
    if (known.isEmpty()) {
      draft.warn(
          "%s names no profile; use one of %s"
              .formatted(
                  RendezvousProfile.KEY,
                  Arrays.stream(RendezvousProfile.values())
                      .map(RendezvousProfile::word)
                      .collect(Collectors.joining(", "))));
    }
    return known.orElse(RendezvousProfile.NONE);
  }

  private static void single(Draft draft) {
    draft.edits.by(Rule.GATE).gate(false);
    draft.edits.by(Rule.PLACE).unpin();
    GangEnv.keep(draft);
    namelessGang(draft.facts()).forEach(draft::warn);
    OwnKeys.misspelt(draft.facts().markings()).ifPresent(draft::warn);
    if (!draft.annotation(GangKeys.NVLINK_DOMAIN).isEmpty()) {
      draft.warn(
          "%s is set, but the pod is in no gang: it claims no NVLink domain"
              .formatted(GangKeys.NVLINK_DOMAIN));
    }
  }

  /** Terms without a name are a slip whose pods would start singly. */
  private static List<String> namelessGang(PodFacts facts) {
    var warnings = new ArrayList<String>();
    var keys = new TreeSet<>(facts.markings().annotations().keySet());
    keys.removeAll(NOT_BY_USERS);
    for (var name : DialectKeys.names()) {
      var prefix = name.substring(0, name.length() - "name".length());
      keys.stream()
          .filter(key -> key.startsWith(prefix))
          .findFirst()
          .ifPresent(key ->
              warnings.add(
                  "%s is set, but no gang is named: set %s, or the pod starts alone"
                      .formatted(key, name)));
    }
    return warnings;
  }
}
