package io.muster.controller.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.muster.controller.port.SizeMeter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Meters of jobs whose size follows the room there is, in one registry. Those of a job come and go
 * with it, four of each and of so many jobs at most; the others are there from the start. Safe for
 * concurrent use.
 */
public final class SizeMeters implements SizeMeter {

  /** Of more jobs than this, those that come last by name are left out. */
  static final int MOST_JOBS = 500;

  private static final Map<String, ToIntFunction<Sizes>> COUNTS =
      Map.of(
          "running", Sizes::running,
          "wanted", Sizes::wanted,
          "least", Sizes::least,
          "most", Sizes::most);

  private final MultiGauge workers;

  /** The sizes of each job that is shown, as they are now. */
  private final Map<Owner, AtomicReference<Sizes>> shown = new HashMap<>();

  private final Map<String, AtomicInteger> jobs;

  public SizeMeters(MeterRegistry registry) {
    workers =
        MultiGauge.builder("muster.elastic.workers")
            .description(
                "Workers of a job whose size follows the free capacity, of at most %d jobs."
                    .formatted(MOST_JOBS))
            .register(registry);
    jobs =
        JobMeters.KINDS.stream()
            .collect(Collectors.toMap(Function.identity(), _ -> new AtomicInteger()));
    jobs.forEach((kind, count) ->
        Gauge.builder("muster.elastic.jobs", count, AtomicInteger::get)
            .description("Running jobs whose size follows the free capacity.")
            .tag("kind", kind)
            .register(registry));
  }

  @Override
  public synchronized void sizes(List<Sizes> all) {
    jobs.forEach((kind, count) ->
        count.set((int) all.stream().filter(job -> job.kind().equals(kind)).count()));
    var now =
        all.stream()
            .sorted(Comparator.comparing(Sizes::namespace).thenComparing(Sizes::name))
            .limit(MOST_JOBS)
            .collect(Collectors.toMap(Owner::of, Function.identity(), (one, _) -> one));
    shown.keySet().retainAll(now.keySet());
    // Those that stay keep their gauges: a scrape in between would find them missing.
    now.forEach(
        (owner, sizes) -> shown.computeIfAbsent(owner, _ -> new AtomicReference<>()).set(sizes));
    workers.register(
        shown.entrySet().stream().flatMap(job -> rows(job.getKey(), job.getValue())).toList());
  }

  private static Stream<MultiGauge.Row<?>> rows(Owner job, AtomicReference<Sizes> sizes) {
    return COUNTS.entrySet().stream()
        .map(count ->
            MultiGauge.Row.of(
                Tags.of("kind", job.kind(), "job_namespace", job.namespace())
                    .and("job_name", job.name(), "count", count.getKey()),
                sizes,
                now -> count.getValue().applyAsInt(now.get())));
  }

  private record Owner(String kind, String namespace, String name) {

    static Owner of(Sizes job) {
      return new Owner(job.kind(), job.namespace(), job.name());
    }
  }
}
