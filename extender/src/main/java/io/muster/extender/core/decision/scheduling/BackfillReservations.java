package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.BackfillHolds;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.RunningUnits;
import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.BackfillReservation.Kind;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.plan.diagnosis.Copies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Keeps capacity for the first gang of the queue that does not fit, so that smaller ones do not
 * pass it for ever (EASY backfill: Lifka, The ANL/IBM SP scheduling system, JSSPP 1995).
 *
 * <ol>
 *   <li>The gang gets a backfill reservation on the placement that needs the fewest of those to end
 *       that end soonest.
 *   <li>Devices of that placement that come free are held for it; nobody else sees them.
 *   <li>Others may still use them: gangs before it in line, and gangs that are known to be over
 *       before the last of those it waits for.
 * </ol>
 *
 * A backfill reservation holds nothing that runs, and ends at a stated time. Confined to the
 * decision thread.
 */
public final class BackfillReservations {

  /** Where the present nodes could not hold the gang, however empty, others may come first. */
  private static final Duration LOOKED_AT_APART = Duration.ofSeconds(30);

  /** Time alone makes a backfill reservation due: little is gained by checking more often. */
  private static final Duration QUEUE_CHECKED_APART = Duration.ofMillis(500);

  /** The same while a backfill reservation stands, which another gang could only take over. */
  private static final Duration QUEUE_CHECKED_APART_WITH_RESERVATION = Duration.ofSeconds(5);

  /** A queue lets go and takes within moments; room is not kept for longer than such a while. */
  private static final Duration REFUSED_FOR = Duration.ofMinutes(1);

  /** A device plugin that starts again, or a claim of a pod that has ended, takes such a while. */
  private static final Duration SHORT_FOR = Duration.ofSeconds(30);

  /** Of a long line that no node could hold, so many are examined at one time. */
  private static final int MOST_LOOKED_INTO = 8;

  /** Of those that run, so many are looked at first, and then as many times as many. */
  private static final int FIRST_LOOKED_AT = 16;

  private final ClusterState cluster;
  private final GangPlans plans;
  private final CapacityOnceGone capacity;
  private final RunningUnits running;
  private final Timers<GangState> times = new Timers<>();
  private final BackfillHolds holds;
  private Instant queueCheckedAt = Instant.MIN;

  BackfillReservations(ClusterState cluster, GangPlans plans, CapacityOnceGone capacity) {
    this.cluster = cluster;
    this.plans = plans;
    this.capacity = capacity;
    this.running = new RunningUnits(cluster);
    this.holds = cluster.backfillHolds();
  }

  RunningUnits running() {
    return running;
  }

  /**
   * Ends backfill reservations that have served or lasted, and gives one to the first in line that
   * is due.
   */
  public void advance(QueueOrder queueOrder, Instant now) {
    for (var gang : withBackfill()) {
      if (isOver(gang, now)) {
        end(gang);
      }
    }
    holds.hold();
    var apart = isAnyForQueueHead() ? QUEUE_CHECKED_APART_WITH_RESERVATION : QUEUE_CHECKED_APART;
    if (!now.isBefore(queueCheckedAt.plus(apart))) {
      queueCheckedAt = now;
      var due = due(queueOrder, now);
      if (!due.isEmpty()) {
        due.addAll(withBackfill().stream().filter(BackfillReservations::isForQueueHead).toList());
        give(queueOrder, due, now);
      }
    }
  }

  private void give(QueueOrder queueOrder, Collection<GangState> due, Instant now) {
    int lookedInto = 0;
    var slice = new SearchSlice(cluster.inventory().nodeCount());
    var copies = new Copies(cluster.inventory().snapshot());
    for (var gang : queueOrder.sorted(due, now)) {
      if (isForQueueHead(gang) || lookedInto == MOST_LOOKED_INTO || slice.isSpent()) {
        return;
      }
      lookedInto++;
      boolean isGiven =
          cluster.faults().ask("backfill", gang, () -> gets(gang, copies, slice, now));
      note(gang, queueOrder);
      if (isGiven) {
        return;
      }
    }
  }

  /** The gang was found not to fit: one day that makes it due. */
  void note(GangState gang, QueueOrder queueOrder) {
    times.set(gang, dueAt(gang, queueOrder));
  }

  private List<GangState> due(QueueOrder queueOrder, Instant now) {
    var due = new ArrayList<GangState>();
    for (var gang : times.due(now)) {
      if (dueAt(gang, queueOrder).filter(at -> !now.isBefore(at)).isPresent()) {
        due.add(gang);
      } else {
        note(gang, queueOrder);
      }
    }
    return due;
  }

