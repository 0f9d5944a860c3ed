package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.loss.Rejections;
import io.muster.extender.core.decision.loss.ReleasedCapacity;
import io.muster.extender.core.decision.observe.ObservedGangs;
import io.muster.extender.core.decision.observe.ShadowGangs;
import io.muster.extender.core.decision.permit.PermitBarrier;
import io.muster.extender.core.decision.permit.RecordedPlaces;
import io.muster.extender.core.decision.recovery.BypassedMembers;
import io.muster.extender.core.decision.reserve.DeferredReservations;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * What follows for gangs where a pod or a node has changed or gone. Confined to the decision
 * thread.
 */
final class PodEvents {

  private final ClusterState cluster;
  private final Parts parts;
  private final ShadowGangs shadow;
  private final ObservedGangs observed;
  private final RecordedPlaces places;

  /** What members are placed by, and what is done about those that are lost. */
  record Parts(
      Reservations reservations,
      DeferredReservations deferred,
      Rejections rejections,
      ReleasedCapacity releasedCapacity,
      MemberFailures memberFailures,
      PermitBarrier barrier) {}

  PodEvents(ClusterState cluster, Parts parts, ShadowGangs shadow, ObservedGangs observed) {
    this.cluster = cluster;
    this.parts = parts;
    this.places = new RecordedPlaces(cluster);
    this.shadow = shadow;
    this.observed = observed;
  }

  void podSeen(Pod seen, Instant now) {
    var pod = takeIn(seen, now);
    observed.waitingBeside(pod).forEach(other -> takeIn(other, now));
  }

  private Pod takeIn(Pod seen, Instant now) {
    var pod = observed.asStarted(cluster.asPlaced(cluster.objects().seen(seen)));
    var uid = pod.key().uid();
    cluster.pod(uid).ifPresent(before -> leaveFormer(before, pod, now));
    cluster.seen(pod);
    // Anybody may write a gate, a placement and the name of a scheduler; members are served.
    if (pod.membership().isPresent()
        && (pod.isGatedByMuster() || pod.origin().placement().isPresent())) {
      cluster.schedulerCalls().asks(pod.origin().schedulerName());
    }
    boolean leaves = pod.isTerminal() && cluster.inventory().nodeOf(uid).isPresent();
    if (pod.isTerminal()) {
      cluster.release(uid);
    } else if (pod.isBound()) {
      cluster
          .inventory()
          .occupy(uid, pod.progress().nodeName().orElseThrow(), pod.demand().requests());
    }
    cluster.nominatedPods().seen(pod);
    cluster.queues().seen(pod);
    observed.seen(pod, now);
    if (shadow.covers(pod)) {
      shadow.seen(pod, now);
    } else {
      if (pod.isGatedByMuster() && pod.membership().isEmpty()) {
        shadow.letGo(pod);
      }
      cluster.gangOf(pod).ifPresent(gang -> memberSeen(gang, pod, now));
      if (leaves && pod.progress().phase() == Pod.Phase.SUCCEEDED) {
        cluster.knownGangOf(pod).ifPresent(gang -> parts.releasedCapacity().left(gang, pod, now));
      }
    }
    return pod;
  }

  /** A pod that nobody admitted may name another gang at any time, or none; so may its object. */
  private void leaveFormer(Pod before, Pod pod, Instant now) {
    if (!ClusterState.unitOf(before).equals(ClusterState.unitOf(pod))) {
      cluster
          .knownGangOf(before)
          .filter(gang -> gang.members.include(pod.key().uid()))
          .ifPresent(gang -> leave(gang, pod, now));
      shadow.gone(before, now);
    }
    if (!before.observed().map(Membership::gang).equals(pod.observed().map(Membership::gang))) {
      observed.gone(before, now);
    }
  }

