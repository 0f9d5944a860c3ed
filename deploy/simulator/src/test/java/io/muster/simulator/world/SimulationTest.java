package io.muster.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Waiting;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Synthetic;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small traces whose outcome can be told by hand. */
final class SimulationTest {

  private static final Costs COSTS = Costs.DEFAULT;

  private final List<TraceJob> jobs = new ArrayList<>();

  private void job(String id, Duration submit, Duration duration, int pods, int gpus) {
    job(id, submit, duration, pods, gpus, 0);
  }

  private void job(
      String id, Duration submit, Duration duration, int pods, int gpus, int priority) {
    jobs.add(
        new TraceJob(
            id,
            "team",
            "",
            priority,
            submit,
            duration,
            List.of(new TraceJob.Part("", pods, 1000, 1024, gpus, Set.of()))));
  }

  private Result run(int nodes, Order order) {
    return run(nodes, order, true);
  }

  private Result run(int nodes, Order order, boolean hints) {
    var trace = new Trace("by hand", Machine.alike(nodes, 8), jobs, List.of());
    var setup =
        PolicyNames.setup(PolicyNames.oneQueue(order), Waiting.DEFAULT.ageing(), COSTS, hints);
    return new Simulation(trace, setup, _ -> {}).run("test");
  }

  private static Result.Finished job(Result result, String id) {
    return result.finished().stream().filter(job -> job.id().equals(id)).findFirst().orElseThrow();
  }

  private static Duration hours(long hours) {
    return Duration.ofHours(hours);
  }

  @Test
  void aGangStartsWhenAllOfItFitsAndRunsForItsDuration() {
    job("a", Duration.ZERO, hours(2), 2, 8);
    job("b", hours(1), hours(1), 2, 8);
    var result = run(2, Order.PRIORITY);
    assertThat(job(result, "a").completion()).isEqualTo(hours(2));
    assertThat(job(result, "b").waited()).isEqualTo(hours(1));
    assertThat(result.makespan()).isEqualTo(hours(3));
    assertThat(result.usedGpuSeconds()).isEqualTo(3 * 3600.0 * 16);
    assertThat(result.incompleteGpuSeconds()).isZero();
    assertThat(Figures.of(result).utilisation()).isEqualTo(1);
  }

  @Test
  void aJobWithARoleIsNotTakenForAnother() {
    var ofRole = List.of(new TraceJob.Part("1", 1, 1000, 1024, 8, Set.of()));
    jobs.add(new TraceJob("1", "team", "", 0, Duration.ZERO, hours(2), ofRole));
    job("11", Duration.ofMinutes(1), hours(1), 2, 8);
    var result = run(2, Order.PRIORITY);
    assertThat(result.unfinished()).isZero();
    assertThat(job(result, "1").completion()).isEqualTo(hours(2));
    assertThat(job(result, "11").waited()).isCloseTo(hours(2), Duration.ofMinutes(2));
    assertThat(result.usedGpuSeconds()).isEqualTo((2 + 2) * 3600.0 * 8);
  }

  @Test
  void aGangThatIsEndedGoesOnFromItsCheckpointAfterARestart() {
    job("low", Duration.ZERO, hours(2), 1, 8);
    job("high", Duration.ofMinutes(25), hours(1), 1, 8, 100);
    var result = run(1, Order.PRIORITY);
    assertThat(job(result, "low").preemptions()).isEqualTo(1);
    assertThat(job(result, "high").waited())
        .isBetween(Duration.ofSeconds(45), Duration.ofMinutes(2));
    // 20 of its 25 minutes are saved; what it had run for beyond that is done again.
    var again = job(result, "high").submit().plus(job(result, "high").completion());
    assertThat(job(result, "low").completion()).isEqualTo(again.plusSeconds(60).plusMinutes(100));
    assertThat(result.wastedGpuSeconds()).isCloseTo(8 * 5 * 60.0, within(8 * 60.0));
    assertThat(result.preemptions()).isEqualTo(1);
  }

  @Test
  void theShortestGoesFirstWhereItsQueueSaysSo() {
    job("running", Duration.ZERO, hours(1), 1, 8);
    job("long", Duration.ofMinutes(1), hours(5), 1, 8);
    job("short", Duration.ofMinutes(2), Duration.ofMinutes(59), 1, 8);
    assertThat(job(run(1, Order.SHORTEST_GANG), "short").completion())
        .isLessThan(job(run(1, Order.PRIORITY), "short").completion());
  }

  @Test
  void withoutAWordOnRunTimesNobodyIsShorter() {
    job("running", Duration.ZERO, hours(5), 1, 8);
    job("short", Duration.ofMinutes(20), Duration.ofMinutes(5), 1, 8);
    assertThat(job(run(1, Order.SHORTEST_GANG, true), "short").waited()).isLessThan(hours(1));
    assertThat(job(run(1, Order.SHORTEST_GANG, false), "short").waited()).isGreaterThan(hours(4));
  }