  /** The nodes are asked first as if nothing ran: with that, most that never fit are answered. */
  private boolean gets(GangState gang, Copies copies, SearchSlice slice, Instant now) {
    slice.planned(1);
    boolean mayFit = plans.fits(gang, Reservations.wanted(gang), copies.emptied(), now);
    var placement = mayFit ? soonest(gang, slice, now) : Optional.<BackfillReservation>empty();
    if (placement.isEmpty()) {
      gang.entry.backfillAgainAt(now.plus(LOOKED_AT_APART));
      return false;
    }
    withBackfill().stream().filter(BackfillReservations::isForQueueHead).forEach(this::end);
    give(gang, placement.get());
    return true;
  }

  /** Whether time alone has made a backfill reservation due, or ended one. */
  boolean isTimeUp(Instant now) {
    return (!isAnyForQueueHead() && times.isAnyDue(now))
        || withBackfill().stream()
            .flatMap(gang -> gang.entry.backfill().stream())
            .anyMatch(backfill -> now.isAfter(backfill.until) || isForbidden(backfill, now));
  }

  private boolean isAnyForQueueHead() {
    return withBackfill().stream().anyMatch(BackfillReservations::isForQueueHead);
  }

  private static boolean isForQueueHead(GangState gang) {
    return gang.entry.hasBackfill(Kind.LINE);
  }

  /**
   * Where a queue ends gangs by its order, room comes so, and keeping it for one would only idle
   * it; but not for ever.
   */
  private Optional<Instant> dueAt(GangState gang, QueueOrder queueOrder) {
    boolean mayBeDue =
        cluster.gangs().knows(gang)
            && gang.isWaiting()
            && !gang.limit.isReached()
            && !gang.quarantine.holds()
            && gang.members.isAnyLive()
            && gang.counts.isComplete()
            && gang.entry.backfill().isEmpty();
    return gang.entry
        .unfitSince()
        .filter(_ -> mayBeDue)
        .map(since -> since.plus(cluster.rules().waiting().backfillAfter()))
        .map(at -> latest(at, gang.entry.backfillAgainAt()))
        .map(at -> cluster.queues().endsByOrder(gang) ? latest(at, queueOrder.agesAt(gang)) : at);
  }

  private static Instant latest(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }

  private List<GangState> withBackfill() {
    return holds.gangs();
  }

  /** The gang has this backfill reservation from now on, and no other. */
  void give(GangState gang, BackfillReservation backfill) {
    end(gang);
    gang.entry.backfill(Optional.of(backfill));
    gang.activate();
    holds.add(gang);
    holds.hold();
  }

  private boolean isOver(GangState gang, Instant now) {
    var backfill = gang.entry.backfill().orElseThrow();
    var nodes = backfill.wanted.keySet();
    backfill.refused(gang.entry.isRefused(), now);
    backfill.lacking(nodes.stream().anyMatch(node -> !offersEnough(backfill, node)), now);
    boolean isUp = now.isAfter(backfill.until);
    if (isUp) {
      var longest = cluster.rules().waiting().longestBackfill();
      gang.entry.backfillAgainAt(now.plus(backfill.kind == Kind.LINE ? longest : LOOKED_AT_APART));
    }
    return isUp
        || isForbidden(backfill, now)
        || backfill.isShortFor(SHORT_FOR, now)
        || !cluster.gangs().knows(gang)
        || !gang.isWaiting()
        || gang.limit.isReached()
        || gang.quarantine.holds()
        || !gang.members.isAnyLive()
        || !gang.counts.isComplete()
        || backfill.devices() != Wanted.devices(Reservations.wanted(gang))
        || nodes.stream().anyMatch(node -> !isUsable(backfill, node));
  }

  /** For whom others end already, that is not to be in vain. */
  private static boolean isForbidden(BackfillReservation backfill, Instant now) {
    return backfill.kind == Kind.LINE && backfill.isRefusedFor(REFUSED_FOR, now);
  }

  private boolean offersEnough(BackfillReservation backfill, String node) {
    var offered = cluster.inventory().room(node).map(room -> room.node().allocatable());
    return offered.isPresent()
        && backfill.wanted.get(node).entrySet().stream()
            .allMatch(asks -> asks.getValue() <= offered.get().of(asks.getKey()));
  }

  /** Whether the node is there, and open to those that are meant to be on it. */
  private boolean isUsable(BackfillReservation backfill, String node) {
    return cluster.inventory().room(node).isPresent()
        && backfill.demands.get(node).stream()
            .allMatch(demand -> cluster.inventory().isOpenTo(node, demand));
  }

