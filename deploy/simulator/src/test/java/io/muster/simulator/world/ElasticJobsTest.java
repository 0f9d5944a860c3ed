package io.muster.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.muster.controller.core.elastic.ByTerms;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Speed;
import io.muster.simulator.world.cluster.Synthetic;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs that grow and give back in a replay; a replay fails if a node or a minimum is passed. */
@Tag("slow")
final class ElasticJobsTest {

  private static final Duration AGEING = Waiting.DEFAULT.ageing();

  private final List<TraceJob> jobs = new ArrayList<>();

  private void gang(String id, long submit, long duration, int pods, int priority) {
    jobs.add(job(id, submit, duration, pods, priority, Optional.empty()));
  }

  private void elastic(String id, long submit, long duration, int least, int most, double serial) {
    var growth = new TraceJob.Elastic(0, most, new Speed(serial));
    jobs.add(job(id, submit, duration, least, 0, Optional.of(growth)));
  }

  /** Pods of 8 GPUs; times in seconds. */
  private static TraceJob job(
      String id,
      long submit,
      long duration,
      int pods,
      int priority,
      Optional<TraceJob.Elastic> elastic) {
    return new TraceJob(
        id,
        "team",
        "",
        priority,
        Duration.ofSeconds(submit),
        Duration.ofSeconds(duration),
        List.of(new TraceJob.Part("", pods, 1000, 1024, 8, Set.of())),
        elastic);
  }

  private Result run(int nodes, Queues queues, Supplier<Elasticity> policy) {
    var trace = new Trace("by hand", Machine.alike(nodes, 8), jobs, List.of());
    var setup = PolicyNames.setup(queues, AGEING, Costs.DEFAULT, true).sizedBy(policy);
    return new Simulation(trace, setup, _ -> {}).run("test");
  }

  private Result run(int nodes) {
    return run(nodes, Queues.NONE, PolicyNames::wholeGangsFirst);
  }

  private static Result.Finished job(Result result, String id) {
    return result.finished().stream().filter(job -> job.id().equals(id)).findFirst().orElseThrow();
  }

  /** Seconds as whole milliseconds: a job ends in the first in which it is done. */
  private static Duration millis(double seconds) {
    return Duration.ofMillis((long) Math.ceil(seconds * 1000));
  }

  /** Devices that are used around that time. */
  private static double usedAt(Result result, long seconds) {
    return result.samples().stream()
        .filter(sample -> sample.at().toSeconds() >= seconds + 60)
        .findFirst()
        .orElseThrow()
        .used();
  }

  @Test
  void anElasticJobFillsAnIdleClusterGivesWayToAGangAndGrowsBack() {
    elastic("a", 0, 36_000, 2, 8, 0);
    gang("b", 3_600, 1_800, 4, 0);
    var result = run(8);
    assertThat(usedAt(result, 60)).isEqualTo(64);
    // It is found within five seconds that the gang waits, and what is given back ends in thirty.
    assertThat(job(result, "b").waited()).isEqualTo(Duration.ofSeconds(35));
    assertThat(job(result, "b").completion()).isEqualTo(Duration.ofSeconds(1_835));
    // With 2, 8, 4 and again 8 pods, a minute of standing still before each but the first.
    double left = 36_000 - 5 - 3_540 * 4 - 1_775 * 2;
    assertThat(job(result, "a").completion()).isEqualTo(millis(5_500 + left / 4));
    assertThat(result.resizes()).isEqualTo(3);
    assertThat(result.preemptions()).isZero();
    assertThat(result.incompleteGpuSeconds()).isZero();
    assertThat(result.wastedGpuSeconds()).isCloseTo(60 * (64 + 32 + 64), within(1e-6));
  }

  @Test
  void growthIsWorthWhatTheCurveSays() {
    elastic("half", 0, 7_200, 1, 4, 0.5);
    var result = run(4);
    // One pod does 1 and four do 1.6 times as much.
    assertThat(job(result, "half").completion()).isEqualTo(millis(65 + 7_195 / 1.6));
  }

  @Test
  void aJobAtItsLeastIsEndedForHigherPriorityAndGrowsAgainInItsNextLife() {
    elastic("low", 0, 36_000, 2, 4, 0);
    gang("high", 3_600, 1_800, 3, 100);
    var result = run(4);
    assertThat(job(result, "high").waited()).isLessThan(Duration.ofMinutes(3));
    assertThat(job(result, "low").preemptions()).isEqualTo(1);
    assertThat(result.resizes()).isEqualTo(2);
    // Less than ten minutes of work are done again, by four pods.
    double undisturbed = 65 + (36_000 - 5) / 2.0;
    assertThat(job(result, "low").completion().toMillis() / 1e3)
        .isBetween(undisturbed + 1_800, undisturbed + 1_800 + 180 + 600 + 200);
  }

