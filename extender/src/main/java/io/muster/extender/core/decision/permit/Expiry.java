package io.muster.extender.core.decision.permit;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;

/**
 * Ends what has lasted too long before a gang has started, each by its own deadline: bind calls
 * that are held, and reservations. Confined to the decision thread.
 */
public final class Expiry {

  /** One that has come to another pod so lately is at work. */
  private static final Duration STILL_WORKS = Duration.ofSeconds(5);

  /** Whatever it does meanwhile, no reservation outlasts that. */
  private static final Duration LONGEST_BEHIND = Duration.ofMinutes(10);

  private final ClusterState cluster;
  private final Reservations reservations;
  private final PermitBarrier barrier;

  public Expiry(ClusterState cluster, Reservations reservations, PermitBarrier barrier) {
    this.cluster = cluster;
    this.reservations = reservations;
    this.barrier = barrier;
  }

  public void advance(GangState gang, Instant now) {
    var deadlines = cluster.deadlines();
    if (gang.phase() == Phase.PLANNED) {
      for (var held : gang.heldCalls.all()) {
        if (now.isAfter(held.since().plus(deadlines.hold()))) {
          reservations.answerHeld(
              gang, held.uid(), "the other members have not arrived yet; try again");
        }
      }
      if (isOver(gang, now)
          && cluster.leaseCoversBurst(now)
          && !isOnItsWay(gang, now)
          && !isKubeSchedulerBehind(gang, now)) {
        reservations.abort(gang, now, late(gang));
      }
      barrier.openIfEnough(gang, now);
    } else if ((gang.phase() == Phase.BINDING || gang.phase() == Phase.BROKEN)
        && !gang.record.isPending()) {
      boolean isBurstOld = gang.burst.isOlderThan(deadlines.burst(), now);
      for (var held : gang.heldCalls.all()) {
        // A burst that is sent once more begins anew; the call has waited since it came.
        var latest = held.since().plus(deadlines.hold()).plus(deadlines.burst());
        if (isBurstOld || now.isAfter(latest)) {
          reservations.answerHeld(gang, held.uid(), "the Binding is still being tried; try again");
        }
      }
    }
  }

  private static String late(GangState gang) {
    long gated = gang.reservation.uids().stream().filter(gang.gateRemovals::isSent).count();
    if (gated > 0) {
      return "the scheduling gates of %s could not be taken off in time; see the events of the pods"
          .formatted(Counted.of(gated, "member"));
    }
    return gang.members.live().stream().anyMatch(pod -> pod.progress().awaitsVolumes())
        ? "the volumes of the members' PersistentVolumeClaims were not made in time"
        : "members did not arrive at their places in time";
  }

  /**
   * Whether kube-scheduler works its queue off, and has yet to come to some member, or to come back
   * to it: then it is slow, and the gang is not to blame. Giving its places away would cost every
   * member a further turn in the same queue.
   */
  private boolean isKubeSchedulerBehind(GangState gang, Instant now) {
    return cluster.isAsked()
        && now.isBefore(cluster.schedulerCalls().cameToAnotherAt().plus(STILL_WORKS))
        && gang.reservation.isYoungerThan(LONGEST_BEHIND, now)
        && gang.reservation.uids().stream()
            .filter(uid -> !gang.heldCalls.isHeld(uid))
            .anyMatch(uid ->
                cluster.pod(uid).filter(pod -> pod.progress().rejection().isEmpty()).isPresent());
  }

  /**
   * Whether kube-scheduler serves members that can go nowhere but to their places. Giving those
   * away would not help the gang: it would wait until they are free again.
   */
  private boolean isOnItsWay(GangState gang, Instant now) {
    return gang.reservation.wasAnyAsked()
        && gang.members.isAnyReleased()
        && gang.reservation.isYoungerThan(LONGEST_BEHIND, now);
  }

  /** Volumes may take minutes to be made, in which no member arrives anywhere. */
  private boolean isOver(GangState gang, Instant now) {
    var deadlines = cluster.deadlines();
    return gang.reservation.awaitsVolumes()
        ? gang.reservation.isOlderThan(deadlines.volume(), now)
        : gang.reservation.isStalledFor(deadlines.gangStall(), now)
            || gang.reservation.isOlderThan(deadlines.gangTotal(), now);
  }
}
