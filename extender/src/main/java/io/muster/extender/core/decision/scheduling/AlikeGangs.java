package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.SameRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Gangs that were found not to fit and ask for just the same: where the first of them in line does
 * not fit, none of the others does. Confined to the decision thread.
 */
public final class AlikeGangs {

  /**
   * What they have in common.
   *
   * @param queue that all are in
   * @param runTime that decides whether they may use room that is kept for others
   * @param mayBorrow whether they may have what is another queue's own
   */
  record Kind(SameRequest request, String queue, Optional<Duration> runTime, boolean mayBorrow) {}

  final Kind kind;

  private final Map<GangState, QueueOrder.Standing> members = new HashMap<>();
  private final TreeSet<QueueOrder.Standing> inLine = new TreeSet<>(QueueOrder.Standing.IN_QUEUE);
  private final TreeSet<QueueOrder.Standing> byAge =
      new TreeSet<>(QueueOrder.Standing.OLDEST_FIRST);

  AlikeGangs(Kind kind) {
    this.kind = kind;
  }

  void add(QueueOrder.Standing standing) {
    remove(standing.gang());
    members.put(standing.gang(), standing);
    inLine.add(standing);
    byAge.add(standing);
  }

  void remove(GangState gang) {
    var standing = members.remove(gang);
    if (standing != null) {
      inLine.remove(standing);
      byAge.remove(standing);
    }
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  /** The first of them by priority, as long as they are such. */
  List<GangState> highest(Predicate<GangState> which) {
    return inLine.stream().map(QueueOrder.Standing::gang).takeWhile(which).toList();
  }

  /** The first of them in line, which are one at least. */
  GangState first(QueueOrder queueOrder, Instant now) {
    var oldest = byAge.first().gang();
    return queueOrder.isFirstByAge(oldest, now) ? oldest : inLine.first().gang();
  }
}