  /** Ends what is kept for the gang. */
  void end(GangState gang) {
    gang.entry
        .backfill()
        .ifPresent(backfill -> {
          backfill
              .wanted
              .keySet()
              .forEach(node -> cluster.release(BackfillReservation.holder(gang.id, node)));
          backfill.held.clear();
        });
    gang.entry.backfill(Optional.empty());
    if (holds.remove(gang)) {
      gang.activate();
    }
  }

  /** For whom room is kept that the gang may use: itself, and those that it may go before. */
  Set<GangState> openTo(GangState gang, Comparator<GangState> order, Instant now) {
    var open = new HashSet<GangState>();
    for (var other : withBackfill()) {
      var backfill = other.entry.backfill().orElseThrow();
      if (other == gang
          || (backfill.kind == Kind.LINE && order.compare(gang, other) < 0)
          || isOverBefore(gang, backfill, now)) {
        open.add(other);
      }
    }
    return open;
  }

  /** Gangs of its queue for which others end, though it goes before them: that room may be its. */
  Set<GangState> preemptingBehind(GangState gang) {
    var queue = cluster.queues().of(gang);
    return withBackfill().stream()
        .filter(other -> other.entry.hasBackfill(Kind.PREEMPTION))
        .filter(other -> other.priority() < gang.priority())
        .filter(other -> cluster.queues().of(other).equals(queue))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Lets everybody see what is kept for these, until {@link BackfillHolds#hold}. */
  void lift(Set<GangState> gangs) {
    gangs.forEach(holds::lift);
  }

  /** Lets everybody see what is kept, until {@link BackfillHolds#hold}. */
  void liftAll() {
    withBackfill().forEach(holds::lift);
  }

  /**
   * Whether it ends, with the time it may take to start, before the backfill reservation can be
   * used.
   */
  private boolean isOverBefore(GangState gang, BackfillReservation backfill, Instant now) {
    return cluster
        .runTimes()
        .of(gang)
        .filter(runs ->
            backfill
                .expected()
                .filter(at -> !now.plus(cluster.deadlines().gangTotal()).plus(runs).isAfter(at))
                .isPresent())
        .isPresent();
  }

  /** The gang for which room is kept that this one would fit in. */
  Optional<GangState> inTheWayOf(GangState gang, Instant now) {
    var backfills = withBackfill().stream().filter(other -> other != gang).toList();
    if (backfills.isEmpty() || !fitsWithout(backfills, gang, now)) {
      return Optional.empty();
    }
    return backfills.stream()
        .filter(one -> backfills.size() == 1 || fitsWithout(List.of(one), gang, now))
        .findFirst()
        .or(() -> Optional.of(backfills.getFirst()));
  }

  private boolean fitsWithout(List<GangState> backfills, GangState gang, Instant now) {
    backfills.forEach(holds::lift);
    try {
      return plans.place(gang, Reservations.wanted(gang), now).isPresent();
    } finally {
      holds.hold();
    }
  }

  /**
   * The placement that is free soonest; empty if the present nodes could not even hold it empty.
   */
  private Optional<BackfillReservation> soonest(GangState gang, SearchSlice slice, Instant now) {
    var units =
        running.all(now).stream()
            .filter(unit -> unit.gang().filter(gang::equals).isEmpty())
            .sorted(RunningUnits.SOONEST_FIRST)
            .toList();
    var until = now.plus(cluster.rules().waiting().longestBackfill());
    return soonest(gang, units, slice, now)
        .map(found -> {
          var wanted = Reservations.wanted(gang);
          var backfill = BackfillReservation.on(found.nodes(), wanted, Kind.LINE, now, until);
          backfill.expected(
              found.gone().isEmpty() ? Optional.of(now) : found.gone().getLast().end());
          return backfill;
        });
  }

  /** Few are often enough, and those that are not asked about need not be set aside. */
  private Optional<Departures.Found> soonest(
      GangState gang, List<Unit> units, SearchSlice slice, Instant now) {
    int some = FIRST_LOOKED_AT;
    var found = first(gang, units.subList(0, Math.min(some, units.size())), slice, now);
    while (found.isEmpty() && some < units.size()) {
      some *= FIRST_LOOKED_AT;
      found = first(gang, units.subList(0, Math.min(some, units.size())), slice, now);
    }
    return found;
  }

  private Optional<Departures.Found> first(
      GangState gang, List<Unit> units, SearchSlice slice, Instant now) {
    var search = Departures.first(units);
    slice.setAside(search.pods());
    var beside = capacity.beside(gang, Set.of(gang), now);
    slice.planned(capacity.advance(gang, beside, Set.of(), search, Integer.MAX_VALUE, now));
    return search.found();
  }
}
