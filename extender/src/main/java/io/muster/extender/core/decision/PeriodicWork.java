package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.limit.RunTimeLimits;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.loss.Rejections;
import io.muster.extender.core.decision.loss.ReleasedCapacity;
import io.muster.extender.core.decision.observe.ObservedGangs;
import io.muster.extender.core.decision.observe.ShadowGangs;
import io.muster.extender.core.decision.observe.TermsUpdates;
import io.muster.extender.core.decision.permit.CompanionAnswers;
import io.muster.extender.core.decision.permit.Expiry;
import io.muster.extender.core.decision.permit.Repair;
import io.muster.extender.core.decision.recovery.BypassedMembers;
import io.muster.extender.core.decision.report.Explanations;
import io.muster.extender.core.decision.report.Reporter;
import io.muster.extender.core.decision.reserve.DeferredReservations;
import io.muster.extender.core.decision.scheduling.QueueStatus;
import io.muster.extender.core.decision.scheduling.SchedulingCycle;
import io.muster.extender.core.decision.scheduling.Timers;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.PlacementMode;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What has become due because time has passed: for all gangs together, and then for each in its
 * turn, so that a fault in one turn takes nothing from the next. Confined to the decision thread.
 */
final class PeriodicWork {

  /** Whatever is forgotten about one that waits is late by as much. */
  private static final Duration LONGEST_REST = Duration.ofMinutes(2);

  /** Those about which there is more to say than may be said at one time take turns. */
  private static final int UNTOLD_A_TICK = 24;

  private final ClusterState cluster;
  private final Parts parts;
  private final Common common;

  /** Gangs that wait or have no member left and rest, and when they are checked again. */
  private final Timers<GangState> resting = new Timers<>();

  /** Gangs that wait and rest, though not all has been told about them. */
  private final Set<GangState> untold = new LinkedHashSet<>();

  /** The steps of one gang's turn, in their order. */
  record Parts(
      TermsUpdates termsUpdates,
      Expiry expiry,
      Rejections rejections,
      MemberFailures memberFailures,
      DeferredReservations deferred,
      BypassedMembers unmarked,
      Repair repair,
      SchedulingCycle schedulingCycle,
      CompanionAnswers companions,
      Explanations explanations,
      Reporter reporter) {}

  /** What is done for all gangs together. */
  record Common(
      ShadowGangs shadow,
      ObservedGangs observed,
      ReleasedCapacity releasedCapacity,
      PodEvents podEvents,
      Singles singles,
      QueueStatus queueStatus,
      RunTimeLimits limits) {}

  PeriodicWork(ClusterState cluster, Parts parts, Common common) {
    this.cluster = cluster;
    this.parts = parts;
    this.common = common;
  }

  /** Half a second has passed. */
  void advance(Instant now, boolean tells) {
    if (!cluster.isReady()) {
      return;
    }
    var faults = cluster.faults();
    cluster.forgetGone(now);
    faults.run("singles", () -> common.singles().advance(now));
    faults.run("hearsay", () -> common.podEvents().giveUpHearsay(now));
    faults.run("shadow", () -> common.shadow().advance(now));
    faults.run("observed", () -> common.observed().advance(now));
    faults.run("run-time limits", () -> common.limits().advance(now));
    faults.run("departures", () -> common.releasedCapacity().advance(now));
    faults.run(
        "line",
        () -> {
          if (parts.schedulingCycle().isTimeUp(now)) {
            cluster.planAgain();
          }
        });
    if (tells) {
      faults.run("positions", () -> common.queueStatus().advance(now));
    }
    parts.reporter().beginTick();
    parts.explanations().beginTick();
    wakeResting(now);
    for (var gang : cluster.gangs().active()) {
      faults.run("time", gang, () -> turn(gang, now, tells));
    }
  }

  private void wakeResting(Instant now) {
    for (var gang : resting.takeDue(now)) {
      cluster.faults().run("line", gang, () -> parts.schedulingCycle().refresh(gang, now));
      cluster.gangs().wake(gang);
    }
    for (var gang : untold.stream().limit(UNTOLD_A_TICK).toList()) {
      untold.remove(gang);
      cluster.gangs().wake(gang);
    }
  }

  /** What half a second may have made due for one gang. */
  private void turn(GangState gang, Instant now, boolean tells) {
    if (gang.quarantine.endsBy(now)) {
      gang.changed();
      cluster.planAgain();
    }
    if (gang.quarantine.holds()) {
      if (gang.quarantine.takeUntold()) {
        parts.reporter().store(gang, now);
      }
      forgetIfOver(gang, now);
      return;
    }
    parts.termsUpdates().advance(gang);
    gang.gateRemovals.due(now).forEach(cluster::emit);
    parts.expiry().advance(gang, now);
    parts.rejections().advance(gang, now);
    parts.memberFailures().advance(gang, now);
    parts.deferred().advance(gang, now);
    parts.unmarked().advance(gang, now);
    parts.repair().advance(gang, now);
    boolean isTold = !tells || cluster.faults().ask("report", gang, () -> tell(gang, now));
    parts.companions().advance(gang, now);
    forgetIfOver(gang, now);
    if (isIdle(gang, now)) {
      rest(gang, isTold, now);
    }
  }

  /** Says whether nothing is left to be told. */
  private boolean tell(GangState gang, Instant now) {
    parts.explanations().advance(gang, now);
    return parts.reporter().advance(gang, now) && Explanations.areComplete(gang);
  }

  private void forgetIfOver(GangState gang, Instant now) {
    if (gang.isForgotten(now)) {
      cluster.gangs().remove(gang.id);
      // An earlier leader may have made one whose members nobody has seen since.
      var grouped =
          cluster.rules().placement() == PlacementMode.NATIVE
              ? gang.terms.gangs()
              : gang.terms.grouped();
      grouped.forEach(id -> cluster.emit(new Effect.DropCompanions(id, false, true)));
      gang.terms.gangs().forEach(id -> cluster.emit(new Effect.Forget(id)));
    }
  }

  /** A gang rests while only a change, or a long time, gives it anything to do. */
  private void rest(GangState gang, boolean isTold, Instant now) {
    if (gang.phase() == Phase.WAITING || gang.members.isEmpty()) {
      cluster.gangs().rest(gang);
      resting.set(gang, now.plus(LONGEST_REST));
      if (!isTold) {
        untold.add(gang);
      }
    } else if (isTold) {
      cluster.gangs().rest(gang);
    }
  }

  private static boolean isIdle(GangState gang, Instant now) {
    return switch (gang.phase()) {
      case RUNNING ->
          gang.satisfied()
              && hasNothingPending(gang)
              && gang.members.live().stream().allMatch(Pod::isBound);
      case FINISHED -> hasNothingPending(gang) && !gang.members.isAnyLive();
      case WAITING ->
          hasNothingPending(gang)
              && !gang.burst.isBeingUndone()
              && gang.bypasses.areNone()
              && gang.entry.backfill().isEmpty()
              && !gang.setbacks.isHeldOff(now);
      case PLANNED, BINDING, BROKEN -> false;
    };
  }

  private static boolean hasNothingPending(GangState gang) {
    return !gang.losses.areAny()
        && gang.ending.areNone()
        && gang.heldCalls.areNone()
        && !gang.isReserved()
        && !gang.record.isPending()
        && !gang.burst.isAnyUnderWay()
        && gang.deferred.areNone()
        && gang.gateRemovals.areNone();
  }
}
