package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
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
        .filter(node -> cluster.inventory().asIfGone(keepers(pod, node), () -> hasRoom(node, pod)))
        .toList();
  }

  /** Whether it will have the node once it is nominated to it, and these have gone. */
  boolean isLeftBy(Set<String> victims, Pod pod, String node) {
    var gone = keepers(pod, node);
    victims.stream()
        .filter(uid ->
            cluster.pod(uid).flatMap(cluster::knownGangOf).filter(gang -> !isBelow(gang, pod))
                .isEmpty())
        .forEach(gone::add);
    return cluster.inventory().asIfGone(gone, () -> hasRoom(node, pod));
  }

  private boolean hasRoom(String node, Pod pod) {
    return cluster.inventory().hasListedRoomFor(node, pod.demand().requests());
  }

  /** By what is held there that nobody uses, or who was preempted and is not seen to be gone. */
  private List<String> keepers(Pod pod, String node) {
    var keepers = new ArrayList<>(left(node));
    cluster.pods().all().stream()
        .filter(other -> other.progress().deleting())
        .filter(other -> other.origin().priority() < pod.origin().priority())
        .map(other -> other.key().uid())
        .filter(uid -> isOn(node, uid))
        .forEach(keepers::add);
    for (var gang : below(pod)) {
      kept(gang, node).forEach(place -> keepers.add(place.holder()));
      coming(gang, node).forEach(keepers::add);
    }
    keepers.addAll(reserved(pod, node));
    return keepers;
  }

  /** What backfill reservations of gangs below the pod keep on the node. */
  private List<String> reserved(Pod pod, String node) {
    return cluster.backfillHolds().gangs().stream()
        .filter(gang -> isBelow(gang, pod))
        .map(gang -> BackfillReservation.holder(gang.id, node))
        .toList();
  }

  private static boolean isBelow(GangState gang, Pod pod) {
    return gang.priority() < pod.origin().priority();
  }

  /** Who has left the node, and keeps its room for a moment. */
  private List<String> left(String node) {
    return cluster.leftDevices().keySet().stream().filter(holder -> isOn(node, holder)).toList();
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

  private static Stream<OpenPlace> kept(GangState gang, String node) {
    return gang.reservation.open().stream().filter(place -> place.node().equals(node));
  }

  /** Members with a place there that kube-scheduler has not sent there yet. */
  private Stream<String> coming(GangState gang, String node) {
    return gang.candidates().stream()
        .map(member -> member.key().uid())
        .filter(uid -> !gang.heldCalls.isHeld(uid))
        .filter(uid -> isOn(node, uid));
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
    left(node).forEach(cluster::giveOut);
    for (var gang : below(pod)) {
      if (!gang.satisfied() || hasRoom(node, pod)) {
        continue;
      }
      for (var place : kept(gang, node).toList()) {
        gang.reservation.close(place);
        cluster.release(place.holder());
      }
      coming(gang, node).filter(isBinding.negate()).toList().forEach(cluster::release);
    }
    reserved(pod, node).forEach(cluster.inventory()::setAside);
  }
}
