package io.muster.controller.core.elastic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.muster.controller.core.elastic.CapacityOracle.Amounts;
import io.muster.controller.core.elastic.EdlRule.Cluster;
import io.muster.controller.core.elastic.EdlRule.Job;
import io.muster.controller.core.elastic.EdlRule.Nodes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rule of EDL decides as its users know it, but for what was at fault. */
final class EdlRuleTest {

  private static final Nodes ROOMY = _ -> true;
  private static final Nodes NONE = _ -> false;

  private static Cluster cluster(
      long cpuAsked, long cpu, long memoryAsked, long memory, long gpusAsked, long gpus) {
    return new Cluster(
        new Amounts(cpu, memory, gpus), new Amounts(cpuAsked, memoryAsked, gpusAsked), 1.0);
  }

  private static Cluster under(double load, Cluster of) {
    return new Cluster(of.offered(), of.asked(), load);
  }

  private static Job job(long cpu, long memory, long gpus, int least, int most, int size) {
    return new Job("j", size, least, most, new Amounts(cpu, memory, gpus));
  }

  private static Map<String, Integer> plan(Job job, Cluster cluster) {
    return EdlRule.plan(List.of(job), cluster, ROOMY);
  }

  @Test
  void aJobThatHasAllItMayHaveDoesNotGrow() {
    assertThat(EdlRule.up(job(1, 1, 0, 1, 2, 2), 0, cluster(0, 2000, 0, 1000, 0, 0), ROOMY))
        .isZero();
  }

  @Test
  void aJobGrowsWhereThereIsCpuAndNotWhereThereIsNone() {
    var job = job(1, 105, 0, 1, 3, 1);
    assertThat(EdlRule.up(job, 0, cluster(100, 3000, 100, 1000, 0, 0), ROOMY)).isEqualTo(1);
    assertThat(EdlRule.up(job, 0, cluster(1000, 1000, 100, 1000, 0, 0), ROOMY)).isZero();
    assertThat(EdlRule.up(job, 0, cluster(100, 3000, 100, 1000, 0, 0), NONE)).isZero();
  }

  @Test
  void gpusAreUsedToTheLast() {
    var job = job(1, 10, 1, 1, 3, 1);
    assertThat(EdlRule.up(job, 0, cluster(0, 2000, 100, 1000, 0, 10), ROOMY)).isEqualTo(1);
    assertThat(EdlRule.down(job, 0, cluster(0, 2000, 100, 1000, 0, 10))).isZero();
    assertThat(EdlRule.up(job, 0, cluster(0, 2000, 100, 1000, 10, 10), ROOMY)).isZero();
  }

  @Test
  void aJobAboveItsMostComesDownToIt() {
    var job = job(1, 10, 0, 1, 3, 6);
    var full = cluster(1000, 1000, 1000, 1000, 10, 10);
    assertThat(IntStream.of(0, -1, -2, -3).map(change -> EdlRule.down(job, change, full)))
        .containsExactly(-1, -1, -1, 0);
  }

  @Test
  void aJobComesDownToItsLeastWhileTooMuchIsAskedFor() {
    var job = job(1, 10, 0, 1, 3, 3);
    var over = cluster(5000, 3000, 1000, 1000, 10, 10);
    assertThat(IntStream.of(0, -1, -2).map(change -> EdlRule.down(job, change, over)))
        .containsExactly(-1, -1, 0);
    var twice = cluster(2000, 1000, 1000, 1000, 10, 10);
    assertThat(EdlRule.down(job, 0, twice)).isEqualTo(-1);
    assertThat(EdlRule.up(job, 0, twice, ROOMY)).isZero();
  }

  @Test
  void withoutMemoryNobodyGrows() {
    var job = job(1, 105, 0, 1, 3, 1);
    var full = cluster(1000, 1000, 1000, 1000, 0, 0);
    assertThat(EdlRule.up(job, 0, full, ROOMY)).isZero();
    assertThat(plan(job, full)).isEmpty();
  }

