package io.muster.simulator.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.muster.simulator.trace.BundledTraces;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReferenceRunTest {

  private final List<TraceJob> jobs = new ArrayList<>();

  private void job(int submitHours, int hours, int gpus) {
    jobs.add(
        new TraceJob(
            "j" + jobs.size(),
            "t",
            "",
            0,
            Duration.ofHours(submitHours),
            Duration.ofHours(hours),
            List.of(new TraceJob.Part("", 1, 0, 0, gpus, Set.of()))));
  }

  private ReferenceRun.Outcome run(Policy policy, Costs costs) {
    var trace = new Trace("t", Machine.alike(1, 8), jobs, List.of());
    return new ReferenceRun(trace, policy, costs).run();
  }

  @Test
  void theShortestServicePassesAndEndsOthers() {
    job(0, 10, 8);
    job(1, 2, 8);
    var outcome = run(new Policy.ShortestService(), Costs.FREE);
    assertThat(outcome.preemptions()).isEqualTo(1);
    assertThat(outcome.meanCompletionHours()).isEqualTo((12 + 2) / 2.0);
  }

  @Test
  void whoGivesWayLosesWhatWasNotSavedAndStartsAgain() {
    job(0, 10, 8);
    job(1, 2, 8);
    var costs =
        new Costs(Duration.ofMinutes(6), Duration.ofMinutes(40), Duration.ZERO, Duration.ZERO);
    // 40 of 60 minutes are saved, and the restart takes 6.
    assertThat(run(new Policy.ShortestService(), costs).makespanHours())
        .isCloseTo(12 + 26 / 60.0, within(1e-9));
  }

  @Test
  void inAFixedLineNobodyPasses() {
    job(0, 10, 6);
    job(1, 2, 8);
    job(2, 1, 2);
    assertThat(run(new Policy.Fifo(), Costs.FREE).meanCompletionHours())
        .isEqualTo((10 + 11 + 11) / 3.0);
  }

  @Test
  void whoPassesAThresholdGivesWayToWhoHasNot() {
    job(0, 4, 8);
    job(0, 4, 8);
    var policy = new Policy.LeastAttained(List.of(8 * 3600L));
    // The first runs an hour, then the second one; above the threshold the first goes on.
    assertThat(run(policy, Costs.FREE).meanCompletionHours()).isEqualTo((5 + 8) / 2.0);
  }

  /** Published with Muri (SIGCOMM 2022): mean completion in hours on 64 GPUs. */
  @ParameterizedTest
  @CsvSource({"1, 272", "2, 615", "3, 51", "4, 135"})
  void comesNearToWhatIsPublishedOfIt(int trace, double hours) {
    var outcome =
        new ReferenceRun(BundledTraces.philly(trace), new Policy.ShortestService(), Costs.FREE)
            .run();
    assertThat(outcome.meanCompletionHours()).isBetween(0.9 * hours, 1.1 * hours);
  }
}