  private void leave(GangState gang, Pod pod, Instant now) {
    var uid = pod.key().uid();
    if (gang.phase() == Phase.PLANNED && gang.reservation.holds(uid)) {
      parts.reservations().giveUp(gang, "a member has left the gang");
    }
    parts.reservations().answerHeld(gang, uid, "the pod has left the gang; try again");
    gang.record.remove(uid);
    gang.memberGone(uid, now);
    cluster.releaseUnbound(uid);
    if (!pod.isBound() && !pod.isGated()) {
      cluster.wake(pod.key());
    }
    cluster.planAgain();
  }

  private void memberSeen(GangState gang, Pod pod, Instant now) {
    var uid = pod.key().uid();
    var known = gang.members.find(uid);
    if (known.isEmpty() && gang.members.isFormer(uid)) {
      // It had failed before this life of the gang began.
      return;
    }
    var before = known.map(Pod::progress);
    int comeLater = gang.terms.deferred().size();
    var queue = gang.entry.statedQueue();
    gang.memberSeen(pod, now);
    if (!gang.entry.statedQueue().equals(queue)) {
      gang.members.all().forEach(cluster.queues()::seen);
    }
    if (gang.phase() == Phase.PLANNED
        && gang.terms.deferred().size() != comeLater
        && gang.counts.neededBeside(gang.reservation.uids()) > 0) {
      parts
          .reservations()
          .giveUp(gang, "one that has a place turns out to come later than the others");
    }
    if (gang.phase() == Phase.PLANNED && gang.reservation.holds(uid) && hasOutgrown(pod)) {
      parts
          .reservations()
          .giveUp(gang, "a member asks for more devices than its place was made for");
    }
    if (!cluster.isReady()) {
      return;
    }
    if (before.filter(pod.progress()::equals).isPresent()) {
      if (gang.phase() == Phase.WAITING && known.filter(pod::equals).isEmpty()) {
        // What it says or asks for now may be what its gang has waited for.
        cluster.planAgain();
      }
      return;
    }
    if (gang.hasSucceeded()) {
      cluster.runTimes().ended(gang, now);
    }
    BypassedMembers.note(cluster, gang, pod, now);
    if (pod.isBound()) {
      parts.barrier().boundMemberSeen(gang, pod);
    }
    if (pod.progress().deleting() || pod.isTerminal()) {
      memberLost(gang, uid, "member " + pod.key() + " has gone", now);
      if (pod.progress().phase() == Pod.Phase.FAILED && pod.isBound()) {
        parts.memberFailures().lost(gang, pod, now);
        parts.memberFailures().advance(gang, now);
      }
    } else if (gang.phase() == Phase.PLANNED && gang.counts.lacksClaim(pod)) {
      pod.progress()
          .absentClaim()
          .ifPresent(claim -> memberLost(gang, uid, claim.saidOf(pod.key()), now));
    } else if (gang.satisfied()) {
      boolean isSeated =
          gang.newcomers.holdBack(pod, now)
              || parts.deferred().seat(gang, pod, now)
              || parts.memberFailures().seat(gang, pod, now);
      parts.memberFailures().reassemble(gang);
      if (!isSeated && pod.isGatedByMuster() && gang.satisfied() && !gang.losses.isRestartDue()) {
        cluster.ungate(gang, pod, Optional.empty());
      }
    } else if (known.filter(Pod::isGated).isPresent() && places.isReleasedLate(gang, pod)) {
      parts.barrier().resume(gang, now);
    } else if (gang.phase() == Phase.PLANNED && pod.isBound()) {
      // Bound past Muster: it is where it is, and not at its place.
      gang.reservation.remove(uid);
    } else if (gang.phase() == Phase.PLANNED) {
      leaveUnsuitable(gang, pod, now);
      parts.rejections().seen(gang, pod, before, now);
    }
    if (!cluster.isAsked() && pod.isBound()) {
      parts.barrier().settle(gang, now);
    }
    cluster.planAgain();
  }

  /** Whether it asks for more devices than its place holds: its queue was asked for no more. */
  private boolean hasOutgrown(Pod pod) {
    return cluster
        .inventory()
        .holding(pod.key().uid())
        .filter(place -> place.requests().devices() < pod.devices())
        .isPresent();
  }

