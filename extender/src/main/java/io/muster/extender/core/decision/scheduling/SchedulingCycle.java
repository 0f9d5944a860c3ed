package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.loss.StrandedMembers;
import io.muster.extender.core.decision.permit.PermitBarrier;
import io.muster.extender.core.decision.reserve.DeferredReservations;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.LastTry.Tried;
import io.muster.extender.core.decision.state.QueueEntry.Withheld;
import io.muster.extender.core.decision.state.SameRequest;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.queue.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The queue of gangs that wait, in the order of the {@link QueueOrder}; one that does not fit is
 * passed by, as far as {@link BackfillReservations} allow. Single pods never queue; those refused
 * for want of room are {@link RefusedPods}.
 */
public final class SchedulingCycle {

  /** Whatever has or has not happened, a gang that waits is tried again after so long. */
  static final Duration TRIED_APART = Duration.ofSeconds(10);

  /** The same where more wait than can be tried again so often. */
  private static final Duration TRIED_APART_AMONG_MANY = Duration.ofMinutes(1);

  private static final int MANY = 200;

  /** Time alone makes little due: a second later will do. */
  private static final Duration LOOKED_APART = Duration.ofMillis(900);

  private Instant lookedAt = Instant.MIN;

  private final ClusterState cluster;
  private final Reservations reservations;
  private final PermitBarrier barrier;
  private final MemberFailures memberFailures;
  private final DeferredReservations deferred;
  private final QueueOrder queueOrder;
  private final SchedulingQueue queue;
  private final BackfillReservations backfills;
  private final Preemption preemption;
  private final StrandedMembers stranded;
  private final RefusedPods refused;
  private final QueueTurns turns;

  public SchedulingCycle(
      ClusterState cluster,
      GangPlans plans,
      Reservations reservations,
      PermitBarrier barrier,
      MemberFailures memberFailures,
      DeferredReservations deferred) {
    this.cluster = cluster;
    this.reservations = reservations;
    this.barrier = barrier;
    this.memberFailures = memberFailures;
    this.deferred = deferred;
    queueOrder = new QueueOrder(cluster);
    queue = new SchedulingQueue(cluster, queueOrder);
    var capacity = new CapacityOnceGone(cluster, plans);
    backfills = new BackfillReservations(cluster, plans, capacity);
    preemption = new Preemption(cluster, backfills, capacity, memberFailures, queueOrder);
    stranded = new StrandedMembers(cluster, plans);
    refused = new RefusedPods(cluster, plans, cluster.planner()::decide);
    turns = new QueueTurns(cluster, plans, queueOrder);
  }

  /**
   * BackfillReservations and keeps what is due to started gangs, then plans every waiting gang that
   * can go now.
   */
  public void advance(Instant now) {
    var faults = cluster.faults();
    faults.run("losses", () -> advanceStarted(now));
    queue.refresh(now);
    if (turns.advance(queue, now)) {
      refused.beginAnew();
    }
    var kept = cluster.backfillHolds().gangs();
    boolean isSound = faults.passes("backfill", () -> backfills.advance(queueOrder, now));
    if (!cluster.backfillHolds().gangs().containsAll(kept)) {
      refused.beginAnew();
    }
    long most = mostDevices();
    backfills.liftAll();
    var ready = queue.ready(most, now);
    cluster.backfillHolds().hold();
    isSound &= faults.passes("plan", () -> planAll(ready, now));
    isSound &= faults.passes("preemption", () -> preemption.advance(now));
    if (!isSound) {
      var held = cluster.queues().held();
      cluster.gangs().all().stream()
          .filter(gang -> gang.isWaiting() && !gang.quarantine.holds())
          .forEach(gang -> faults.run("line", gang, () -> queueOrder.check(gang, held, now)));
    }
    faults.run("singles", () -> refused.wake(now));
  }

  /**
   * Who was released by an earlier life gets its places back where nobody has taken them, before
   * anything is planned: a plan of its own might send it to a node that another was released to.
   */
  public void restore(Instant now) {
    if (!cluster.isAsked()) {
      // Nobody is released there before all is recorded.
      return;
    }
    var released =
        cluster.gangs().all().stream()
            .filter(gang ->
                gang.isWaiting() && !gang.limit.isReached() && gang.members.isAnyReleased());
    released
        .sorted(queueOrder.at(now))
        .toList()
        .forEach(gang ->
            cluster
                .faults()
                .run(
                    "restore",
                    gang,
                    () -> {
                      if (reservations.restore(gang, now)) {
                        barrier.openIfEnough(gang, now);
                      }
                    }));
  }

