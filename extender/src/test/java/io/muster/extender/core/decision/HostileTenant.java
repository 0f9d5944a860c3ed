package io.muster.extender.core.decision;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Somebody with the ClusterRole {@code edit} in one namespace, who does whatever comes to mind
 * there: makes, changes, ends and deletes pods with any key that Muster reads, and objects with
 * terms of gangs. Pods are read as Muster reads them. Refused are pods that admission refuses,
 * changes that the policies refuse, and what Muster does not promise anything about: what would
 * hold more than the quota without ever ending for others, and pods that name their nodes while
 * others wait, which may take what has come free for those.
 */
final class HostileTenant {

  private static final int MOST_PODS = 90;

  private final ClusterSimulation cluster;
  private final String namespace;
  private final long quota;
  private final BooleanSupplier othersWait;
  private final Random random;
  private final HostileMarkings markings;
  private final HostileTemplates templates;
  private final PodConverter reading =
      new PodConverter(new DialectDetector(), Set.of(HostileTemplates.SCHEDULER));

  /** What was last sent of each pod that is there, by uid. */
  private final Map<String, io.fabric8.kubernetes.api.model.Pod> sent = new HashMap<>();

  /** Controllers that have been deleted make nothing anew. */
  private final Set<String> goneOwners = new HashSet<>();

  /** Pods that admission took for members, by uid. */
  private final Set<String> members = new HashSet<>();

  private int made;

  /** What it has done, in order. */
  final List<String> acts = new ArrayList<>();