  @Test
  void aWholePlanEndsJustBelowTheLimit() {
    assertThat(plan(job(1, 105, 0, 1, 3, 1), cluster(1000, 4000, 100, 1000, 8, 10)))
        .containsExactly(Map.entry("j", 2));
    assertThat(plan(job(1000, 105, 0, 1, 3, 1), under(0.8, cluster(1000, 3000, 100, 1000, 0, 10))))
        .containsExactly(Map.entry("j", 1));
    assertThat(plan(job(1000, 105, 0, 1, 3, 3), under(0.8, cluster(3000, 3000, 100, 1000, 0, 10))))
        .containsExactly(Map.entry("j", -1));
    assertThat(plan(job(1000, 1, 1, 1, 3, 1), cluster(2000, 3000, 100, 1000, 8, 10)))
        .containsExactly(Map.entry("j", 1));
    assertThat(plan(job(1, 1, 1, 1, 3, 1), cluster(990, 2000, 100, 1000, 9, 10)))
        .containsExactly(Map.entry("j", 1));
  }

  @Test
  void thePoorestGoesFirstByHowMuchOfItsWayItHasGone() {
    var a = new Job("a", 2, 1, 2, new Amounts(1, 1, 0));
    var b = new Job("b", 2, 1, 20, new Amounts(1, 1, 0));
    var c = new Job("c", 2, 1, 10, new Amounts(1, 1, 0));
    assertThat(List.of(a, b, c).stream().sorted(EdlRule.order()).map(Job::key))
        .containsExactly("b", "c", "a");
  }

  @Test
  void ofEqualsTheSmallestGoesFirst() {
    var a = new Job("a", 1, 1, 2, new Amounts(0, 0, 1));
    var b = new Job("b", 1, 1, 2, new Amounts(1, 1, 0));
    var c = new Job("c", 1, 1, 2, new Amounts(10, 0, 0));
    var d = new Job("d", 1, 1, 2, new Amounts(1, 2, 0));
    assertThat(List.of(a, b, c, d).stream().sorted(EdlRule.order()).map(Job::key))
        .containsExactly("b", "d", "c", "a");
  }

  /**
   * EDL's tutorial: 10 CPUs, 1.84 of them asked for by others, each job 1.6 beside its trainers of
   * 0.2, from 2 to 10. There the second job stayed at 8; it has room for 9 under the load of 0.9.
   */
  @Test
  void theTutorialsThreeJobsShareElevenTrainers() {
    var sizes = new TreeMap<String, Integer>();

    sizes.put("example", 2);
    settle(sizes);
    assertThat(sizes).containsExactly(Map.entry("example", 10));

    sizes.put("example1", 2);
    settle(sizes);
    assertThat(sizes).containsExactly(Map.entry("example", 10), Map.entry("example1", 9));

    sizes.put("example2", 2);
    settle(sizes);
    assertThat(sizes.values()).allMatch(size -> size >= 2);
    assertThat(sizes.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(11);
    assertThat(tutorialAsks(sizes)).isEqualTo(8_840).isLessThanOrEqualTo(9_000);
  }

  private static void settle(Map<String, Integer> sizes) {
    for (int look = 0; look < 3; look++) {
      var jobs =
          sizes.entrySet().stream()
              .map(job -> new Job(job.getKey(), job.getValue(), 2, 10, new Amounts(200, 1, 0)))
              .toList();
      var cluster = under(0.9, cluster(tutorialAsks(sizes), 10_000, 1, 1_000_000, 0, 0));
      EdlRule.plan(jobs, cluster, ROOMY)
          .forEach((job, change) -> sizes.merge(job, change, Integer::sum));
    }
  }

  private static long tutorialAsks(Map<String, Integer> sizes) {
    return 1_840 + sizes.values().stream().mapToLong(trainers -> 1_600 + 200L * trainers).sum();
  }

  @Test
  void aLoadBelowOneDoesNotKeepTheLastGpuGoingToAndFro() {
    for (int gpus : new int[] {8, 10, 16, 32, 100, 400}) {
      var job = new Job("j", 1, 1, gpus, new Amounts(1, 1, 1));
      var cluster = under(0.97, cluster(1, 1_000_000, 1, 1_000_000, 1, gpus));
      org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () ->
              assertThat(EdlRule.plan(List.of(job), cluster, ROOMY))
                  .containsExactly(Map.entry("j", gpus - 1)));
    }
  }

  @Test
  void fulfilmentIsWholeWhereThereIsNothingToChoose() {
    assertThat(job(1, 1, 0, 2, 2, 2).fulfilment()).isCloseTo(1, within(0.0));
  }
}
