package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Deadlines;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The kube-scheduler of a {@link ClusterSimulation}: a queue, assumptions, backoff and wake-up
 * rules, all of which it forgets when it is restarted.
 */
final class SimulatedScheduler {

  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(10);
  private static final Duration LONGEST_REFUSED = Duration.ofMinutes(5);

  private final ClusterSimulation cluster;
  private final SimulatedMuster muster;
  private final Inventory assumed = new Inventory();
  private final Set<String> unschedulable = new HashSet<>();
  private final Set<String> refusedInTree = new HashSet<>();
  private final Set<String> rejected = new HashSet<>();
  private final Map<String, Integer> attempts = new HashMap<>();
  final SimulatedPreemption preemption;

  /** A bind call that is not answered yet. */
  private record Held(String uid, Instant since) {}

  private final Map<Long, Held> calls = new HashMap<>();
  private final Set<String> inFlight = new HashSet<>();
  private long nextCall = 1;

  /** Whether events of other pods and of nodes make it try refused pods again. */
  boolean eventsWakeRefused = true;

  /** How long it takes for each pod that it tries; they stand in line. */
  int millisEach;

  private long freeAt;

  /** Whether it tries nobody. */
  boolean asleep;

  /** Whether it tries refused pods again after five minutes, whatever has happened. */
  boolean triesAnyway;

  SimulatedScheduler(ClusterSimulation cluster, SimulatedMuster muster) {
    this.cluster = cluster;
    this.muster = muster;
    preemption = new SimulatedPreemption(cluster, muster, assumed);
  }

  void seen(Node node) {
    assumed.seen(node);
    wakeUnschedulable();
  }

  void nodeGone(String name) {
    assumed.gone(name);
  }

  /** The pod has ended or is gone. */
  void freed(String uid) {
    assumed.release(uid);
    wakeUnschedulable();
  }

  void bound(Pod pod, String node) {
    assumed.occupy(pod.key().uid(), node, pod.demand().requests());
    unschedulable.remove(pod.key().uid());
    wakeUnschedulable();
  }

  /** There is another PodGroup. */
  void groupSeen() {
    wakeUnschedulable();
  }

  /** From now on its own rules let the pod go nowhere. */
  void reject(String uid) {
    rejected.add(uid);
  }

  private void sayRejected(Pod pod) {
    var before = pod.progress();
    cluster.store(
        pod.at(
            new Pod.Progress(
                before.phase(),
                before.nodeName(),
                before.nominatedNode(),
                before.deleting(),
                before.gates(),
                Optional.of("0/%d nodes are available: no".formatted(cluster.nodes.size())),
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty())));
  }

  /** It is killed and comes back: what it had assumed and asked is forgotten. */
  void restart() {
    calls.clear();
    for (var uid : List.copyOf(inFlight)) {
      inFlight.remove(uid);
      if (!Optional.ofNullable(cluster.pods.get(uid)).filter(Pod::isBound).isPresent()) {
        assumed.release(uid);
      }
    }
    unschedulable.clear();
    refusedInTree.clear();
    attempts.clear();
    cluster
        .pods
        .keySet()
        .forEach(uid -> enqueue(uid, Duration.ofMillis(cluster.between(500, 1500))));
  }

  /** Muster was killed: connections to it break. */
  void lostMuster() {
    calls.forEach((call, _) ->
        cluster.after(cluster.between(0, 5), () -> bindAnswered(call, Optional.of("reset"))));
  }

  void enqueue(String uid, Duration delay) {
    long wait = delay.toMillis() + cluster.between(0, 5);
    if (millisEach > 0) {
      long now = cluster.sinceStart().toMillis();
      long at = Math.max(now + wait, freeAt);
      freeAt = at + millisEach;
      wait = at - now;
    }
    cluster.after(wait, () -> attempt(uid));
  }

