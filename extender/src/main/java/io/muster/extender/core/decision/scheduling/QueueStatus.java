package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Tells gangs that wait their position, of which 1 is tried first, and when they are expected to
 * start. One start changes both for all behind it, so positions are counted anew only after a time
 * that grows with their number, and gangs are told a few at a time: the more wait, the older both
 * may be. 1,000 gangs are counted about once a minute, and cost 16 writes a second at most. Those
 * behind them are told neither, or whoever makes gangs by the ten thousand would have everybody
 * else's grow old. Confined to the decision thread.
 */
public final class QueueStatus {

  private static final Duration LEAST_APART = Duration.ofSeconds(5);
  private static final Duration APART_FOR_EACH = Duration.ofMillis(65);

  /** Those that come first. */
  static final int MOST_NUMBERED = 1_000;

  /** Of half a second. */
  private static final int TOLD_A_TICK = 8;

  private final ClusterState cluster;
  private final QueueOrder order;
  private final ExpectedStarts starts;
  private Map<GangState, Integer> positions = new HashMap<>();

  /** Those that were told a position. */
  private final Set<GangState> told = new HashSet<>();

  /** Those that are to be told something else. */
  private final Set<GangState> due = new LinkedHashSet<>();

  private Instant countedAgainAt = Instant.MIN;

  public QueueStatus(ClusterState cluster) {
    this.cluster = cluster;
    this.order = new QueueOrder(cluster);
    this.starts = new ExpectedStarts(cluster);
  }

  /** It has been worked out when gangs will start. */
  public void estimated(Event.StartsEstimated estimated, Instant now) {
    starts.estimated(estimated, now);
    due.addAll(starts.changed(told, now));
  }

  /** Another half second has begun. */
  public void advance(Instant now) {
    if (!now.isBefore(countedAgainAt)) {
      count(now);
    }
    var next = due.stream().limit(TOLD_A_TICK).toList();
    next.forEach(due::remove);
    for (var gang : next) {
      if (gang.isWaiting()) {
        tell(gang);
        cluster.gangs().wake(gang);
      }
    }
  }

  private void count(Instant now) {
    var waiting = order.sorted(sound(now), now).stream().limit(MOST_NUMBERED).toList();
    positions = new HashMap<>();
    for (int i = 0; i < waiting.size(); i++) {
      positions.put(waiting.get(i), i + 1);
    }
    due.clear();
    waiting.forEach(this::note);
    List.copyOf(told).stream().filter(gang -> !positions.containsKey(gang)).forEach(this::note);
    starts.compare(now);
    due.addAll(starts.changed(told, now));
    var apart = APART_FOR_EACH.multipliedBy(waiting.size());
    countedAgainAt = now.plus(apart.compareTo(LEAST_APART) > 0 ? apart : LEAST_APART);
  }

  private void note(GangState gang) {
    if (!gang.isWaiting()) {
      gang.entry.position(Optional.empty());
      gang.entry.expectedStart(Optional.empty());
      told.remove(gang);
    } else if (!gang.entry.position().equals(Optional.ofNullable(positions.get(gang)))) {
      due.add(gang);
    }
  }

  private void tell(GangState gang) {
    var position = Optional.ofNullable(positions.get(gang));
    gang.entry.position(position);
    gang.entry.expectedStart(position.flatMap(_ -> starts.of(gang)));
    if (position.isPresent()) {
      told.add(gang);
    } else {
      told.remove(gang);
    }
  }

  /**
   * One whose place cannot be worked out is left alone, and takes no number from the others; nor
   * does one that may not be in the queue that it names.
   */
  private List<GangState> sound(Instant now) {
    var held = cluster.queues().held();
    return cluster.gangs().waiting().stream()
        .filter(gang -> !gang.quarantine.holds())
        .filter(gang -> cluster.queues().barred(gang).isEmpty())
        .filter(gang -> cluster.faults().ask("positions", gang, () -> isSound(gang, held, now)))
        .toList();
  }

  private boolean isSound(GangState gang, ToLongFunction<String> held, Instant now) {
    order.check(gang, held, now);
    return true;
  }
}
