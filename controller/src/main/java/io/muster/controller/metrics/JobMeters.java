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
import java.util.stream.IntStream;

/** Meters of training jobs in one registry, all there from the start. Safe for concurrent use. */
public final class JobMeters implements JobMeter {

  private static final Duration[] BUCKETS =
      IntStream.of(
              1, 2, 5, 10, 20, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 5000, 20_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

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
