package io.muster.extender.core.estimate;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.RunTime;
import io.muster.extender.core.protocol.query.RunTime.Source;
import io.muster.extender.core.protocol.query.RunningUnit;
import io.muster.extender.core.protocol.query.StartEstimate;
import io.muster.extender.core.protocol.query.StartEstimate.After;
import io.muster.extender.core.protocol.query.WaitingGang;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One run into the future:
 *
 * <ol>
 *   <li>what holds devices and is known to end does so, at that moment;
 *   <li>what the decisions want done is done at once;
 *   <li>a gang that gets its first Binding has started, and ends when it is expected to;
 *   <li>between two ends the decisions are told the time, the less often the longer that is.
 * </ol>
 *
 * Not safe for concurrent use.
 */
final class RunAhead {

  /** The first is for what follows at once, the next for backfill reservations, for ageing. */
  private static final Duration FIRST_TICK = Duration.ofSeconds(2);

  private static final int TIMES = 180;
  private static final Duration LONGEST_TICK = Duration.ofHours(6);

  /** What nothing but time has led to by then it never will. */
  private static final Duration QUIET = Duration.ofHours(12);

  /** Of the time from now on: what ends so close together is taken as one. */
  private static final int PARTS = 100;

  private static final Duration FURTHEST = Duration.ofDays(90);

  private final GangScheduler muster;
  private final RemainingTimes times;
  private final VirtualPods pods;
  private final Instant begin;
  private final PriorityQueue<End> ends =
      new PriorityQueue<>(Comparator.comparing(End::at).thenComparingLong(End::order));
  private final Map<GangId, StartEstimate> found = new LinkedHashMap<>();
  private final Set<GangId> waiting = new LinkedHashSet<>();
  private Instant now;
  private long order;
  private Optional<After> lastEnded = Optional.empty();

  /**
   * Something comes to its end.
   *
   * @param gang empty: pods that are of none, or leave theirs
   */
  private record End(
      Instant at, long order, Optional<GangId> gang, List<PodKey> pods, RunTime runTime) {

    String name() {
      return gang.map(GangId::toString).orElseGet(() -> "pod " + pods.getFirst());
    }
  }

  RunAhead(ClusterCopy copy, RemainingTimes times, Consumer<Effect.Fault> faults) {
    this.times = times;
    begin = copy.takenAt();
    now = begin;
    muster = new GangScheduler(copy.deadlines(), rules(copy));
    muster.learn(copy.runTimes());
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    pods =
        new VirtualPods(
            muster, copy, new VirtualPods.Watcher(this::started, this::evicted, faults));
  }

  /** Looking for victims is most of the work; where all have one priority there are none. */
  private static Rules rules(ClusterCopy copy) {
    var priorities =
        copy.events().stream()
            .filter(Event.PodSeen.class::isInstance)
            .map(event -> ((Event.PodSeen) event).pod().origin().priority())
            .distinct()
            .limit(2)
            .count();
    boolean arePlain =
        copy.events().stream()
            .noneMatch(event -> event instanceof Event.QueuesSet(var queues) && !queues.arePlain());
    return priorities < 2 && arePlain ? copy.rules().withoutPreemption() : copy.rules();
  }

  /** When gangs start, as far as it may go on. */
  Map<GangId, StartEstimate> run(BooleanSupplier mayGoOn) {
    if (!mayGoOn.getAsBoolean()) {
      return found;
    }
    pods.settle(now);
    muster.placementQueries().waiting(now).stream()
        .map(WaitingGang::gang)
        .limit(StartEstimates.MOST_GANGS)
        .forEach(waiting::add);
    muster.placementQueries().running(now).forEach(this::note);
    var gap = FIRST_TICK;
    var happened = now;
    while (!waiting.isEmpty()) {
      boolean isQuiet = ends.isEmpty() && now.isAfter(happened.plus(QUIET));
      if (isQuiet || now.isAfter(begin.plus(FURTHEST)) || !mayGoOn.getAsBoolean()) {
        break;
      }
      var tick = now.plus(gap);
      boolean isEnd = !ends.isEmpty() && !tick.isBefore(ends.peek().at());
      int before = waiting.size();
      boolean hasEnded = false;
      if (isEnd) {
        var last = lastOf(ends.peek().at());
        now = meanUntil(last);
        hasEnded = endUntil(last);
      } else {
        now = tick;
        pods.tell(new Event.Tick(false));
      }
      pods.settle(now);
      if (hasEnded || waiting.size() < before) {
        happened = now;
        gap = FIRST_TICK;
      } else {
        var next = gap.multipliedBy(TIMES);
        gap = next.compareTo(LONGEST_TICK) < 0 ? next : LONGEST_TICK;
      }
    }
    return found;
  }

  /** By when something ends together with what ends then. */
  private Instant lastOf(Instant first) {
    return first.plus(Duration.between(begin, first).dividedBy(PARTS));
  }

  /** The mean of the times until then at which something ends: to be neither early nor late. */
  private Instant meanUntil(Instant last) {
    var first = ends.peek().at();
    double later =
        ends.stream()
            .map(End::at)
            .filter(at -> !at.isAfter(last))
            .mapToLong(at -> Duration.between(first, at).toMillis())
            .average()
            .orElse(0);
    return first.plusMillis((long) later);
  }

  private void note(RunningUnit unit) {
    if (unit.gang().filter(found::containsKey).isEmpty()) {
      times
          .end(unit, now)
          .ifPresent(end -> endAt(end.at(), unit.gang(), unit.pods(), end.runTime()));
    }
  }

  private void endAt(Instant at, Optional<GangId> gang, List<PodKey> of, RunTime runTime) {
    ends.add(new End(at, order++, gang, of, runTime));
  }

  private boolean endUntil(Instant last) {
    boolean hasEnded = false;
    while (!ends.isEmpty() && !ends.peek().at().isAfter(last)) {
      var end = ends.remove();
      if (end.runTime().source() == Source.ASSUMED) {
        end.gang().ifPresent(muster::learnNothingOf);
      }
      var leaving = end.gang().map(pods::of).orElse(end.pods());
      if (pods.end(leaving)) {
        lastEnded = Optional.of(new After(end.name(), end.runTime()));
        hasEnded = true;
      }
    }
    return hasEnded;
  }

  private void started(Pod pod) {
    ClusterState.unitOf(pod)
        .filter(gang -> !found.containsKey(gang))
        .ifPresent(gang -> {
          found.put(gang, new StartEstimate(now, lastEnded));
          waiting.remove(gang);
          times
              .ofStarting(muster.placementQueries().runTime(gang))
              .ifPresent(time -> endAt(now.plus(time.time()), Optional.of(gang), List.of(), time));
        });
  }

  private void evicted(Pod pod) {
    endAt(
        now.plus(pod.endsWithin(now)),
        Optional.empty(),
        List.of(pod.key()),
        new RunTime(Duration.ZERO, Source.TO_BE_ENDED));
  }
}
