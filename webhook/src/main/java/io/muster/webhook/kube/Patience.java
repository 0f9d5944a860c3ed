package io.muster.webhook.kube;

import java.time.Duration;
import java.time.Instant;

/**
 * How long to wait before setting right what others change again and again: not at all the first
 * time, then twice as long each time up to five minutes; ten quiet minutes make it the first time
 * again. Confined to its owner's lock.
 */
final class Patience {

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);
  private static final int MOST_DOUBLINGS = 9;

  private int times;
  private Instant last = Instant.MIN;

  Duration next(Instant now) {
    if (last.isBefore(now.minus(FORGOTTEN))) {
      times = 0;
    }
    last = now;
    if (times++ == 0) {
      return Duration.ZERO;
    }
    var wait = FIRST.multipliedBy(1L << Math.min(times - 2, MOST_DOUBLINGS));
    return wait.compareTo(LONGEST) < 0 ? wait : LONGEST;
  }
}
