package io.muster.extender.core.decision.state;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Whether a gang is left alone, because deciding about it met a fault of Muster's own: twice as
 * long after each fault that follows, from {@value #FIRST_SECONDS} s up to ten minutes. Confined to
 * the decision thread.
 */
public final class Quarantine {

  private static final int FIRST_SECONDS = 10;
  private static final Duration FIRST = Duration.ofSeconds(FIRST_SECONDS);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private boolean holds;
  private boolean isUntold;
  private Duration lasts = Duration.ZERO;
  private Instant until = Instant.MIN;
  private String fault = "";

  /** Whether the gang is left alone now. */
  public boolean holds() {
    return holds;
  }

  /** Begins with this fault; false if it holds already. */
  public boolean begin(Instant now, Throwable cause) {
    if (holds) {
      return false;
    }
    boolean isLong = lasts.multipliedBy(2).compareTo(LONGEST) > 0;
    lasts = lasts.isZero() ? FIRST : isLong ? LONGEST : lasts.multipliedBy(2);
    until = now.plus(lasts);
    fault = cause.getClass().getSimpleName();
    holds = true;
    isUntold = true;
    return true;
  }

  /** Lets the gang go on if its time is over; true once. */
  public boolean endsBy(Instant now) {
    if (!holds) {
      // As long again without another fault, and it is as if there had been none.
      if (!lasts.isZero() && !now.isBefore(until.plus(LONGEST))) {
        lasts = Duration.ZERO;
      }
      return false;
    }
    holds = now.isBefore(until);
    return !holds;
  }

  /** Whether its users have yet to be told; true once. */
  public boolean takeUntold() {
    boolean was = isUntold;
    isUntold = false;
    return was;
  }

  /** What it died of may have gone with its members. */
  void forget() {
    holds = false;
    isUntold = false;
    lasts = Duration.ZERO;
    until = Instant.MIN;
  }

  /** What is so, for its users. */
  public String sentence() {
    return ("muster met a fault of its own with this gang (%s) and leaves it alone until %s;"
            + " all others go on")
        .formatted(fault, until.truncatedTo(ChronoUnit.SECONDS));
  }
}
