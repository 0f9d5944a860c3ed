package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.plan.diagnosis.Copies;
import java.time.Duration;
import java.time.Instant;

/**
 * Keeps smaller ones from passing a gang for ever that its queue has too little left for: once it
 * has waited for the ageing of its queue, it has the turn there, and what comes after it in the
 * queue is held back, save higher priorities and gangs that run. It has the turn until it starts or
 * can no longer start whoever ends, and as long as a backfill reservation lasts at most. Confined
 * to the decision thread.
 */
final class QueueTurns {

  /** Where the present nodes could not hold the gang, however empty, others may come first. */
  private static final Duration LOOKED_AT_APART = Duration.ofSeconds(30);

  /** So many are looked into at one time. */
  private static final int MOST_LOOKED_INTO = 8;

  private final ClusterState cluster;
  private final GangPlans plans;
  private final QueueOrder queueOrder;
  private int lookedInto;

  QueueTurns(ClusterState cluster, GangPlans plans, QueueOrder queueOrder) {
    this.cluster = cluster;
    this.plans = plans;
    this.queueOrder = queueOrder;
  }

  /** Ends turns that have served or lasted; says whether there were any. */
  boolean advance(SchedulingQueue queue, Instant now) {
    lookedInto = 0;
    var turns = cluster.queues().heldBack().turns().entrySet();
    return turns.removeIf(turn -> {
      var gang = turn.getValue();
      return !queue.isTried(gang)
          || !cluster.queues().of(gang).equals(turn.getKey())
          || !now.isBefore(gang.entry.turnUntil())
          || !cluster.faults().ask("turn", gang, () -> mayStartAlone(gang));
    });
  }

  /** Whether its queue would let the gang start if it held nothing but what the gang has. */
  private boolean mayStartAlone(GangState gang) {
    long own =
        gang.members.all().stream()
            .filter(pod -> gang.members.isLive(pod) && gang.members.hasStarted(pod))
            .mapToLong(Pod::devices)
            .sum();
    var queue = cluster.queues().of(gang);
    var held = cluster.queues().held();
    return cluster
        .queues()
        .refusal(gang, name -> name.equals(queue) ? own : held.applyAsLong(name))
        .isEmpty();
  }

  /** Its queue has refused the gang, which may give it the turn; the oldest has it. */
  void note(GangState gang, Instant now) {
    var turns = cluster.queues().heldBack().turns();
    var queue = cluster.queues().of(gang);
    var first = turns.get(queue);
    if (!gang.entry.mayHaveTurn(now)
        || !queueOrder.isAged(gang, now)
        || (first != null && GangState.OLDEST_FIRST.compare(first, gang) <= 0)
        || !mayStartAlone(gang)
        || lookedInto++ >= MOST_LOOKED_INTO) {
      return;
    }
    var emptied = new Copies(cluster.inventory().snapshot()).emptied();
    if (!plans.fits(gang, Reservations.wanted(gang), emptied, now)) {
      gang.entry.turn(gang.entry.turnUntil(), now.plus(LOOKED_AT_APART));
      return;
    }
    if (!now.isBefore(gang.entry.turnUntil())) {
      var longest = cluster.rules().waiting().longestBackfill();
      gang.entry.turn(now.plus(longest), now.plus(longest).plus(longest));
    }
    turns.put(queue, gang);
  }
}