  void podGone(PodKey pod, Instant now) {
    var known = cluster.pod(pod.uid());
    cluster.noteGone(pod.uid(), now);
    cluster.refusedSingles().remove(pod.uid());
    cluster.release(pod.uid());
    cluster.queues().gone(pod.uid());
    known.ifPresent(last -> shadow.gone(last, now));
    known.ifPresent(last -> observed.gone(last, now));
    known
        .flatMap(cluster::knownGangOf)
        .ifPresent(gang -> {
          known
              .filter(last -> last.isBound() && !last.isTerminal())
              .ifPresent(last -> parts.memberFailures().lost(gang, last, now));
          gang.memberGone(pod.uid(), now);
          if (gang.hasSucceeded()) {
            cluster.runTimes().ended(gang, now);
          }
          memberLost(gang, pod.uid(), "member " + pod + " has gone", now);
          parts.memberFailures().advance(gang, now);
          known
              .filter(last -> last.isBound() && !last.isTerminal() && !gang.members.isAnyLive())
              .ifPresent(last -> parts.releasedCapacity().left(gang, last, now));
          parts.releasedCapacity().advance(gang, now);
          cluster.planAgain();
        });
  }

  /**
   * Gives up pods that only a call has named, and that no watch has shown since; not those that are
   * on their way to a node.
   */
  void giveUpHearsay(Instant now) {
    for (var pod : cluster.hearsay().overdue(now)) {
      var gang = cluster.pod(pod.uid()).flatMap(cluster::knownGangOf);
      boolean isOnItsWay =
          gang.isPresent()
              ? isCommitted(gang.get(), pod.uid())
              : cluster.inventory().nodeOf(pod.uid()).isPresent();
      if (!isOnItsWay) {
        podGone(pod, now);
        cluster.hearsay().giveUp(pod.uid(), now);
      }
    }
  }

  private static boolean isCommitted(GangState gang, String uid) {
    return gang.heldCalls.isHeld(uid)
        || gang.record.names(uid)
        || gang.burst.isUnderWay(uid)
        || gang.burst.isBound(uid);
  }

  /** Before the record a lost member's place goes to another, or the gang gives up at once. */
  private void memberLost(GangState gang, String uid, String why, Instant now) {
    parts.reservations().answerHeld(gang, uid, why);
    gang.refused.remove(uid);
    if (gang.phase() != Phase.PLANNED) {
      return;
    }
    if (gang.reservation.remove(uid)) {
      cluster.releaseUnbound(uid);
    }
    // One that had started may have counted for the plan of the others.
    parts.reservations().refill(gang, now, why);
  }

  void nodeChanged(String name, Instant now) {
    cluster.planAgain();
    if (!cluster.isReady()) {
      return;
    }
    cluster
        .gangs()
        .active(gang -> gang.phase() == Phase.PLANNED)
        .forEach(gang -> cluster.faults().run("node", gang, () -> leaveNode(gang, name, now)));
  }

  /** A volume that has been bound meanwhile may be elsewhere. */
  private void leaveUnsuitable(GangState gang, Pod pod, Instant now) {
    gang.reservation
        .node(pod.key().uid())
        .filter(node -> !cluster.inventory().isOpenTo(node, pod.demand()))
        .ifPresent(node -> leaveNode(gang, node, now));
  }

  private void leaveNode(GangState gang, String node, Instant now) {
    for (var place : gang.reservation.places().entrySet()) {
      var pod = cluster.pod(place.getKey());
      if (place.getValue().equals(node)
          && gang.reservation.holds(place.getKey())
          && pod.isPresent()
          && !cluster.inventory().isOpenTo(node, pod.get().demand())) {
        cluster.metricsEvents().missed(PlanMiss.STALE);
        if (parts.reservations().move(gang, pod.get(), Set.of(node), now)) {
          parts.reservations().letGo(gang, pod.get());
        } else {
          parts.reservations().abort(gang, now, "node " + node + " can no longer be used");
        }
      }
    }
    if (!parts.deferred().leave(gang, node, now)) {
      parts.reservations().abort(gang, now, "node " + node + " can no longer be used");
    }
  }
}