  private void attempt(String uid) {
    var pod = cluster.pods.get(uid);
    if (pod == null
        || asleep
        || pod.isBound()
        || pod.isGated()
        || pod.progress().deleting()
        || inFlight.contains(uid)) {
      return;
    }
    unschedulable.remove(uid);
    refusedInTree.remove(uid);
    attempts.merge(uid, 1, Integer::sum);
    if (isGrouped(pod)) {
      attemptGroup(pod.membership().orElseThrow().gang());
      return;
    }
    var feasible = feasible(pod);
    if (feasible.isEmpty()) {
      refuse(pod);
      preemption.tryFor(cluster.pods.get(uid));
      return;
    }
    var nominated = preemption.nominated(pod, feasible);
    if (!cluster.rules.placement().isAsked() || !pod.reachesMuster()) {
      cluster.bind(pod, nominated.orElse(feasible.getFirst()), pod.origin().placement());
      return;
    }
    if (!muster.answers()) {
      enqueue(uid, backoff(uid));
      return;
    }
    if (nominated.isPresent() && asked(pod, List.of(nominated.get())) instanceof Answer.Accept) {
      send(pod, nominated.get());
      return;
    }
    switch (asked(pod, feasible)) {
      case Answer.Accept accept ->
          send(pod, accept.nodes().get((int) cluster.between(0, accept.nodes().size() - 1)));
      default -> {
        unschedulable.add(uid);
        tryAnyway(uid);
        if (preemption.tryFor(pod)) {
          refusedInTree.add(uid);
        }
      }
    }
  }

  private Answer asked(Pod pod, List<String> feasible) {
    var decision = muster.filter(pod, feasible);
    var again = muster.filter(pod, feasible);
    if (!decision.answer().equals(again.answer())) {
      cluster.faults.add(
          "%s filter of %s is not idempotent: %s, then %s"
              .formatted(cluster.now(), pod.key(), decision.answer(), again.answer()));
    }
    if (again.answer() instanceof Answer.Accept accept && !feasible.containsAll(accept.nodes())) {
      cluster.faults.add(cluster.now() + " filter named a node that was not offered");
    }
    return again.answer();
  }

  private void send(Pod pod, String node) {
    assumed.occupy(pod.key().uid(), node, pod.demand().requests());
    inFlight.add(pod.key().uid());
    cluster.after(cluster.between(0, 20), () -> callBind(pod, node));
  }

  /**
   * Tries the members of a PodGroup together: enough of them are bound, or none. Whoever is on a
   * node counts until it is gone or has ended, also while it is being deleted.
   */
  private void attemptGroup(GangId gang) {
    var members = members(gang);
    members.forEach(pod -> attempts.merge(pod.key().uid(), 1, Integer::sum));
    long bound = members.stream().filter(Pod::isBound).count();
    Map<Pod, String> nodes = new LinkedHashMap<>();
    for (var pod : members) {
      if (!pod.isBound() && !pod.isGated()) {
        feasible(pod).stream()
            .findFirst()
            .ifPresentOrElse(
                node -> {
                  assumed.occupy(pod.key().uid(), node, pod.demand().requests());
                  nodes.put(pod, node);
                },
                () -> refuse(pod));
      }
    }
    if (bound + nodes.size() >= cluster.minCountOf(gang)) {
      nodes.forEach((pod, node) -> cluster.bind(pod, node, pod.origin().placement()));
    } else {
      nodes.keySet().forEach(pod -> assumed.release(pod.key().uid()));
      nodes.keySet().forEach(this::refuse);
    }
  }

  private List<Pod> members(GangId gang) {
    return cluster.pods.values().stream()
        .filter(pod -> isOf(pod, gang) && !pod.isTerminal())
        .filter(pod -> pod.isBound() || !pod.progress().deleting())
        .toList();
  }

  /** Whether it binds the pod to no node, since its PodGroup has too few members in all. */
  boolean lacksMembersOf(Pod pod) {
    return isGrouped(pod)
        && pod.membership()
            .map(Membership::gang)
            .filter(gang -> members(gang).size() < cluster.minCountOf(gang))
            .isPresent();
  }

