package io.muster.webhook.core;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Recogniser;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.Birth;
import io.muster.webhook.port.BirthAdvice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides what a pod gets before it is stored. Safe for concurrent use.
 *
 * <ol>
 *   <li>A pod of another scheduler, or of the cluster's own gang scheduling, stays as it is.
 *   <li>A member whose terms cannot be honoured, that asks for less than a whole device, or that
 *       cannot be one beside its siblings, is refused, with the text that says what to mend.
 *   <li>Any other member is stamped with its dialect and the rules applied, gets the marker
 *       resource if it asks for none that kube-scheduler asks Muster about, and the gate exactly
 *       while its gang must wait. A member that is given a place is tied to its nodes.
 *   <li>A pod without gang loses gate and ties of ours, which nobody would ever remove.
 *   <li>Accelerators requested without a limit get the limit, without which they are refused.
 * </ol>
 *
 * Each edit makes sure of a state and does nothing where it holds, so that deciding about the
 * patched pod again gives no patch, as long as the advice is the same. Stamps, marker, gate and
 * ties are Muster's own: what a copied manifest says about them does not count.
 */
public final class PodAdmission {

  /** Where the apiserver asks about pods that are being created. */
  public static final String PATH = "/mutate/pods";

  private static final int UNPROCESSABLE = 422;
  private static final Set<String> NOT_BY_USERS = Set.of(GangKeys.DIALECT, GangKeys.INCARNATION);

  private final Recogniser recogniser = new Recogniser();
  private final Profile profile;
  private final BirthAdvice advice;
  private final String stamp;

  /**
   * @param advice asked once for each member that may be stored; must not throw
   */
  public PodAdmission(Profile profile, BirthAdvice advice) {
    this.profile = profile;
    this.advice = advice;
    this.stamp = profile.stamp();
  }

  /** What becomes of the pod; asks for a place, which is kept for it. */
  public Admission admit(PodFacts facts) {
    return admit(facts, advice);
  }

  /** What becomes of a pod that is not to be stored: nobody is asked for a place. */
  public Admission rehearse(PodFacts facts) {
    return admit(facts, advice.forRehearsal());
  }

  private Admission admit(PodFacts facts, BirthAdvice births) {
    var origin = facts.pod().origin();
    if (origin.nativeGang()) {
      return Admission.UNCHANGED;
    }
    if (!profile.schedulers().contains(origin.schedulerName())) {
      return strayed(facts, births);
    }
    var membership = facts.pod().membership();
    return membership.isPresent() ? member(facts, membership.get(), births) : single(facts);
  }

  /** A pod of another scheduler is let alone, unless it would be missing from a gang here. */
  private Admission strayed(PodFacts facts, BirthAdvice births) {
    return recogniser
        .recognise(facts.markings())
        .filter(member -> births.siblings(member).isPresent())
        .flatMap(member -> MemberRules.refusal(facts, member, births.siblings(member)))
        .<Admission>map(sentence -> new Admission.Denied(UNPROCESSABLE, sentence))
        .orElse(Admission.UNCHANGED);
  }

  private Admission member(PodFacts facts, Membership membership, BirthAdvice births) {
    return switch (membership.terms()) {
      case Terms.Unusable unusable -> new Admission.Denied(UNPROCESSABLE, unusable.problem());
      case Terms.Unplaceable unplaceable ->
          new Admission.Denied(UNPROCESSABLE, unplaceable.problem());
      case Terms.Usable usable -> {
        var siblings = births.siblings(membership);
        var refusal = MemberRules.refusal(facts, membership, siblings);
        if (refusal.isPresent()) {
          yield new Admission.Denied(UNPROCESSABLE, refusal.get());
        }
        var warnings = new ArrayList<>(membership.warnings());
        warnings.addAll(MemberRules.warnings(facts, membership, usable, siblings));
        var edits = new PodEdits(facts);
        edits.annotate(GangKeys.DIALECT, membership.gang().dialect().label());
        edits.annotate(GangKeys.INJECTED, stamp);
        var birth = facts.pod().isBound() ? new Birth.Free() : births.at(facts.pod());
        edits.gate(birth instanceof Birth.Gated);
        edits.pin(birth instanceof Birth.Placed(Pin pin) ? Optional.of(pin) : Optional.empty());
        edits.limitAccelerators();
        if (!reachesMuster(facts.pod())) {
          edits.mark();
        }
        yield new Admission.Allowed(edits.patch(), warnings);
      }
    };
  }

  private static Admission single(PodFacts facts) {
    var edits = new PodEdits(facts);
    edits.gate(false);
    edits.pin(Optional.empty());
    edits.limitAccelerators();
    return new Admission.Allowed(edits.patch(), namelessGang(facts));
  }

  /**
   * Whether kube-scheduler asks about the pod unmarked; its configuration knows whole names only.
   */
  private static boolean reachesMuster(Pod pod) {
    return pod.demand().requests().extended().keySet().stream()
        .anyMatch(Accelerators.NAMES::contains);
  }

  /** Terms without a name are a slip whose pods would start singly. */
  private static List<String> namelessGang(PodFacts facts) {
    var warnings = new ArrayList<String>();
    var keys = new TreeSet<>(facts.markings().annotations().keySet());
    keys.removeAll(NOT_BY_USERS);
    for (var dialect : Dialect.values()) {
      var name = GangKeys.name(dialect);
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
