package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.Budgets;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.QueueUsage;
import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * What runs at one moment, and which of it may be ended for a gang that waits:
 *
 * <ul>
 *   <li>those of lower priority; for a gang beyond its queue's quota, none of other queues that are
 *       within theirs;
 *   <li>for a gang within its queue's quota, those of queues that have borrowed; first those that
 *       end already, whose room others of their queue would take again;
 *   <li>in a queue that wants it so, those that its order puts clearly behind.
 * </ul>
 *
 * Of all that would do, those of lowest priority go, then those furthest back in their queue, then
 * the youngest, then those with least to lose; those that a PodDisruptionBudget protects only after
 * all others. What is leaving already, of what may be ended for a gang by its priority, counts
 * first: nobody ends instead. No pod without a controller ends unless it says that it may, and none
 * that would have its room back at once. Who has asked to be left alone is, as far as the quota of
 * its queue goes: beyond that it ends for a gang within its own.
 *
 * <p>Where many gangs wait most of them may end nobody: that is found without a walk over what
 * runs. To be used before anything changes; confined to the decision thread.
 */
public final class Victims {

  /** What runs for less is left alone by the order of its queue: starting costs as much. */
  private static final Duration LEFT_ALONE = Duration.ofMinutes(10);

  /** Of one namespace so many count, by name: each is held against each of its pods. */
  private static final int MOST_BUDGETS = 100;

  /** A tenth more must it have left to be ended for a shorter one. */
  private static final int TENTHS_MORE = 11;

  private static final int TENTHS = 10;

  /** Nobody is behind anybody there. */
  private static final long AHEAD_OF_ALL = Long.MIN_VALUE;

  /**
   * Something that runs.
   *
   * @param devices that its pods hold
   * @param standing in its queue, the higher the further back; {@link #AHEAD_OF_ALL} where its
   *     queue ends nobody by its order, or it has just started
   */
  private record Candidate(Unit unit, boolean isEnding, long devices, long standing) {}

  /** A pod that is still there so long after its grace period is not counted upon. */
  private static final Duration OVERDUE = Duration.ofSeconds(30);

  private static final Comparator<Candidate> CHEAPEST_FIRST =
      Comparator.comparing((Candidate one) -> !one.isEnding())
          .thenComparingInt(one -> one.unit().priority())
          .thenComparing(Comparator.comparingLong(Candidate::standing).reversed())
          .thenComparing(Comparator.comparing((Candidate one) -> one.unit().startedAt()).reversed())
          .thenComparingLong(Candidate::devices)
          .thenComparing(one -> one.unit().name());

  private final QueueUsage book;
  private final Budgets budgets;
  private final QueueOrder queueOrder;
  private final List<Candidate> candidates;
  private final List<Unit> leaving;
  private final int lowestPriority;
  private final boolean isAsked;
  private final Map<String, Long> furthestBack = new HashMap<>();
  private final ToLongFunction<String> held;
  private final Shares shares;

  Victims(ClusterState cluster, QueueOrder queueOrder, List<Unit> units, Instant now) {
    this.book = cluster.queues();
    this.budgets = cluster.budgets();
    this.queueOrder = queueOrder;
    this.isAsked = cluster.isAsked();
    this.held = book.held();
    Predicate<Unit> isLeaving = unit -> unit.isEnding() && isAwaited(unit, cluster, now);
    this.shares = new Shares(book.queues(), held, units, isLeaving);
    candidates =
        units.stream()
            .filter(unit -> unit.gang().filter(Victims::isStarting).isEmpty())
            .filter(unit -> unit.isEnding() ? isLeaving.test(unit) : shares.mayEnd(unit))
            .map(unit -> new Candidate(unit, unit.isEnding(), unit.devices(), standing(unit, now)))
            .sorted(CHEAPEST_FIRST)
            .toList();
    leaving =
        candidates.stream()
            .filter(one -> one.isEnding() && one.unit().kept().holders().isEmpty())
            .map(Candidate::unit)
            .filter(unit -> unit.pods().stream().allMatch(pod -> isWaitedFor(pod, cluster, now)))
            .toList();
    var running = candidates.stream().filter(one -> !one.isEnding()).toList();
    lowestPriority =
        running.stream().mapToInt(one -> one.unit().priority()).min().orElse(Integer.MAX_VALUE);
    running.forEach(one -> furthestBack.merge(one.unit().queue(), one.standing(), Math::max));
  }

