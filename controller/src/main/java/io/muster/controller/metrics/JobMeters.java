package io.muster.controller.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Meters of training jobs in one registry, all there from the start. Safe for concurrent use. */
public final class JobMeters implements JobMeter {

  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(150),
    Duration.ofMillis(200),
    Duration.ofMillis(300),
    Duration.ofMillis(500),
    Duration.ofMillis(750),
    Duration.ofSeconds(1),
    Duration.ofMillis(1500),
    Duration.ofSeconds(2),
    Duration.ofSeconds(5),
    Duration.ofSeconds(20)
  };

  /** As the setting {@code jobKinds} calls them. */
  static final List<String> KINDS = List.of("etoperator", "dlrover", "di", "paddle");

  private final Map<Outcome, Timer> reconciles = new EnumMap<>(Outcome.class);
  private final Map<String, AtomicInteger> left = new HashMap<>();

  public JobMeters(MeterRegistry registry) {
    for (var outcome : Outcome.values()) {
      reconciles.put(
          outcome,
          Timer.builder("muster.job.reconcile")
              .description("Reconciles of a training job, with all writes.")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .serviceLevelObjectives(BUCKETS)
              .register(registry));
    }
    for (var kind : KINDS) {
      var flag = new AtomicInteger();
      left.put(kind, flag);
      Gauge.builder("muster.job.kinds.left", flag, AtomicInteger::get)
          .description("1 while another running controller handles this kind of job.")
          .tag("kind", kind)
          .register(registry);
    }
  }

  @Override
  public void reconciled(Outcome outcome, Duration took) {
    reconciles.get(outcome).record(took);
  }

  @Override
  public void leftToAnother(String kind, boolean isLeft) {
    left.get(kind).set(isLeft ? 1 : 0);
  }
}
