package io.muster.extender.core.bounds;

import java.time.Duration;
import java.time.Instant;

/**
 * How far numbers go that others write into their objects. Kubernetes takes any 64 bits for most of
 * them, and a sum of two such overflows; here each is kept within its bounds once, where a value of
 * the core is made, so that nothing which is worked out from them can. Stateless.
 */
public final class Bounds {

  /** Longer than any pod may sensibly take to end. */
  public static final Duration LONGEST_GRACE = Duration.ofDays(30);

  /** Longer than any job runs. */
  public static final Duration LONGEST_RUN = Duration.ofDays(3_650);

  /** Objects are not older than this; as old are those of which it is not known. */
  public static final Instant EARLIEST = Instant.EPOCH;

  /** So far ahead that nobody lives to see it, and as nanoseconds still within 64 bits. */
  public static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  private Bounds() {}

  /** The duration, but not below 0 nor above the longest. */
  public static Duration within(Duration stated, Duration longest) {
    if (stated.isNegative()) {
      return Duration.ZERO;
    }
    return stated.compareTo(longest) > 0 ? longest : stated;
  }

  /** The moment, but not before the earliest nor after the latest. */
  public static Instant within(Instant stated) {
    if (stated.isBefore(EARLIEST)) {
      return EARLIEST;
    }
    return stated.isAfter(LATEST) ? LATEST : stated;
  }

  /** The product of two numbers that are not negative, or the largest long if that is less. */
  public static long product(long one, long other) {
    long high = Math.multiplyHigh(one, other);
    long low = one * other;
    return high != 0 || low < 0 ? Long.MAX_VALUE : low;
  }

  /** The sum of two numbers that are not negative, or the largest long if that is less. */
  public static long sum(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