  /** Whether all of it will be gone before long, or can be told to be. */
  private static boolean isAwaited(Unit unit, ClusterState cluster, Instant now) {
    return unit.pods().stream()
        .allMatch(
            pod -> (pod.mayEnd() && isEnding(pod, cluster, now)) || isGoneSoon(pod, cluster, now));
  }

  /** Whether it ends, and has not been about to for too long. */
  private static boolean isEnding(Pod pod, ClusterState cluster, Instant now) {
    var timeOfDay = cluster.timeOfDay().at(now);
    return pod.progress().endsBy().filter(end -> timeOfDay.isBefore(end.plus(OVERDUE))).isPresent();
  }

  /** Whether it ends, and will be gone before long by itself. */
  static boolean isGoneSoon(Pod pod, ClusterState cluster, Instant now) {
    var longest = cluster.rules().waiting().preemptionGrace();
    return isEnding(pod, cluster, now)
        && pod.endsWithin(cluster.timeOfDay().at(now)).compareTo(longest) <= 0;
  }

  /** Whether it is also gone before what is kept for a gang comes to its end. */
  private static boolean isWaitedFor(Pod pod, ClusterState cluster, Instant now) {
    var longest = cluster.rules().waiting().longestBackfill();
    return isGoneSoon(pod, cluster, now)
        && pod.endsWithin(cluster.timeOfDay().at(now)).compareTo(longest) <= 0;
  }

  /**
   * Its members get their nodes now. Pods that run while it waits came to theirs otherwise, and one
   * that is broken and cannot be undone may hold its places for ever.
   */
  private static boolean isStarting(GangState gang) {
    boolean waits = gang.isWaiting() && gang.record.isEmpty();
    boolean isStuck =
        gang.phase() == Phase.BROKEN
            && !gang.record.isPending()
            && !gang.burst.isBeingUndone()
            && !gang.burst.isAnyUnderWay();
    return !gang.satisfied() && !waits && !isStuck;
  }

  private long standing(Unit unit, Instant now) {
    var queue = book.queues().find(unit.queue()).filter(Queue::preempts);
    if (queue.isEmpty() || now.isBefore(unit.startedAt().plus(LEFT_ALONE))) {
      return AHEAD_OF_ALL;
    }
    return switch (queue.get().order()) {
      case PRIORITY -> AHEAD_OF_ALL;
      case SHORTEST_GANG ->
          unit.end()
              .map(end -> Bounds.product(Duration.between(now, end).toSeconds(), unit.devices()))
              .orElse(AHEAD_OF_ALL);
      case LEAST_ATTAINED ->
          QueueOrder.step(
              Bounds.sum(
                  unit.gang().map(gang -> gang.entry.attained()).orElse(0L), unit.given(now)));
    };
  }

  private Order order(String queue) {
    return book.queues()
        .find(queue)
        .filter(Queue::preempts)
        .map(Queue::order)
        .orElse(Order.PRIORITY);
  }

  /** Whether there may be some for the gang; takes no time by how much runs. */
  boolean mayBeAnyOf(GangState gang) {
    var queue = book.of(gang);
    var order = order(queue);
    return lowestPriority < gang.priority()
        || isBehind(
            furthestBack.getOrDefault(queue, AHEAD_OF_ALL), queueOrder.rank(gang, order), order)
        || mayTakeBack(gang, queue);
  }

  /** Those that come after the gang, and will be gone before long without being told to. */
  List<Unit> leavingBefore(GangState gang) {
    var queue = book.of(gang);
    boolean borrows = borrows(gang);
    boolean mayTakeBack = mayTakeBack(gang, queue);
    return leaving.stream()
        .filter(unit -> unit.gang().filter(gang::equals).isEmpty())
        .filter(unit -> isOutranked(unit, gang, borrows) && !(mayTakeBack && isLent(unit, queue)))
        .toList();
  }

  /** Those that may end for the gang, in the order in which they are to; none if too few. */
  public List<Unit> of(GangState gang, long devicesBeside) {
    var queue = book.of(gang);
    var order = order(queue);
    long own = queueOrder.rank(gang, order);
    boolean mayTakeBack = mayTakeBack(gang, queue);
    boolean borrows = borrows(gang);
    var chosen =
        candidates.stream()
            .filter(one -> one.unit().gang().filter(gang::equals).isEmpty())
            .filter(one -> !wouldComeBack(one.unit(), gang))
            .filter(one ->
                (mayTakeBack && isLent(one.unit(), queue))
                    || (!one.isEnding()
                        && !one.unit().isLeftAlone()
                        && (isOutranked(one.unit(), gang, borrows)
                            || (one.unit().queue().equals(queue)
                                && one.unit().priority() <= gang.priority()
                                && isBehind(one.standing(), own, order)))))
            .map(Candidate::unit)
            .toList();
    long devices = chosen.stream().mapToLong(Unit::frees).sum();
    return devices + devicesBeside < gang.counts.chosenDevices()
        ? List.of()
        : withinBudgetsFirst(chosen);
  }

