package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.state.BackfillReservation.Kind;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.queue.Refusal;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Who is held back in its queue for a gang of the same queue that comes before it: for the one that
 * has the turn, whatever it asks for, and for those for which others end, as far as these would
 * find too little left. Never for one of a lower priority. Confined to the decision thread.
 */
public final class HeldBack {

  private final ClusterState cluster;

  /** By queue, the gang that has the turn. */
  private final Map<String, GangState> turns = new HashMap<>();

  HeldBack(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** By queue, the gang for which all that come after it wait; to be kept up by who asks. */
  public Map<String, GangState> turns() {
    return turns;
  }

  /** Whether a gang waits for the one that has the turn; not where any of it runs, or may. */
  public Optional<Refusal> byTurn(GangState gang) {
    return isUnderWay(gang)
        ? Optional.empty()
        : byTurn(cluster.queues().of(gang), gang.priority(), gang.arrivals.bornAt());
  }

  private static boolean isUnderWay(GangState gang) {
    return gang.members.isAnyReleased() || gang.members.started() > 0;
  }

  /** Nobody is held back for a gang that is younger, or of a lower priority. */
  private Optional<Refusal> byTurn(String queue, int priority, Instant bornAt) {
    return Optional.ofNullable(turns.get(queue))
        .filter(first -> priority <= first.priority() && first.arrivals.bornAt().isBefore(bornAt))
        .map(first -> new Refusal.Behind(first.id));
  }

  /**
   * Whether a gang would leave too little to one for which others end; not where any of it runs, or
   * may.
   *
   * @param isTooMuch whether it and so many devices more are too many for its queue
   */
  Optional<Refusal> byPromise(GangState gang, LongPredicate isTooMuch) {
    return isUnderWay(gang)
        ? Optional.empty()
        : byPromise(cluster.queues().of(gang), gang.priority(), Optional.of(gang.id), isTooMuch);
  }

  /**
   * Whether a pod without a gang is held back.
   *
   * @param isTooMuch whether it and so many devices more are too many for its queue
   */
  Optional<Refusal> of(String queue, Pod.Origin pod, LongPredicate isTooMuch) {
    return byTurn(queue, pod.priority(), pod.createdAt())
        .or(() -> byPromise(queue, pod.priority(), Optional.empty(), isTooMuch));
  }

  private Optional<Refusal> byPromise(
      String queue, int priority, Optional<GangId> own, LongPredicate isTooMuch) {
    long promised = 0;
    var first = Optional.<GangId>empty();
    for (var other : cluster.backfillHolds().gangs()) {
      if (own.filter(other.id::equals).isPresent()) {
        // Those that were promised something later come after it.
        break;
      }
      if (isPromised(other)
          && priority <= other.priority()
          && cluster.queues().of(other).equals(queue)) {
        promised += QueueUsage.needs(other);
        first = first.or(() -> Optional.of(other.id));
      }
    }
    long more = promised;
    return first.filter(_ -> isTooMuch.test(more)).map(Refusal.Behind::new);
  }

  private static boolean isPromised(GangState gang) {
    return gang.isWaiting() && gang.entry.hasBackfill(Kind.PREEMPTION);
  }
}
