package io.muster.deploy.board.feed;

import java.time.Duration;

/**
 * When to look next: at most twice a second, and for a tenth of one core, however much changes.
 * What was not used is saved up, so that after a while in which little happened a change is shown
 * at once. Confined to one thread.
 */
final class Pace {

  static final Duration SHORTEST_PAUSE = Duration.ofMillis(500);

  /** A view that is older is of little use, whatever looks take. */
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

  /** Of one core. */
  private static final int PART = 10;

  private static final long MOST_SAVED_NANOS = Duration.ofMillis(300).toNanos();

  private static final long MOST_OWED_NANOS = -LONGEST_PAUSE.toNanos() / PART;

  private long savedNanos = MOST_SAVED_NANOS;
  private long lastNanos;

  /**
   * @param nowNanos of a clock that begins anywhere
   */
  Pace(long nowNanos) {
    this.lastNanos = nowNanos;
  }

  /**
   * How long to pause after a look.
   *
   * @param usedNanos time of a processor that it took
   */
  Duration afterLook(long usedNanos, long nowNanos) {
    long earned = savedNanos + (nowNanos - lastNanos) / PART;
    savedNanos = Math.max(MOST_OWED_NANOS, Math.min(MOST_SAVED_NANOS, earned) - usedNanos);
    lastNanos = nowNanos;
    var pause = Duration.ofNanos(-savedNanos * PART);
    return pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause;
  }
}