  /**
   * @param priorities of the classes that there are
   * @param othersWait whether pods of others have no node
   */
  HostileTenant(
      ClusterSimulation cluster,
      String namespace,
      long quota,
      List<Integer> priorities,
      BooleanSupplier othersWait,
      Random random) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.quota = quota;
    this.othersWait = othersWait;
    this.random = random;
    this.markings = new HostileMarkings(random);
    this.templates = new HostileTemplates(namespace, priorities, random, markings);
  }

  boolean isOwn(Pod pod) {
    return pod.key().namespace().equals(namespace);
  }

  /** Whether the controller of the pod is still there. */
  boolean replaces(Pod pod) {
    return pod.origin().controllerUid().filter(owner -> !goneOwners.contains(owner)).isPresent();
  }

  /** Devices that its pods on nodes hold. */
  long held() {
    return own().stream()
        .filter(pod -> pod.isBound() && !pod.isTerminal())
        .mapToLong(pod -> pod.demand().requests().devices())
        .sum();
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  private List<Pod> own() {
    return cluster.pods.values().stream().filter(this::isOwn).toList();
  }

  /** Does one thing. */
  void act() {
    int draw = random.nextInt(100);
    if (own().size() > MOST_PODS || draw < 12) {
      deleteAll();
    } else if (draw < 47) {
      createMany();
    } else if (draw < 55) {
      onAny("deletes", this::delete);
    } else if (draw < 63) {
      onAny("finishes", pod -> cluster.complete(pod.key().uid()));
    } else if (draw < 68) {
      onAny("fails", pod -> cluster.fail(pod.key().uid(), ""));
    } else if (draw < 73) {
      onAny("ungates", this::ungate);
    } else if (draw < 80) {
      disown();
    } else if (draw < 88) {
      onAny("changes", this::change);
    } else if (draw < 96) {
      state();
    } else {
      protect();
    }
  }

  private void note(String act) {
    acts.add("%ss %s".formatted(cluster.sinceStart().toSeconds(), act));
  }

  private void onAny(String word, Consumer<Pod> what) {
    var own = own();
    if (!own.isEmpty()) {
      var pod = any(own);
      note(word + " " + pod.key().name());
      what.accept(pod);
    }
  }

  private void deleteAll() {
    var owners =
        own().stream().flatMap(pod -> pod.origin().controllerUid().stream()).distinct().toList();
    if (owners.isEmpty()) {
      note("deletes all pods without an owner");
      own().forEach(this::delete);
      return;
    }
    var owner = any(owners);
    if (oneIn(2)) {
      goneOwners.add(owner);
    }
    note("deletes all of " + owner + (goneOwners.contains(owner) ? " for good" : ""));
    own().stream()
        .filter(pod -> pod.origin().controllerUid().equals(Optional.of(owner)))
        .forEach(this::delete);
  }

  private void delete(Pod pod) {
    var grace = oneIn(4) ? HostileTemplates.LONG_GRACE : TenantsHistory.GRACE;
    acts.add("  %s within %s".formatted(pod.key().name(), grace));
    cluster.delete(pod, grace);
  }

  /** Pods of one template: a gang of some dialect, or singles. */
  private void createMany() {
    int count = 1 + random.nextInt(oneIn(4) ? 20 : 6);
    var template = templates.any("b-" + made, "b-owner-" + made, count);
    var nodes = List.copyOf(cluster.nodes.keySet());
    note("creates %d of %s".formatted(count, template));
    for (int i = 0; i < count; i++) {
      create(templates.pod(template, "b-%d-%d".formatted(made, i), nodes, cluster.now()));
    }
    made++;
  }

  private void create(io.fabric8.kubernetes.api.model.Pod wish) {
    var found = reading.pod(wish);
    boolean isMember = found.membership().isPresent();
    boolean isRefused =
        found.membership().filter(member -> isUnusable(member.terms())).isPresent()
            || ((isMember || found.demand().requests().devices() > 0)
                && cluster.queues.barred(namespace, found.wishes().hints().queue()).isPresent());
    // As injected: a member reaches Muster, and a stamp that the user has forged goes.
    if (isMember) {
      var resources = wish.getSpec().getContainers().getFirst().getResources();
      resources.setRequests(new HashMap<>(resources.getRequests()));
      resources.getRequests().put(Accelerators.MARKER, new Quantity("1"));
    }
    var pod = reading.pod(wish);
    if (isRefused || holdsForEver(pod) || (pod.isBound() && othersWait.getAsBoolean())) {
      acts.add("  refused " + pod.key().name());
      return;
    }
    sent.put(pod.key().uid(), wish);
    if (isMember) {
      members.add(pod.key().uid());
    }
    if (pod.isBound()) {
      land(pod);
    } else {
      cluster.create(pod);
    }
  }

  private static boolean isUnusable(Terms terms) {
    return terms instanceof Terms.Unusable || terms instanceof Terms.Unplaceable;
  }

  /** It names its node itself; the kubelet there refuses it where there is no room. */
  private void land(Pod pod) {
    var uid = pod.key().uid();
    cluster.land(pod);
    if (cluster.freeGpus(pod.progress().nodeName().orElseThrow()) < 0) {
      cluster.fail(uid, "OutOfnvidia.com/gpu");
      goneOwners.add(pod.origin().controllerUid().orElse(""));
      cluster.after(1_000, () -> cluster.delete(uid));
    }
  }

  /** Whether with it more than the quota could be held by what never ends for others. */
  private boolean holdsForEver(Pod changed) {
    var units = new HashMap<String, List<Pod>>();
    Stream.concat(
            own().stream().filter(pod -> !pod.key().equals(changed.key())), Stream.of(changed))
        .filter(pod -> !pod.isTerminal())
        .forEach(pod ->
            units
                .computeIfAbsent(
                    pod.membership()
                        .or(pod::observed)
                        .map(member -> member.gang().toString())
                        .orElse(pod.key().uid()),
                    _ -> new ArrayList<>())
                .add(pod));
    long held =
        units.values().stream()
            .filter(unit -> unit.stream().anyMatch(HostileTenant::neverEnds))
            .flatMap(List::stream)
            .filter(pod -> pod.isBound() || neverEnds(pod))
            .mapToLong(pod -> pod.demand().requests().devices())
            .sum();
    return held > quota;
  }

  private static boolean neverEnds(Pod pod) {
    return !pod.origin().schedulerName().equals(HostileTemplates.SCHEDULER) || !pod.mayEnd();
  }

  /** Takes the owner references off a pod, or off all pods of one owner, wherever they are. */
  private void disown() {
    boolean areAll = oneIn(2);
    onAny(
        "disowns",
        pod ->
            own().stream()
                .filter(other ->
                    other.equals(pod)
                        || (areAll
                            && other.origin().controllerUid().isPresent()
                            && other.origin().controllerUid().equals(pod.origin().controllerUid())))
                .map(io.muster.extender.core.PodBuilder::orphaned)
                .filter(disowned -> !holdsForEver(disowned))
                .forEach(disowned -> {
                  acts.add("  " + disowned.key().name() + " has no owner");
                  cluster.store(disowned);
                }));
  }

  /** Takes the gate off by hand. */
  private void ungate(Pod pod) {
    var before = pod.progress();
    if (pod.isGated()) {
      cluster.store(
          pod.at(
              new Pod.Progress(
                  before.phase(),
                  before.nodeName(),
                  Optional.empty(),
                  before.deleting(),
                  Set.of())));
      cluster.scheduler.enqueue(pod.key().uid(), Duration.ZERO);
    }
  }

  /** Writes other markings on a pod that is there, as far as the policies let it. */
  private void change(Pod pod) {
    var was = sent.get(pod.key().uid());
    if (was == null) {
      return;
    }
    var annotations = new TreeMap<>(was.getMetadata().getAnnotations());
    var labels = new TreeMap<>(was.getMetadata().getLabels());
    markings.mark(annotations, labels, "b-" + made, 3);
    markings.spoil(annotations, labels);
    boolean isMember = members.contains(pod.key().uid());
    HostileMarkings.keep(was.getMetadata().getAnnotations(), annotations, isMember);
    HostileMarkings.keep(was.getMetadata().getLabels(), labels, isMember);
    var wish =
        new PodBuilder(was)
            .editMetadata()
            .withAnnotations(annotations)
            .withLabels(labels)
            .endMetadata()
            .build();
    var now = reading.pod(wish);
    var changed =
        new Pod(
            pod.key(),
            pod.demand(),
            pod.progress(),
            pod.labelled(labels).origin(),
            now.membership(),
            now.later(),
            now.observed(),
            now.wishes());
    if (holdsForEver(changed)) {
      return;
    }
    acts.add("  to annotations %s, labels %s".formatted(annotations, labels));
    sent.put(pod.key().uid(), wish);
    cluster.store(changed);
  }

  /** Makes, changes or deletes an object in which terms of gangs stand. */
  private void state() {
    var object =
        new TermsObject(
            any(List.of(TermsObject.Kind.values())), namespace, any(List.of("g0", "g1", "g2")));
    if (oneIn(4)) {
      note("deletes " + object);
      cluster.withdraw(object);
      return;
    }
    int fewest = oneIn(4) ? Terms.MAX_MEMBERS : 1 + random.nextInt(6);
    note("writes %s, at least %d".formatted(object, fewest));
    cluster.state(
        object,
        new Terms.Usable(
            fewest,
            fewest,
            any(List.of(Terms.Mode.values())),
            any(List.of(Terms.MatchPolicy.values())),
            Duration.ofMinutes(10),
            new TreeSet<>(Set.of(namespace + "/" + object.gangName())),
            Collections.emptySortedMap(),
            Terms.OnLoss.REPLACE,
            Topology.ANYWHERE));
  }

  /** A budget that lets none of its pods go. */
  private void protect() {
    note("protects all of its pods by a budget");
    cluster.protect(new Budget(namespace, "all", List.of(), 0));
  }
}
