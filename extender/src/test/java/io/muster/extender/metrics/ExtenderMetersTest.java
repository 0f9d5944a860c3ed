package io.muster.extender.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.port.FaultMeter.Doing;
import io.muster.extender.port.RequestMeter;
import io.muster.extender.port.RequestMeter.Verb;
import io.muster.extender.port.WriteMeter;
import io.muster.extender.port.WriteMeter.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ExtenderMetersTest {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ExtenderMeters meters = new ExtenderMeters(registry);

  @Test
  void printsWhatWasCountedUnderItsDocumentedNames() {
    meters.watchDesk(() -> 3, () -> 17);
    meters.watchGangs(phase -> phase == Phase.BINDING ? 2 : 0);
    meters.answered(Verb.FILTER, RequestMeter.Outcome.REFUSED, Duration.ofMillis(1));
    meters.offered(Verb.FILTER, 5_000);
    meters.wrote(Kind.BIND, WriteMeter.Outcome.DONE);
    meters.failed(Doing.EVENT);

    assertThat(registry.scrape())
        .contains(
            "muster_extender_requests_seconds_count{outcome=\"refused\",verb=\"filter\"} 1",
            "muster_extender_nodes_sum{verb=\"filter\"} 5000.0",
            "muster_bind_barrier_held 3.0",
            "muster_events_queue 17.0",
            "muster_gangs{phase=\"binding\"} 2.0",
            "muster_api_writes_total{effect=\"bind\",outcome=\"done\"} 1.0",
            "muster_faults_total{doing=\"event\"} 1.0");
  }

  @Test
  void everySeriesIsThereFromTheStart() {
    assertThat(registry.scrape())
        .contains(
            "muster_extender_requests_seconds_count{outcome=\"error\",verb=\"bind\"} 0",
            "muster_api_writes_total{effect=\"record\",outcome=\"failed\"} 0.0");
  }
}
