package io.muster.extender.core.decision.limit;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.ExpectedRunTimes.Limit;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.permit.PermitBarrier;
import io.muster.extender.core.decision.scheduling.Timers;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Recovery.TakenUp;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.GoDuration;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.LimitReached;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Ends gangs that have run for as long as they may:
 *
 * <ol>
 *   <li>while a tenth of the limit is left, its users are told, once in each life of the gang;
 *   <li>at the limit it is stored with the gang that the limit is reached;
 *   <li>once that is stored all members that have started, or may start at any time, end, whoever
 *       made them, and those that come wait;
 *   <li>it may start again when that has become void: its limit is longer than the one that was
 *       reached, its members have another controller, or its object was deleted.
 * </ol>
 *
 * <p>Guaranteed: whoever leads next finds what was begun and goes on with it, and no gang starts
 * while it is stored that it has reached its limit. A clock that is set ends no gang early: the
 * time of a start that Muster has seen comes from no clock that anybody sets, and of one that it
 * has not seen no reading of the time of day counts that would end it sooner than another. Costs
 * what has changed and what is due. Confined to the decision thread.
 */
public final class RunTimeLimits {

  /** Reason of the event that says so ahead. */
  public static final String NEAR = "RunTimeLimitNear";

  private static final int PARTS = 10;
  private static final Duration LEAST_NOTICE = Duration.ofMinutes(1);
  private static final Duration LONGEST_NOTICE = Duration.ofMinutes(15);

  /** An API server that has refused to store it is left alone for so long. */
  private static final Duration TRIED_APART = Duration.ofSeconds(10);

  private final ClusterState cluster;
  private final PermitBarrier barrier;
  private final MemberFailures memberFailures;
  private final Timers<GangState> times = new Timers<>();

  /** When the present life of a gang ends. */
  private record End(Instant at, Instant noticeAt, Limit limit) {

    static End of(Instant startedAt, Limit limit) {
      var start = Bounds.within(startedAt);
      var end = start.plus(limit.time());
      var notice = end.minus(noticeFor(limit.time()));
      return new End(end, notice.isBefore(start) ? start : notice, limit);
    }

    private static Duration noticeFor(Duration limit) {
      var part = limit.dividedBy(PARTS);
      if (part.compareTo(LEAST_NOTICE) < 0) {
        return LEAST_NOTICE;
      }
      return part.compareTo(LONGEST_NOTICE) > 0 ? LONGEST_NOTICE : part;
    }
  }

  public RunTimeLimits(ClusterState cluster, PermitBarrier barrier, MemberFailures memberFailures) {
    this.cluster = cluster;
    this.barrier = barrier;
    this.memberFailures = memberFailures;
  }

  /** Another half second has begun. */
  public void advance(Instant now) {
    for (var gang : cluster.gangs().takeUntimed()) {
      cluster.faults().run("run-time limit", gang, () -> changed(gang, now));
    }
    for (var gang : times.takeDue(now)) {
      times.set(gang, now.plus(TRIED_APART));
      cluster.faults().run("run-time limit", gang, () -> due(gang, now));
    }
  }

  private void changed(GangState gang, Instant now) {
    if (isVoid(gang)) {
      gang.limit.lift();
      gang.activate();
      cluster.planAgain();
    }
    times.set(gang, next(gang, now));
  }

  /** When something is to be done about it. */
  private Optional<Instant> next(GangState gang, Instant now) {
    if (gang.limit.isReached()) {
      // That it is waited for an answer, or waits already, is the usual case.
      boolean isLeftOver = gang.satisfied() && !gang.limit.isPending();
      return Optional.of(now).filter(_ -> isLeftOver && cluster.gangs().knows(gang));
    }
    return end(gang, now)
        .map(end -> gang.limit.isNoticed() ? end.at() : end.noticeAt())
        .map(at -> at.isBefore(gang.limit.retryAt()) ? gang.limit.retryAt() : at);
  }

  /** When it ends if Muster has started it and it has a limit. */
  private Optional<End> end(GangState gang, Instant now) {
    if (!cluster.gangs().knows(gang) || !(gang.satisfied() || gang.waitsAgain())) {
      gang.limit.hasNotStarted();
      return Optional.empty();
    }
    if (gang.members.wereStartedByMuster()) {
      gang.limit.runs(now);
      if (!gang.recovery.takenUp().equals(TakenUp.NOT)) {
        gang.limit.hasRunSince(placedSince(gang, cluster.timeOfDay().at(now)));
      }
    }
    return cluster
        .runTimes()
        .limit(gang)
        .flatMap(limit -> startOf(gang).map(start -> End.of(start, limit)));
  }

  /** The later of what nodes say, by any reading of the clock, but not after it was seen. */
  private Optional<Instant> startOf(GangState gang) {
    return gang.limit
        .seenSince()
        .map(seen ->
            gang.limit
                .statedSince()
                .map(cluster.timeOfDay()::latest)
                .filter(seen::isAfter)
                .orElse(seen));
  }

  /**
   * The time of day when as many of its members as must start together had been started by Muster,
   * of those that live. Whoever was started by somebody else gives no time.
   */
  private static Instant placedSince(GangState gang, Instant timeOfDay) {
    var placed =
        gang.members.all().stream()
            .filter(pod ->
                gang.members.isLive(pod)
                    && gang.members.hasStarted(pod)
                    && gang.members.isPlaced(pod))
            .map(pod -> pod.progress().startedAt().filter(timeOfDay::isAfter).orElse(timeOfDay))
            .sorted()
            .toList();
    int needed = Math.max(1, gang.terms.minAvailable());
    return placed.get(Math.min(needed, placed.size()) - 1);
  }

