package io.muster.extender.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.query.QueueStanding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class QueueMetersTest {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private static QueueStanding queue(String name, int waiting) {
    return new QueueStanding(name, Optional.empty(), Optional.empty(), 0, 0, 0, 0, waiting);
  }

  @Test
  void aQueueCalledOtherIsNotTakenForTheRest() {
    var queues = new ArrayList<QueueStanding>();
    queues.add(queue("other", 7));
    for (int i = 1; i < QueueMeters.MOST_QUEUES; i++) {
      queues.add(queue("p" + i, 0));
    }
    queues.add(queue("q", 20));
    queues.add(queue("r", 300));
    var usage = usage(queues);

    new QueueMeters(registry, () -> usage).show(queues);

    assertThat(registry.scrape().lines().filter(line -> line.startsWith("muster_queue_gangs")))
        .hasSize(QueueMeters.MOST_QUEUES + 1)
        .contains(
            "muster_queue_gangs_waiting{queue=\"other\"} 7.0",
            "muster_queue_gangs_waiting{queue=\"(other)\"} 320.0");
  }

  private static Usage usage(List<QueueStanding> queues) {
    return new Usage(
        Map.of(),
        Duration.ZERO,
        Duration.ZERO,
        Map.of(),
        Map.of(),
        queues,
        ResourceSum.NONE,
        ResourceSum.NONE,
        0,
        0);
  }
}
