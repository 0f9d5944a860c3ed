package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Numbers the gangs that wait, for their users: 1 is tried first. One start moves all behind it, so
 * they are counted anew only after a time that grows with their number, and told a few at a time:
 * the more wait, the older a number may be. 1,000 gangs are counted about once a minute, and cost
 * 16 writes a second at most. Those behind them have no number, or whoever makes gangs by the ten
 * thousand would have everybody else's grow old. Confined to the decision thread.
 */
public final class QueuePositions {

  private static final Duration LEAST_APART = Duration.ofSeconds(5);
  private static final Duration APART_FOR_EACH = Duration.ofMillis(65);

  /** Those that come first. */
  static final int MOST_NUMBERED = 1_000;

  /** Of half a second. */
  private static final int TOLD_A_TICK = 8;

  private final ClusterState cluster;
  private final QueueOrder order;
  private final Deque<Moved> moved = new ArrayDeque<>();

  /** Those that have a number. */
  private final Set<GangState> numbered = new HashSet<>();

  private Instant countedAgainAt = Instant.MIN;

  /**
   * @param position empty for one that has none any more
   */
  private record Moved(GangState gang, Optional<Integer> position) {}

  public QueuePositions(ClusterState cluster) {
    this.cluster = cluster;
    this.order = new QueueOrder(cluster);
  }

  /** Another half second has begun. */
  public void advance(Instant now) {
    if (!now.isBefore(countedAgainAt)) {
      count(now);
    }
    for (int i = 0; i < TOLD_A_TICK && !moved.isEmpty(); i++) {
      var next = moved.poll();
      if (next.gang().isWaiting()) {
        set(next.gang(), next.position());
        cluster.gangs().wake(next.gang());
      }
    }
  }

  private void count(Instant now) {
    var waiting = order.sorted(sound(now), now).stream().limit(MOST_NUMBERED).toList();
    var unnumbered = new HashSet<>(numbered);
    unnumbered.removeAll(Set.copyOf(waiting));
    moved.clear();
    for (int i = 0; i < waiting.size(); i++) {
      note(waiting.get(i), Optional.of(i + 1));
    }
    unnumbered.forEach(gang -> note(gang, Optional.empty()));
    var apart = APART_FOR_EACH.multipliedBy(waiting.size());
    countedAgainAt = now.plus(apart.compareTo(LEAST_APART) > 0 ? apart : LEAST_APART);
  }

  private void note(GangState gang, Optional<Integer> position) {
    if (!gang.isWaiting()) {
      set(gang, Optional.empty());
    } else if (!gang.entry.position().equals(position)) {
      moved.add(new Moved(gang, position));
    }
  }

  private void set(GangState gang, Optional<Integer> position) {
    gang.entry.position(position);
    if (position.isPresent()) {
      numbered.add(gang);
    } else {
      numbered.remove(gang);
    }
  }

  /** One whose place cannot be worked out is left alone, and takes no number from the others. */
  private List<GangState> sound(Instant now) {
    return cluster.gangs().waiting().stream()
        .filter(gang -> !gang.quarantine.holds())
        .filter(gang -> cluster.faults().ask("positions", gang, () -> isSound(gang, now)))
        .toList();
  }

  private boolean isSound(GangState gang, Instant now) {
    order.check(gang, now);
    return true;
  }
}