  @Test
  void aJobThatEmptyNodesCouldNotHoldIsCountedAndDisturbsNobody() {
    job("huge", Duration.ZERO, hours(1), 3, 8);
    job("fits", hours(1), hours(1), 2, 8);
    var result = run(2, Order.PRIORITY);
    assertThat(result.impossible()).isEqualTo(1);
    assertThat(result.unfinished()).isZero();
    assertThat(job(result, "fits").waited()).isZero();
  }

  @Test
  void theSameInputGivesTheSameResult() {
    var trace = new Synthetic(300, 64, 1.5, 7, 0).trace();
    for (var order : Order.values()) {
      var setup =
          PolicyNames.setup(PolicyNames.oneQueue(order), PolicyNames.NO_AGEING, COSTS, true);
      var first = new Simulation(trace, setup, _ -> {}).run("one");
      assertThat(new Simulation(trace, setup, _ -> {}).run("one")).isEqualTo(first);
      assertThat(first.finished()).hasSize(300);
      assertThat(first.incompleteGpuSeconds()).isZero();
    }
  }

  @Test
  void wherePlacesAreGivenAsKubeSchedulerAsksAllEndAndNobodyStartsInPart() {
    var trace = new Synthetic(200, 64, 1.3, 7, 0).trace();
    for (var order : Order.values()) {
      var setup =
          PolicyNames.setup(PolicyNames.oneQueue(order), PolicyNames.NO_AGEING, COSTS, true)
              .placing(PlacementMode.EXTENDER);
      var result = new Simulation(trace, setup, _ -> {}).run("one");
      assertThat(result.finished()).hasSize(200);
      assertThat(result.incompleteGpuSeconds()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(PlacementMode.class)
  void startsAreToldInTheirOrderWithTheNodes(PlacementMode mode) {
    job("a", Duration.ZERO, hours(1), 2, 8);
    job("b", Duration.ofMinutes(1), hours(1), 3, 4);
    var trace = new Trace("by hand", Machine.alike(2, 8), jobs, List.of());
    var setup =
        PolicyNames.setup(PolicyNames.oneQueue(Order.PRIORITY), PolicyNames.NO_AGEING, COSTS, true)
            .placing(mode);
    var simulation = new Simulation(trace, setup, _ -> {});
    var starts = new ArrayList<JobStart>();
    simulation.onStart(starts::add);
    simulation.run("test");
    assertThat(starts)
        .containsExactly(
            new JobStart("a", Duration.ZERO, List.of("node-00000", "node-00001")),
            new JobStart("b", hours(1), List.of("node-00000", "node-00000", "node-00001")));
  }

  @Test
  void workIsNeitherLostNorMade() {
    var trace = new Synthetic(300, 64, 1.5, 8, 0).trace();
    var setup =
        PolicyNames.setup(
            PolicyNames.oneQueue(Order.SHORTEST_GANG), PolicyNames.NO_AGEING, COSTS, true);
    var result = new Simulation(trace, setup, _ -> {}).run("one");
    double asked =
        trace.jobs().stream()
            .mapToDouble(job -> job.gpus() * job.duration().toMillis() / 1e3)
            .sum();
    double grace = 0;
    double restarts = 0;
    for (var job : result.finished()) {
      grace += job.preemptions() * job.gpus() * 30.0;
      restarts += job.preemptions() * job.gpus() * 60.0;
    }
    assertThat(result.preemptions()).isPositive();
    // A restart that was itself cut short is in the waste.
    assertThat(result.usedGpuSeconds())
        .isBetween(asked + grace, asked + grace + restarts + result.wastedGpuSeconds());
  }

  @Test
  void twoJobsOfOneNameAreRefused() {
    job("a", Duration.ZERO, hours(1), 1, 1);
    job("a", Duration.ZERO, hours(1), 1, 1);
    assertThatThrownBy(() -> run(1, Order.PRIORITY)).hasMessage("job a is there twice");
  }

  @Test
  void partsOfOneGangMayDiffer() {
    jobs.add(
        new TraceJob(
            "mixed",
            "team",
            "",
            0,
            Duration.ZERO,
            hours(1),
            List.of(
                new TraceJob.Part("master", 1, 4000, 1024, 0, Set.of()),
                new TraceJob.Part("worker", 2, 1000, 1024, 8, Set.of()))));
    var result = run(2, Order.PRIORITY);
    assertThat(job(result, "mixed").completion()).isEqualTo(hours(1));
    assertThat(result.usedGpuSeconds()).isEqualTo(3600.0 * 16);
  }
}