  private void advanceStarted(Instant now) {
    var lost = cluster.gangs().active(gang -> gang.losses.areAny());
    lost.sort(GangState.OLDEST_FIRST);
    lost.forEach(
        gang -> cluster.faults().run("losses", gang, () -> memberFailures.advance(gang, now)));
    cluster
        .gangs()
        .active(gang -> !gang.deferred.areNone())
        .forEach(gang -> cluster.faults().run("later", gang, () -> deferred.advance(gang, now)));
  }

  /**
   * Tries each in its turn; whoever gets its places may change the order of those behind it. Those
   * that ask for more than there is come last, in any order: nothing is to be planned for them.
   */
  private void planAll(SchedulingQueue.Ready ready, Instant now) {
    if (ready.gangs().isEmpty()) {
      return;
    }
    var hopeless = new ArrayList<GangState>();
    var left = inOrder(ready.gangs(), hopeless, now);
    var turn = new Turn(now);
    while (!left.isEmpty()) {
      var gang = left.removeFirst();
      var at = turn;
      if (cluster.faults().ask("plan", gang, () -> tryPlan(gang, at, ready, now))) {
        turn = new Turn(now);
        var next = ready.next(gang, now);
        next.ifPresent(left::add);
        if (next.isPresent() || !cluster.queues().queues().arePlain()) {
          left = inOrder(left, hopeless, now);
        }
      }
    }
    var last = turn;
    hopeless.forEach(gang -> cluster.faults().run("plan", gang, () -> leave(gang, last, now)));
  }

  /** There is no room for it, as is known without a plan. */
  private void leave(GangState gang, Turn turn, Instant now) {
    var refusal = cluster.queues().refusal(gang, turn.held);
    if (refusal.isPresent()) {
      withhold(gang, refusal.get(), now);
    } else {
      noteAdmitted(gang);
      if (gang.entry.backfill().isEmpty()) {
        gang.entry.withheld(Optional.empty());
      }
      setBack(gang, now);
    }
  }

  /** What its queue has said before holds no more, also where room is kept for it. */
  private static void noteAdmitted(GangState gang) {
    if (gang.entry.isRefused()) {
      gang.entry.withheld(Optional.empty());
    }
  }

  /** The line and the book at one moment; after a gang has got its places they are others. */
  private final class Turn {
    private final Comparator<GangState> order;
    private final ToLongFunction<String> held;
    private final Map<SameRequest, Optional<Withheld>> behind = new HashMap<>();

    Turn(Instant now) {
      order = queueOrder.at(now);
      held = cluster.queues().held();
    }

    /** Who has the room kept that would do for the gang, which is alike for all that ask alike. */
    Optional<Withheld> behind(GangState gang, Optional<SameRequest> request, Instant now) {
      return request
          .map(same -> behind.computeIfAbsent(same, _ -> behindWhom(gang, now)))
          .orElseGet(() -> behindWhom(gang, now));
    }

    private Optional<Withheld> behindWhom(GangState gang, Instant now) {
      return backfills.inTheWayOf(gang, now).map(SchedulingCycle::behind);
    }
  }

  private ArrayDeque<GangState> inOrder(
      Collection<GangState> ready, List<GangState> hopeless, Instant now) {
    long most = mostDevices();
    var hopeful = new ArrayList<GangState>();
    for (var gang : ready) {
      (gang.counts.chosenDevices() > most ? hopeless : hopeful).add(gang);
    }
    return new ArrayDeque<>(queueOrder.sorted(hopeful, now));
  }

  private long mostDevices() {
    return cluster.inventory().totals().freeDevices()
        + cluster.backfillHolds().devices()
        + cluster.nominatedPods().devices();
  }

  /** Whether something was left so that calls are answered first. */
  public boolean isSearching() {
    return preemption.isSearching();
  }

  /** Goes on for a moment with what was left. */
  public void goOn(Instant now) {
    cluster.faults().run("preemption", () -> preemption.goOn(now));
  }

  /** Whether time alone has made it worth checking the queue again. */
  public boolean isTimeUp(Instant now) {
    if (queue.isTimeUp(now)) {
      return true;
    }
    if (now.isBefore(lookedAt.plus(LOOKED_APART))) {
      return false;
    }
    lookedAt = now;
    return backfills.isTimeUp(now) || preemption.isTimeUp(now) || refused.isTimeUp(now);
  }

  /** Whether it waits to be tried, or for a moment or a change that makes it worth that. */
  public boolean isQueued(GangState gang) {
    return queue.has(gang);
  }