  /**
   * Whether kube-scheduler would end a member for its replacement: it goes by the priority of each
   * pod, and where it does not ask Muster nobody tells it that the gang comes first.
   */
  private boolean wouldComeBack(Unit unit, GangState gang) {
    return !isAsked
        && unit.gang().isEmpty()
        && unit.priority() > gang.members.lowestPriority().orElse(unit.priority());
  }

  /**
   * Whether no other queue has less than its quota by their end, but for those that the gang may
   * end whatever their queue holds.
   */
  boolean areOfExcess(GangState gang, List<Unit> victims) {
    return shares.areOfExcess(victims, isForExcessOnly(gang));
  }

  /** The same, without those by whose end another queue would have less than its quota. */
  List<Unit> ofExcess(GangState gang, List<Unit> victims) {
    return shares.ofExcess(victims, isForExcessOnly(gang));
  }

  /** Those that the gang may only end while their queue holds more than its quota. */
  private Predicate<Unit> isForExcessOnly(GangState gang) {
    var queue = book.of(gang);
    boolean borrows = borrows(gang);
    return unit ->
        !unit.queue().equals(queue)
            && hasQuota(unit.queue())
            && (borrows || unit.priority() >= gang.priority() || unit.isLeftAlone());
  }

  /**
   * In the same order, but those that would overdraw a budget, if all before them end, come last:
   * as kube-scheduler does, which keeps budgets where it can and no further.
   */
  private List<Unit> withinBudgetsFirst(List<Unit> units) {
    if (budgets.areNone()) {
      return units;
    }
    var left = new IdentityHashMap<Budget, Integer>();
    var ordered = new ArrayList<Unit>();
    var overdrawn = new ArrayList<Unit>();
    for (var unit : units) {
      var taken = new IdentityHashMap<Budget, Integer>();
      for (var pod : unit.isEnding() ? List.<Pod>of() : unit.pods()) {
        budgets.of(pod.key().namespace()).stream()
            .limit(MOST_BUDGETS)
            .filter(budget -> budget.covers(pod))
            .forEach(budget -> taken.merge(budget, 1, Integer::sum));
      }
      taken.keySet().forEach(budget -> left.putIfAbsent(budget, budget.allowed()));
      if (taken.entrySet().stream().allMatch(each -> each.getValue() <= left.get(each.getKey()))) {
        taken.forEach((budget, pods) -> left.merge(budget, -pods, Integer::sum));
        ordered.add(unit);
      } else {
        overdrawn.add(unit);
      }
    }
    ordered.addAll(overdrawn);
    return ordered;
  }

  /** Whether the gang asks for what is its queue's; one without devices asks for nothing of it. */
  private boolean mayTakeBack(GangState gang, String queue) {
    return QueueUsage.needs(gang) > 0 && hasQuota(queue) && !borrows(gang);
  }

  /** Whether its queue would hold more than its own with the gang. */
  private boolean borrows(GangState gang) {
    return !book.queues().isEntitled(book.of(gang), QueueUsage.needs(gang), held);
  }

  private boolean hasQuota(String queue) {
    return book.queues().quota(queue).isPresent();
  }

  /** Whether it is of lower priority, and not by that alone in the way of a gang that borrows. */
  private boolean isOutranked(Unit unit, GangState gang, boolean borrows) {
    return unit.priority() < gang.priority()
        && (!borrows
            || unit.queue().equals(book.of(gang))
            || !hasQuota(unit.queue())
            || book.queues().borrows(unit.queue(), held));
  }

  /** Whether it runs on what its queue has borrowed. */
  private boolean isLent(Unit unit, String queue) {
    return !queue.equals(unit.queue()) && book.queues().borrows(unit.queue(), held);
  }

  private static boolean isBehind(long standing, long own, Order order) {
    if (standing == AHEAD_OF_ALL) {
      return false;
    }
    return switch (order) {
      case PRIORITY -> false;
      case SHORTEST_GANG -> standing / TENTHS_MORE > own / TENTHS;
      case LEAST_ATTAINED -> standing > own;
    };
  }
}
