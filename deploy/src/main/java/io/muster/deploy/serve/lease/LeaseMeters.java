package io.muster.deploy.serve.lease;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.Supplier;

/** What a process sees of the leader lease. */
public final class LeaseMeters {

  private LeaseMeters() {}

  /**
   * Shows it from now on.
   *
   * @param unrenewed for how long the leader was not seen to renew its Lease
   */
  public static void watch(MeterRegistry registry, Supplier<Duration> unrenewed) {
    Gauge.builder("muster.lease.age", () -> unrenewed.get().toMillis() / 1e3)
        .baseUnit("seconds")
        .description(
            "Time since the leader was last seen to renew its Lease;"
                + " 0 in the leader while it holds it.")
        .register(registry);
  }
}