  private void due(GangState gang, Instant now) {
    if (gang.quarantine.holds()) {
      return;
    }
    if (gang.limit.isReached()) {
      endLeftOver(gang, now);
    } else {
      end(gang, now).ifPresent(end -> due(gang, end, now));
    }
    times.set(gang, next(gang, now));
  }

  private void due(GangState gang, End end, Instant now) {
    if (!now.isBefore(end.noticeAt()) && gang.limit.notice()) {
      cluster.emit(new Effect.Announce(gang.id, true, NEAR, sentence(gang, end)));
    }
    if (!now.isBefore(end.at()) && !isBeingWritten(gang)) {
      reach(gang, end.limit(), now);
    }
  }

  /** Whether Bindings of it, or its record, are under way: that takes moments. */
  private static boolean isBeingWritten(GangState gang) {
    return gang.record.isPending() || gang.burst.isAnyUnderWay() || gang.phase() == Phase.BINDING;
  }

  private String sentence(GangState gang, End end) {
    return "gang %s ends at %s, when it has run for its run-time limit of %s%s"
        .formatted(
            gang.id,
            cluster.timeOfDay().at(end.at()).truncatedTo(ChronoUnit.SECONDS),
            GoDuration.text(end.limit().time()),
            end.limit()
                .queue()
                .map(queue -> ", set by queue " + queue)
                .orElse(", set by its own annotation"));
  }

  /** Nobody is ended before it is stored. */
  private void reach(GangState gang, Limit limit, Instant now) {
    var controllers =
        gang.members.all().stream()
            .flatMap(pod -> pod.origin().controllerUid().stream())
            .collect(Collectors.toSet());
    var at = cluster.timeOfDay().at(now);
    gang.limit.reach(new LimitReached(at, limit.time(), controllers), gang.record.epoch() + 1);
    barrier.writeRecord(gang);
    gang.activate();
  }

  /** Takes the answer to a write in; false if it was not one of these. */
  public boolean recordWritten(GangId id, long epoch, boolean stored, Instant now) {
    var asked = cluster.gangs().find(id).filter(gang -> gang.limit.isAnsweredBy(epoch));
    asked.ifPresent(gang -> {
      gang.record.answered(epoch, stored);
      if (stored) {
        memberFailures.endAtLimit(gang, now);
      } else {
        gang.told.forget(gang.id);
        gang.limit.lift();
        if (!gang.satisfied()) {
          // One that waits again names nobody in its record.
          gang.record.clear();
          cluster.planAgain();
        }
        gang.limit.retryAt(now.plus(TRIED_APART));
        gang.activate();
      }
    });
    return asked.isPresent();
  }

  /** A fault came between. */
  private void endLeftOver(GangState gang, Instant now) {
    if (cluster.gangs().knows(gang) && !gang.limit.isPending() && gang.satisfied()) {
      memberFailures.endAtLimit(gang, now);
    }
  }

  /** Goes on with what an earlier life of Muster has begun; false if that is nothing. */
  public boolean resume(GangState gang, Instant now) {
    if (!gang.limit.isReached()) {
      return false;
    }
    var started =
        gang.members.all().stream()
            .filter(gang.members::hasStarted)
            .filter(gang.members::isLive)
            .toList();
    if (!started.isEmpty() && started.stream().noneMatch(gang.members::isPlaced)) {
      // Somebody else has started them while nobody led.
      gang.limit.lift();
      return false;
    }
    gang.recovery.end();
    memberFailures.endAtLimit(gang, now);
    if (gang.members.isEmpty() && gang.arrivals.emptySince().isAfter(now)) {
      gang.arrivals.empty(now);
    }
    return true;
  }

  /**
   * Somebody has deleted the object in which it stands: a gang that waits may start. The objects of
   * others that start with it are no reason: Muster itself deletes those of gangs without members.
   */
  public void recordGone(GangId id) {
    cluster
        .gangs()
        .find(id)
        .filter(gang -> gang.limit.isReached() && gang.isWaiting() && gang.ending.areNone())
        .ifPresent(gang -> {
          gang.limit.lift();
          gang.activate();
          cluster.planAgain();
        });
  }

  private boolean isVoid(GangState gang) {
    return gang.limit.isReached()
        && !gang.limit.isPending()
        && gang.isWaiting()
        && gang.members.isAnyLive()
        && (areOthers(gang) || mayRunLonger(gang));
  }

  /** Once all are there again, as the first of them may say nothing about a limit. */
  private boolean mayRunLonger(GangState gang) {
    var before = gang.limit.reached().orElseThrow().limit();
    return gang.ending.areNone()
        && gang.counts.isComplete()
        && cluster
            .runTimes()
            .limit(gang)
            .filter(limit -> limit.time().compareTo(before) <= 0)
            .isEmpty();
  }

  /** Whether whoever made them did not make those that ran; without a controller, once all went. */
  private static boolean areOthers(GangState gang) {
    var reached = gang.limit.reached().orElseThrow();
    var before = reached.controllers();
    var live = gang.members.live();
    if (live.stream()
        .anyMatch(pod -> pod.origin().controllerUid().filter(before::contains).isPresent())) {
      return false;
    }
    return live.stream().anyMatch(Pod::isMadeAnew)
        || (gang.members.all().stream()
                .allMatch(pod -> gang.members.isLive(pod) || pod.isTerminal())
            && live.stream()
                .noneMatch(pod -> pod.origin().createdAt().isBefore(wholeSecond(reached))));
  }

  /** As the API server notes when a pod was created. */
  private static Instant wholeSecond(LimitReached reached) {
    return reached.at().truncatedTo(ChronoUnit.SECONDS);
  }
}
