package io.muster.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Waiting;
import io.muster.simulator.trace.BundledTraces;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.Fabric;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.SegmentRule;
import io.muster.simulator.world.cluster.Synthetic;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Segments in racks: that they are whole. */
final class SegmentsTest {

  private static final int GPUS_A_NODE = 4;

  private static TraceJob job(String id, int pods, Duration submit) {
    var part = new TraceJob.Part("", pods, 0, 0, GPUS_A_NODE, Set.of());
    return new TraceJob(id, "team", "", 0, submit, Duration.ofHours(1), List.of(part));
  }

  private static Result run(Trace trace, SegmentRule rule) {
    var setup =
        PolicyNames.setup(
            PolicyNames.oneQueue(Order.PRIORITY), Waiting.DEFAULT.ageing(), Costs.DEFAULT, true);
    return new Simulation(trace, setup.segmentedBy(rule), _ -> {}).run("test");
  }

  @Test
  void segmentsAreCountedByTheRacksOfTheNodes() {
    var nodes = new Fabric(1, 2, 4).of(Machine.alike(8, GPUS_A_NODE));
    var rule = new SegmentRule(Map.of(16L, 2, 32L, 4));
    assertThat(rule.count(job("one", 1, Duration.ZERO))).isZero();
    assertThat(rule.count(job("four", 4, Duration.ZERO))).isEqualTo(2);
    assertThat(rule.count(job("seven", 7, Duration.ZERO))).isEqualTo(4);
    assertThat(rule.broken(job("four", 4, Duration.ZERO), nodes.subList(2, 6))).isZero();
    assertThat(rule.broken(job("four", 4, Duration.ZERO), nodes.subList(3, 7))).isEqualTo(1);
    assertThat(rule.broken(job("eight", 8, Duration.ZERO), nodes.reversed())).isZero();
  }

  @Test
  void aGangWaitsUntilItsSegmentsHaveRacks() {
    var nodes = new Fabric(1, 2, 4).of(Machine.alike(8, GPUS_A_NODE));
    var later = Duration.ofMinutes(30);
    // Three nodes are left in each rack, and the first gang ends an hour after its start.
    var jobs =
        List.of(job("a", 1, Duration.ZERO), job("b", 4, Duration.ofSeconds(1)), job("c", 4, later));
    var rule = new SegmentRule(Map.of(16L, 4));
    var result = run(new Trace("by hand", nodes, jobs, List.of()), rule);
    assertThat(result.segments()).isEqualTo(2);
    assertThat(result.brokenSegments()).isZero();
    assertThat(result.finished().stream().filter(job -> job.id().equals("c")).findFirst().get())
        .extracting(Result.Finished::waited)
        .isEqualTo(later);
    assertThat(result.occupancy()).isCloseTo(5 / 8.0, within(1e-3));
  }

  @Test
  void aSegmentThatNoRackHoldsIsImpossible() {
    var nodes = new Fabric(1, 2, 4).of(Machine.alike(8, GPUS_A_NODE));
    var trace = new Trace("by hand", nodes, List.of(job("a", 5, Duration.ZERO)), List.of());
    assertThat(run(trace, new SegmentRule(Map.of(16L, 5))).impossible()).isEqualTo(1);
    assertThat(run(trace, SegmentRule.NONE).impossible()).isZero();
  }

  @Test
  void segmentsOfManyGangsAreWhole() {
    var made = new Synthetic(500, 720, 0.8, 1, 0).trace();
    var trace = made.on(new Fabric(1, 5, 18).of(made.machines()));
    var result = run(trace, new SegmentRule(Map.of(64L, 4, 16L, 2)));
    assertThat(result.finished()).hasSize(500);
    assertThat(result.incompleteGpuSeconds()).isZero();
    assertThat(result.segments()).isGreaterThan(50);
    assertThat(result.brokenSegments()).isZero();
  }

  @Test
  void aScaledTraceAsksForAsMuchMoreInPodsThatFitTheNodes() {
    var trace = BundledTraces.philly(1).on(Machine.alike(500, GPUS_A_NODE));
    var scaled = trace.scaled(16, 2, 24);
    assertThat(scaled.jobs()).hasSize(2 * trace.jobs().size());
    assertThat(scaled.load()).isCloseTo(32 * trace.load(), withinPercentage(2));
    assertThat(scaled.jobs())
        .allMatch(job -> job.parts().getFirst().gpus() == GPUS_A_NODE && job.gpus() >= 16);
  }
}
