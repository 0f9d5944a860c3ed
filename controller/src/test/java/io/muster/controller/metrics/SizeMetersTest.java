package io.muster.controller.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.controller.port.SizeMeter.Sizes;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SizeMetersTest {

  private static final String WORKERS = "muster.elastic.workers";

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final SizeMeters meters = new SizeMeters(registry);

  private static Sizes job(String name, int running) {
    return new Sizes("paddle", "team", name, running, 5, 2, 10);
  }

  private double workers(String job, String count) {
    return registry.get(WORKERS).tags("job_name", job, "count", count).gauge().value();
  }

  private double jobs(String kind) {
    return registry.get("muster.elastic.jobs").tag("kind", kind).gauge().value();
  }

  @Test
  void theSeriesOfAJobComeFollowItAndGoWithIt() {
    meters.sizes(List.of(job("a", 3), job("b", 4)));
    assertThat(workers("a", "running")).isEqualTo(3);
    assertThat(workers("a", "wanted")).isEqualTo(5);
    assertThat(workers("a", "least")).isEqualTo(2);
    assertThat(workers("a", "most")).isEqualTo(10);
    assertThat(jobs("paddle")).isEqualTo(2);
    var before = registry.get(WORKERS).tags("job_name", "a", "count", "running").gauge();
    meters.sizes(List.of(job("a", 4)));
    assertThat(registry.get(WORKERS).tags("job_name", "a", "count", "running").gauge())
        .as("one that stays is never missing")
        .isSameAs(before);
    assertThat(workers("a", "running")).isEqualTo(4);
    assertThat(registry.find(WORKERS).tag("job_name", "b").gauges()).isEmpty();
    assertThat(jobs("paddle")).isEqualTo(1);
    meters.sizes(List.of());
    assertThat(registry.find(WORKERS).gauges()).isEmpty();
  }

  @Test
  void thereAreNoMoreSeriesThanOfSoManyJobsAndTheirNumberIsStillTrue() {
    int all = SizeMeters.MOST_JOBS + 20;
    meters.sizes(IntStream.range(0, all).mapToObj(i -> job("job-%04d".formatted(i), 3)).toList());
    assertThat(registry.find(WORKERS).gauges()).hasSize(4 * SizeMeters.MOST_JOBS);
    assertThat(jobs("paddle")).isEqualTo(all);
  }
}