  /** Whether it would bind the pod only if others of its PodGroup had nodes with it. */
  boolean bindsItWithOthersAlone(Pod pod) {
    return isGrouped(pod)
        && pod.membership()
            .map(Membership::gang)
            .filter(gang ->
                members(gang).stream().filter(Pod::isBound).count() + 1 < cluster.minCountOf(gang))
            .isPresent();
  }

  private void refuse(Pod pod) {
    var uid = pod.key().uid();
    unschedulable.add(uid);
    refusedInTree.add(uid);
    tryAnyway(uid);
    sayRejected(pod);
  }

  private List<String> feasible(Pod pod) {
    return assumed.snapshot().rooms().stream()
        .filter(_ -> !rejected.contains(pod.key().uid()))
        .filter(room -> room.fits(pod.demand()))
        .map(room -> room.node().name())
        .filter(node -> preemption.leaves(pod, node))
        .toList();
  }

  private static boolean isGrouped(Pod pod) {
    return pod.origin().grouping() == Pod.Grouping.OWN
        || pod.origin().grouping() == Pod.Grouping.QUEUED;
  }

  private static boolean isOf(Pod pod, GangId gang) {
    return isGrouped(pod)
        && pod.membership().filter(member -> member.gang().equals(gang)).isPresent();
  }

  private void callBind(Pod pod, String node) {
    long call = nextCall++;
    calls.put(call, new Held(pod.key().uid(), cluster.now()));
    if (muster.isUp()) {
      muster.bind(new BindCall(call, pod.key(), node));
      int mine = muster.life();
      int stops = muster.stops();
      boolean answers = muster.answers();
      cluster.after(
          Deadlines.DEFAULT.httpTimeout().toMillis(),
          () -> {
            boolean ranOn = answers && muster.life() == mine && muster.stops() == stops;
            if (calls.containsKey(call) && ranOn) {
              cluster.faults.add(
                  cluster.now() + " bind of " + pod.key() + " was not answered in time");
            }
            bindAnswered(call, Optional.of("timeout"));
          });
    } else {
      bindAnswered(call, Optional.of("connection refused"));
    }
  }

  void bindAnswered(long call, Optional<String> error) {
    var held = calls.remove(call);
    if (held == null) {
      return;
    }
    var uid = held.uid();
    inFlight.remove(uid);
    var pod = cluster.pods.get(uid);
    if (pod != null && pod.isBound()) {
      return;
    }
    if (error.isEmpty() && pod != null) {
      cluster.faults.add(cluster.now() + " bind answered well, but the pod is not bound: " + uid);
    }
    assumed.release(uid);
    wakeUnschedulable();
    enqueue(uid, backoff(uid));
  }

  private void tryAnyway(String uid) {
    if (triesAnyway) {
      int tried = attempts.get(uid);
      cluster.after(
          LONGEST_REFUSED.toMillis(),
          () -> {
            if (unschedulable.contains(uid) && attempts.getOrDefault(uid, 0) == tried) {
              attempt(uid);
            }
          });
    }
  }

  /** Whether some call is still to be answered that was to be answered long ago. */
  boolean awaitsAnswers() {
    var latest = cluster.now().minus(Deadlines.DEFAULT.httpTimeout());
    return calls.values().stream().anyMatch(held -> held.since().isBefore(latest));
  }

  /** The pod's own update: it is tried again after its backoff. */
  void wake(String uid) {
    if (unschedulable.contains(uid)) {
      enqueue(uid, Duration.ofMillis(cluster.between(0, 1000)));
    }
  }

  /** Events of assigned pods and of nodes; what Muster refused, Muster must wake. */
  private void wakeUnschedulable() {
    boolean all = eventsWakeRefused && cluster.between(0, 3) == 0;
    for (var uid : List.copyOf(unschedulable)) {
      if (all || refusedInTree.contains(uid)) {
        enqueue(uid, backoff(uid));
      }
    }
  }

  private Duration backoff(String uid) {
    var wait = BACKOFF.multipliedBy(1L << Math.min(4, attempts.getOrDefault(uid, 0)));
    return wait.compareTo(LONGEST_BACKOFF) < 0 ? wait : LONGEST_BACKOFF;
  }
}
