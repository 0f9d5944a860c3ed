package io.muster.extender.app;

import io.muster.extender.core.protocol.Usage;
import io.muster.extender.port.UsageMeter;
import java.time.Duration;
import java.time.Instant;

/**
 * How the devices were used from one reading to the next: what was so at the last one is taken to
 * have lasted until this one. Readings come one after the other; the last may be asked for by
 * anybody.
 */
final class UsageReading {

  /** A process that slept longer than this does not know what was so meanwhile. */
  private static final Duration LONGEST_APART = Duration.ofSeconds(10);

  private final UsageMeter meter;
  private Instant readAt = Instant.MAX;
  private volatile Usage last = Usage.NONE;

  UsageReading(UsageMeter meter) {
    this.meter = meter;
  }

  Usage last() {
    return last;
  }

  void read(Usage now, Instant at) {
    if (readAt.isBefore(at)) {
      var lasted = Duration.between(readAt, at);
      meter.used(last, lasted.compareTo(LONGEST_APART) < 0 ? lasted : LONGEST_APART);
    }
    last = now;
    readAt = at;
  }
}
