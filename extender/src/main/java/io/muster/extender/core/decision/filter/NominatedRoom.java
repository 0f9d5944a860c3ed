package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.BackfillHolds;
import io.muster.extender.core.decision.cache.ClusterState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Room that kube-scheduler has preempted others for, and nominated to a pod without a gang. What
 * gangs of lower priority keep there, with nobody on it, is the pod's: the replacement of a member
 * that was preempted would take it otherwise, and kube-scheduler preempt the next, without end.
 */
final class NominatedRoom {

  private final ClusterState cluster;

  NominatedRoom(ClusterState cluster) {
    this.cluster = cluster;
  }

  private Optional<String> nominated(Pod pod) {
    return pod.progress().nominatedNode().filter(_ -> cluster.knownGangOf(pod).isEmpty());
  }

  /**
   * The node that is nominated to the pod, if it is offered and has room but for such gangs, and
   * for pods that end: kube-scheduler, which counts too, offers it only once they have gone.
   */
  List<String> among(Pod pod, List<String> offered) {
    return nominated(pod).stream()
        .filter(offered::contains)
        .filter(node -> new KeptBelow(cluster, pod).isEnough(node))
        .toList();
  }

  /** What queues hold, for this pod. */
  ToLongFunction<String> held(Pod pod) {
    return nominated(pod)
        .filter(_ -> !cluster.queues().queues().arePlain())
        .map(node -> new KeptBelow(cluster, pod).heldWithout(Set.of(), node))
        .orElseGet(() -> cluster.queues().held());
  }

  /**
   * Takes it from gangs that have started, as far as it is needed, where the node is nominated to
   * the pod. Members with a place there are placed like any other.
   *
   * @param isBinding whether a Binding of a member is under way, which keeps its place
   */
  void take(Pod pod, String node, Predicate<String> isBinding) {
    if (!nominated(pod).equals(Optional.of(node))) {
      return;
    }
    var kept = new KeptBelow(cluster, pod).on(node);
    cluster.leftDevices().keySet().stream()
        .filter(kept::contains)
        .toList()
        .forEach(cluster::giveOut);
    for (var gang : KeptBelow.gangs(cluster, pod)) {
      boolean isEnough = cluster.inventory().hasListedRoomFor(node, pod.demand().requests());
      if (!gang.satisfied() || isEnough) {
        continue;
      }
      for (var place : List.copyOf(gang.reservation.open())) {
        if (kept.contains(place.holder())) {
          gang.reservation.close(place);
          cluster.release(place.holder());
        }
      }
      KeptBelow.coming(gang).stream()
          .map(member -> member.key().uid())
          .filter(kept::contains)
          .filter(isBinding.negate())
          .forEach(cluster::release);
    }
    BackfillHolds.names(cluster.backfillHolds().below(pod)).stream()
        .filter(kept::contains)
        .forEach(cluster.inventory()::setAside);
  }
}
