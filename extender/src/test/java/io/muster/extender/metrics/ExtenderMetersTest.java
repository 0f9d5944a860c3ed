package io.muster.extender.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.SetupFault;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.Usage.Cause;
import io.muster.extender.core.protocol.Usage.Delayed;
import io.muster.extender.core.protocol.Usage.Holder;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.port.FaultMeter.Doing;
import io.muster.extender.port.RequestMeter;
import io.muster.extender.port.RequestMeter.Verb;
import io.muster.extender.port.UsageMeter.Wait;
import io.muster.extender.port.WriteMeter;
import io.muster.extender.port.WriteMeter.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  void printsWhatGangsKeepAndWaste() {
    var usage =
        new Usage(
            Map.of(Reason.NO_ROOM, 2),
            Duration.ofSeconds(90),
            Duration.ofMillis(1500),
            Map.of(Holder.CLAIM, 4L, Holder.INCOMPLETE, 8L),
            Map.of(Cause.BARRIER, new Delayed(3, 8)),
            List.of(
                new QueueStanding("speech", Optional.of(8L), Optional.empty(), 10, 2, 0, 16, 3)),
            new ResourceSum(1_840, 176_000_000, 3),
            new ResourceSum(10_000, 2_000_000_000, 8),
            7,
            5);
    meters.gangs().watch(() -> usage);
    meters.gangs().used(usage, Duration.ofMillis(500));
    meters.gangs().used(usage, Duration.ofMillis(250));
    meters.gangs().waited(Wait.REFUSED, Duration.ofSeconds(20));
    meters
        .gangs()
        .reached(
            new Milestones(
                List.of(
                    new Milestones.Start(Duration.ofSeconds(3), Optional.of(Duration.ofSeconds(2))),
                    new Milestones.Start(Duration.ofSeconds(4), Optional.empty())),
                Map.of(ExpectedStart.Outcome.BY_P90, 8),
                Map.of(PlanMiss.STALE, 6),
                Map.of(SetupFault.NODES_SAMPLED, 2)));

    assertThat(registry.scrape())
        .contains(
            "muster_gangs_waiting{reason=\"NoRoom\"} 2.0",
            "muster_gangs_waiting{reason=\"HeldOff\"} 0.0",
            "muster_gangs_waiting_oldest_seconds 90.0",
            "muster_plan_age_seconds 1.5",
            "muster_gangs_delayed{cause=\"barrier\"} 3.0",
            "muster_waste_gang_seconds_total{cause=\"barrier\"} 2.25",
            "muster_waste_device_seconds_total{cause=\"barrier\"} 6.0",
            "muster_waste_device_seconds_total{cause=\"fragmentation\"} 0.0",
            "muster_reserved_devices{holder=\"claim\"} 4.0",
            "muster_reserved_device_seconds_total{holder=\"incomplete\"} 6.0",
            "muster_requests_asked{resource=\"cpu\"} 1.84",
            "muster_requests_asked{resource=\"memory\"} 1.76E8",
            "muster_requests_asked{resource=\"devices\"} 3.0",
            "muster_requests_offered{resource=\"cpu\"} 10.0",
            "muster_requests_offered{resource=\"memory\"} 2.0E9",
            "muster_requests_offered{resource=\"devices\"} 8.0",
            "muster_queue_devices{queue=\"speech\",what=\"own\"} 8.0",
            "muster_queue_devices{queue=\"speech\",what=\"used\"} 10.0",
            "muster_queue_devices{queue=\"speech\",what=\"borrowed\"} 2.0",
            "muster_queue_devices{queue=\"speech\",what=\"asked\"} 16.0",
            "muster_queue_gangs_waiting{queue=\"speech\"} 3.0",
            "muster_free_devices 7.0",
            "muster_stranded_devices 5.0",
            "muster_bind_barrier_wait_seconds_sum{outcome=\"refused\"} 20.0",
            "muster_gang_start_seconds_sum{since=\"created\"} 7.0",
            "muster_gang_start_seconds_count{since=\"planned\"} 1",
            "muster_gang_expected_starts_total{outcome=\"by_p90\"} 8.0",
            "muster_filter_plan_miss_total{reason=\"stale\"} 6.0",
            "muster_filter_plan_miss_total{reason=\"not_in_sample\"} 0.0",
            "muster_setup_faults_total{fault=\"nodes_sampled\"} 2.0",
            "muster_setup_faults_total{fault=\"member_unmarked\"} 0.0");
  }

  @Test
  void everySeriesIsThereFromTheStart() {
    assertThat(registry.scrape())
        .contains(
            "muster_extender_requests_seconds_count{outcome=\"error\",verb=\"bind\"} 0",
            "muster_api_writes_total{effect=\"record\",outcome=\"failed\"} 0.0");
  }
}