  @Test
  void aJobGrowsNoFurtherThanItsQueueMay() {
    elastic("a", 0, 3_600, 1, 8, 0);
    var limited =
        new Queue(
            Queues.DEFAULT,
            1,
            Optional.empty(),
            Optional.of(24L),
            Order.PRIORITY,
            true,
            Optional.empty(),
            Set.of());
    var result = run(8, new Queues(List.of(limited)), PolicyNames::wholeGangsFirst);
    assertThat(usedAt(result, 60)).isEqualTo(24);
    assertThat(job(result, "a").completion()).isEqualTo(millis(65 + 3_595 / 3.0));
  }

  @Test
  void equalJobsEndUpWithinTwoPodsOfEachOther() {
    elastic("first", 0, 72_000, 1, 8, 0);
    elastic("second", 1_800, 72_000, 1, 8, 0);
    var result = run(8);
    // After half an hour with 8 pods five are left to it, and nobody has more than two more.
    assertThat(job(result, "first").completion())
        .isBetween(Duration.ofMinutes(220), Duration.ofMinutes(235));
    assertThat(job(result, "second").completion())
        .isBetween(Duration.ofMinutes(265), Duration.ofMinutes(290));
    assertThat(usedAt(result, 7_200)).isEqualTo(64);
  }

  @Test
  void withoutAPolicyJobsKeepTheirSizes() {
    elastic("a", 0, 3_600, 1, 8, 0);
    var result = run(8, Queues.NONE, ByTerms::withoutSharing);
    assertThat(job(result, "a").completion()).isEqualTo(Duration.ofHours(1));
    assertThat(result.resizes()).isZero();
  }

  @Test
  void aTraceOfJobsThatKeepTheirSizesComesOutTheSameUnderEveryPolicy() {
    var trace = new Synthetic(150, 64, 1.1, 5, 0).trace();
    for (var order : Order.values()) {
      var off =
          PolicyNames.setup(PolicyNames.oneQueue(order), AGEING, Costs.DEFAULT, true)
              .sizedBy(ByTerms::withoutSharing);
      var expected = new Simulation(trace, off, _ -> {}).run("one");
      for (var policy :
          List.<Supplier<Elasticity>>of(PolicyNames::wholeGangsFirst, PolicyNames::loadOfTheCpu)) {
        assertThat(new Simulation(trace, off.sizedBy(policy), _ -> {}).run("one"))
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void workIsNeitherLostNorMadeWhileSizesChange() {
    var trace = new Synthetic(300, 64, 0.3, 9, 0.7).trace();
    var costs =
        new Costs(
            Duration.ofSeconds(60), Duration.ofMinutes(10), Duration.ZERO, Duration.ofSeconds(60));
    var setup = PolicyNames.setup(Queues.NONE, AGEING, costs, true);
    var result = new Simulation(trace, setup, _ -> {}).run("one");
    double asked =
        trace.jobs().stream()
            .mapToDouble(job -> job.gpus() * job.duration().toMillis() / 1e3)
            .sum();
    assertThat(result.finished()).hasSize(300);
    assertThat(result.resizes()).isGreaterThan(100);
    assertThat(result.preemptions()).isZero();
    assertThat(result.incompleteGpuSeconds()).isZero();
    assertThat(result.usedGpuSeconds())
        .isCloseTo(asked + result.wastedGpuSeconds(), within(asked / 100_000));
  }

  @Test
  void theSameInputGivesTheSameResult() {
    var trace = new Synthetic(100, 64, 1.1, 7, 0.5).trace();
    for (var order : Order.values()) {
      var setup =
          PolicyNames.setup(
              PolicyNames.oneQueue(order), PolicyNames.NO_AGEING, Costs.DEFAULT, true);
      var first = new Simulation(trace, setup, _ -> {}).run("one");
      assertThat(new Simulation(trace, setup, _ -> {}).run("one")).isEqualTo(first);
      assertThat(first.finished()).hasSize(100);
      assertThat(first.resizes()).isPositive();
      assertThat(first.incompleteGpuSeconds()).isZero();
    }
  }
}
