package io.muster.deploy.serve.lease;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Time that nobody sets: it begins with the time of day and goes on by a stopwatch. What lasts is
 * measured by it, so that a clock which is set forward or back ends no reservation early and makes
 * no lease longer. Safe for concurrent use.
 */
public final class SteadyClock implements InstantSource {

  private final Instant start;
  private final LongSupplier stopwatch;
  private final long startedAt;

  /**
   * @param wall says when it begins
   * @param stopwatch nanoseconds from some moment on, as {@link System#nanoTime}
   */
  public SteadyClock(InstantSource wall, LongSupplier stopwatch) {
    this.stopwatch = stopwatch;
    this.startedAt = stopwatch.getAsLong();
    this.start = wall.instant();
  }

  @Override
  public Instant instant() {
    return start.plusNanos(stopwatch.getAsLong() - startedAt);
  }
}