  /** The rules have changed: what did not go may go now. */
  public void beginAnew() {
    refused.beginAnew();
  }

  private boolean tryPlan(GangState gang, Turn turn, SchedulingQueue.Ready ready, Instant now) {
    var refusal = cluster.queues().refusal(gang, turn.held);
    if (refusal.isPresent()) {
      withhold(gang, refusal.get(), now);
      return false;
    }
    noteAdmitted(gang);
    var request = queue.request(gang, now);
    var seen = backfills.openTo(gang, turn.order, now);
    boolean isPlanned = false;
    boolean isRecreated = false;
    // One that was released may have places of its own.
    if (gang.members.isAnyReleased() || !ready.isUnfit(request, seen)) {
      backfills.lift(seen);
      try {
        isPlanned = reservations.plan(gang, now);
        if (!isPlanned) {
          isRecreated = stranded.remake(gang, now);
        } else if (gang.entry.backfill().isPresent()) {
          backfills.end(gang);
          ready.forgetUnfit();
        }
      } finally {
        cluster.backfillHolds().hold();
      }
    }
    if (isPlanned) {
      gang.verdict.clear();
      gang.stranding.ends();
      barrier.openIfEnough(gang, now);
      return true;
    }
    if (!isRecreated && gang.entry.isRefused()) {
      awaitQueue(gang, now);
      return false;
    }
    if (gang.entry.backfill().isEmpty()) {
      gang.entry.withheld(turn.behind(gang, request, now));
    }
    if (isRecreated) {
      queue.holdOff(gang);
      return false;
    }
    setBack(gang, now);
    ready.noteUnfit(request, seen);
    return false;
  }

  /** It does not fit, and is tried again when that may have changed. */
  private void setBack(GangState gang, Instant now) {
    gang.entry.unfitSince(gang.entry.unfitSince().or(() -> Optional.of(now)));
    queueAgain(gang, now);
    backfills.note(gang, queueOrder);
    preemption.note(gang);
  }

  private void withhold(GangState gang, Refusal refusal, Instant now) {
    gang.entry.queueFull(refusal.isFull(), now);
    // For one for which others of its queue end, that it is full is about to be over.
    if (!refusal.isFull() || !Preemption.isUnderWay(gang)) {
      gang.entry.withheld(Optional.of(Withheld.by(refusal)));
    }
    turns.note(gang, now);
    awaitQueue(gang, now);
    preemption.note(gang);
  }

  /** Its queue refuses it, as it has noted. */
  private void awaitQueue(GangState gang, Instant now) {
    gang.entry.unfitSince(Optional.empty());
    queueAgain(gang, now);
  }

  private void queueAgain(GangState gang, Instant now) {
    gang.lastTry.failed(
        new Tried(
            gang.version(),
            cluster.inventory().changes(),
            gang.counts.chosenDevices(),
            queue.request(gang, now),
            nextChance(gang, now)));
    queue.setBack(gang);
    cluster.gangs().wake(gang);
  }

  private static Withheld behind(GangState first) {
    var expected = first.entry.backfill().flatMap(backfill -> backfill.expected());
    return new Withheld(
        Reason.BEHIND_BACKFILL_RESERVATION,
        "there is room, and it is kept for %s, which comes before it"
            + expected
                .map(at -> "; that is expected to start by " + at.truncatedTo(ChronoUnit.SECONDS))
                .orElse(""),
        "say how long it runs by the annotation muster.io/run-time: what is over before then may"
            + " use the room",
        Optional.of(first.id));
  }

  /** When time alone may make it fit: a node is forgiven, or members may be recreated. */
  private Instant nextChance(GangState gang, Instant now) {
    var again = now.plus(queue.size() > MANY ? spread(gang) : TRIED_APART);
    return Stream.concat(gang.setbacks.exclusionEnds(), gang.stranding.due().stream())
        .filter(at -> at.isAfter(now))
        .min(Instant::compareTo)
        .filter(again::isAfter)
        .orElse(again);
  }

  /** Those that were tried at one moment are not all tried again at another. */
  private static Duration spread(GangState gang) {
    long millis = TRIED_APART_AMONG_MANY.toMillis();
    return Duration.ofMillis(millis + Math.floorMod(gang.id.hashCode() * 31L, millis));
  }

  /** Takes over what has been found meanwhile about another that asks for just the same. */
  public void refresh(GangState gang, Instant now) {
    if (gang.isWaiting() && gang.isSetBack(now)) {
      queue.refresh(gang, now);
    }
  }
}
