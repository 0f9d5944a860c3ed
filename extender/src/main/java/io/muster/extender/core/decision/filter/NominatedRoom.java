package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

  /**
   * The node that is nominated to the pod, if it is offered and has room but for such gangs, and
   * for pods that end: kube-scheduler, which counts too, offers it only once they have gone.
   */
  List<String> among(Pod pod, List<String> offered) {
    return pod.progress().nominatedNode().stream()
        .filter(offered::contains)
        .filter(_ -> cluster.knownGangOf(pod).isEmpty())
        .filter(node -> leftBy(pod).test(node, Set.of()))
        .toList();
  }

  /** Whether the pod will have a node that is nominated to it, once these pods have gone. */
  BiPredicate<String, Set<String>> leftBy(Pod pod) {
    var keepers = keepers(pod);
    return (node, victims) -> {
      var gone = new ArrayList<>(keepers.getOrDefault(node, List.of()));
      victims.stream().filter(uid -> isKeptByNobody(uid, pod)).forEach(gone::add);
      return cluster.inventory().asIfGone(gone, () -> hasRoom(node, pod));
    };
  }

  /** What a member leaves is kept for its gang, which may come first though the member does not. */
  private boolean isKeptByNobody(String uid, Pod pod) {
    return cluster
        .pod(uid)
        .flatMap(cluster::knownGangOf)
        .filter(gang -> !isBelow(gang, pod))
        .isEmpty();
  }

  private boolean hasRoom(String node, Pod pod) {
    return cluster.inventory().hasListedRoomFor(node, pod.demand().requests());
  }

  /** By node: what is held that nobody uses, and who was preempted and is not seen to be gone. */
  private Map<String, List<String>> keepers(Pod pod) {
    var ending =
        cluster.pods().all().stream()
            .filter(other -> other.progress().deleting())
            .filter(other -> other.origin().priority() < pod.origin().priority())
            .map(other -> other.key().uid());
    var gangs =
        below(pod).stream()
            .flatMap(gang ->
                Stream.concat(
                    gang.reservation.open().stream().map(OpenPlace::holder), coming(gang)));
    return Stream.of(cluster.leftDevices().keySet().stream(), ending, gangs, reserved(pod))
        .flatMap(holders -> holders)
        .filter(holder -> cluster.inventory().nodeOf(holder).isPresent())
        .collect(
            Collectors.groupingBy(holder -> cluster.inventory().nodeOf(holder).orElseThrow()));
  }

  /** What backfill reservations of gangs below the pod keep. */
  private Stream<String> reserved(Pod pod) {
    return cluster.backfillHolds().gangs().stream()
        .filter(gang -> isBelow(gang, pod))
        .flatMap(gang ->
            gang.entry.backfill().stream()
                .flatMap(backfill -> backfill.wanted.keySet().stream())
                .map(node -> BackfillReservation.holder(gang.id, node)));
  }

  private static boolean isBelow(GangState gang, Pod pod) {
    return gang.priority() < pod.origin().priority();
  }

  private boolean isOn(String node, String holder) {
    return cluster.inventory().nodeOf(holder).filter(node::equals).isPresent();
  }

  /** Not those whose Bindings are under way: their members may be on their nodes at any moment. */
  private List<GangState> below(Pod pod) {
    return cluster
        .gangs()
        .active(gang ->
            isBelow(gang, pod)
                && gang.phase() != Phase.BINDING
                && (gang.satisfied() || gang.phase() == Phase.PLANNED));
  }

  /** Members with a place that kube-scheduler has not sent there yet. */
  private static Stream<String> coming(GangState gang) {
    return gang.candidates().stream()
        .map(member -> member.key().uid())
        .filter(uid -> !gang.heldCalls.isHeld(uid));
  }

  /**
   * Takes it from gangs that have started, as far as it is needed, where the node is nominated to
   * the pod. Members with a place there are placed like any other.
   *
   * @param isBinding whether a Binding of a member is under way, which keeps its place
   */
  void take(Pod pod, String node, Predicate<String> isBinding) {
    if (!pod.progress().nominatedNode().equals(Optional.of(node))
        || cluster.knownGangOf(pod).isPresent()) {
      return;
    }
    Predicate<String> isHere = holder -> isOn(node, holder);
    cluster.leftDevices().keySet().stream().filter(isHere).toList().forEach(cluster::giveOut);
    for (var gang : below(pod)) {
      if (!gang.satisfied() || hasRoom(node, pod)) {
        continue;
      }
      for (var place : List.copyOf(gang.reservation.open())) {
        if (place.node().equals(node)) {
          gang.reservation.close(place);
          cluster.release(place.holder());
        }
      }
      coming(gang).filter(isHere).filter(isBinding.negate()).toList().forEach(cluster::release);
    }
    reserved(pod).filter(isHere).toList().forEach(cluster.inventory()::setAside);
  }
}
