package io.muster.extender.core.decision.cache;

import java.time.Duration;
import java.time.Instant;

/**
 * How the time that decisions go by, which nobody sets, stands to the time of day, in which nodes
 * and the API server say when something happened. Confined to the decision thread.
 */
public final class TimeOfDay {

  private Duration ahead = Duration.ZERO;
  private Duration furthestAhead = Duration.ZERO;
  private boolean hasBegun;

  /** The time that decisions go by is ahead of the time of day by so much from now on. */
  public void set(Duration howFar) {
    ahead = howFar;
    furthestAhead = hasBegun && furthestAhead.compareTo(howFar) > 0 ? furthestAhead : howFar;
  }

  /** All that is stored has been told: what the clock was before counts no more. */
  void begin() {
    hasBegun = true;
  }

  /** By how much the time that decisions go by is ahead of the time of day. */
  public Duration ahead() {
    return ahead;
  }

  /** The time of day at that moment. */
  public Instant at(Instant now) {
    return now.minus(ahead);
  }

  /** The latest moment that may be meant by that time of day, however the clock was set since. */
  public Instant latest(Instant stated) {
    return stated.plus(furthestAhead);
  }
}
