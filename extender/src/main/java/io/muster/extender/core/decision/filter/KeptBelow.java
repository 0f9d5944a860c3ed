package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.cache.BackfillHolds;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * What a pod without a gang may have of each node besides what is free there: what gangs of lower
 * priority keep with nobody on it, and what pods have that are preempted. Read once, for one pod
 * and one moment; confined to the decision thread.
 */
final class KeptBelow {

  /**
   * Devices that count as a queue's and will be free for the pod.
   *
   * @param devices 0 where none do: what is not a queue's, and what ends, which is its queue's
   *     until it is gone
   */
  private record Share(String queue, long devices) {
    static final Share NONE = new Share("", 0);
  }

  private final ClusterState cluster;
  private final Pod pod;

  /** By node and holder. */
  private final Map<String, Map<String, Share>> kept = new HashMap<>();

  KeptBelow(ClusterState cluster, Pod pod) {
    this.cluster = cluster;
    this.pod = pod;
    cluster.leftDevices().keySet().forEach(holder -> keep(holder, Share.NONE));
    cluster.pods().all().stream()
        .filter(other -> other.progress().deleting() && isBelow(other))
        .forEach(other -> keep(other.key().uid(), Share.NONE));
    gangs(cluster, pod).forEach(this::keepOf);
    BackfillHolds.names(cluster.backfillHolds().below(pod))
        .forEach(holder -> keep(holder, Share.NONE));
  }

  /** Not those whose Bindings are under way: their members may be on their nodes at any moment. */
  static List<GangState> gangs(ClusterState cluster, Pod pod) {
    return cluster
        .gangs()
        .active(gang ->
            isBelow(gang, pod)
                && gang.phase() != Phase.BINDING
                && (gang.satisfied() || gang.phase() == Phase.PLANNED));
  }

  /** Members with a place that kube-scheduler has not sent there yet. */
  static List<Pod> coming(GangState gang) {
    return gang.candidates().stream()
        .filter(member -> !gang.heldCalls.isHeld(member.key().uid()))
        .toList();
  }

  /** Those who are about to start have their places moved, and count in their queue as before. */
  private void keepOf(GangState gang) {
    var queue = cluster.queues().of(gang);
    for (var place : gang.reservation.open()) {
      long devices = gang.satisfied() ? place.devices() : 0;
      keep(place.holder(), new Share(queue, devices));
    }
    for (var member : coming(gang)) {
      var uid = member.key().uid();
      keep(uid, new Share(queue, gang.satisfied() ? cluster.queues().devicesOnTheWay(uid) : 0));
    }
  }

  private void keep(String holder, Share share) {
    cluster
        .inventory()
        .nodeOf(holder)
        .ifPresent(node -> kept.computeIfAbsent(node, _ -> new HashMap<>()).put(holder, share));
  }

  private Share share(Pod other) {
    return new Share(cluster.queues().of(other), other.devices());
  }

  private static boolean isBelow(GangState gang, Pod pod) {
    return gang.priority() < pod.origin().priority();
  }

  private boolean isBelow(Pod other) {
    return other.origin().priority() < pod.origin().priority();
  }

  /** The holders on that node. */
  Set<String> on(String node) {
    return Set.copyOf(kept.getOrDefault(node, Map.of()).keySet());
  }

  /** Whether the pod has room there now, with all of it. */
  boolean isEnough(String node) {
    return cluster.inventory().asIfGone(on(node), () -> hasRoom(node, Resources.NONE));
  }

  /**
   * Whether it will have room there once these have gone too. What a member leaves is kept for its
   * gang if that comes before the pod, or is about to start; backfill reservations of gangs that
   * come before it take all that they want.
   */
  boolean isEnoughWithout(Set<String> victims, String node) {
    var gone = new ArrayList<>(on(node));
    victims.stream().filter(uid -> !isKept(uid)).forEach(gone::add);
    var wanted = new HashMap<String, Long>();
    for (var gang : cluster.backfillHolds().gangs()) {
      var names = wantedOn(gang, node);
      if (!isBelow(gang, pod) && !names.isEmpty()) {
        gone.add(BackfillReservation.holder(gang.id, node));
        names.forEach((name, units) -> wanted.merge(name, units, Long::sum));
      }
    }
    return cluster
        .inventory()
        .asIfGone(gone, () -> hasRoom(node, new Resources(0, 0, Map.copyOf(wanted))));
  }

  private static Map<String, Long> wantedOn(GangState gang, String node) {
    return gang.entry
        .backfill()
        .flatMap(backfill -> Optional.ofNullable(backfill.wanted.get(node)))
        .orElse(Map.of());
  }

  private boolean isKept(String uid) {
    return cluster
        .pod(uid)
        .flatMap(cluster::knownGangOf)
        .filter(gang ->
            !isBelow(gang, pod)
                || gang.phase() == Phase.BINDING
                || (gang.phase() == Phase.BROKEN && !gang.satisfied()))
        .isPresent();
  }

  private boolean hasRoom(String node, Resources beside) {
    return cluster.inventory().hasListedRoomFor(node, pod.demand().requests().plus(beside));
  }

  /** What queues hold beside that and these, for a pod that is to have the node. */
  ToLongFunction<String> heldWithout(Set<String> victims, String node) {
    var gone = new HashMap<>(kept.getOrDefault(node, Map.of()));
    victims.forEach(uid -> cluster.pod(uid).ifPresent(victim -> gone.put(uid, share(victim))));
    var held = cluster.queues().held();
    return queue ->
        held.applyAsLong(queue)
            - gone.values().stream()
                .filter(share -> share.queue().equals(queue))
                .mapToLong(Share::devices)
                .sum();
  }
}
