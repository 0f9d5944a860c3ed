package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Observed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often lost workers are recreated. */
final class JobBudgetTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final JobSimulation cluster = new JobSimulation();

  @BeforeEach
  void aJobOfTwoThatReplacesThreeAnHour() {
    cluster.replacement = Replacement.ALWAYS;
    cluster.replacementsAnHour = 3;
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  private void untilTheBudgetIsSpent() {
    for (int index = 1; index <= 4; index++) {
      cluster.end("j-worker-" + index, 1);
      cluster.run(10);
    }
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
  }

  private Instant firstReplacedAt() {
    return cluster.state.replacedAt().get("worker").getFirst();
  }

  private void runUntil(Instant moment) {
    cluster.run((int) Duration.between(cluster.now, moment).toSeconds());
  }

  private long created() {
    return cluster.journal.stream().filter(line -> line.contains("Create[role=worker")).count();
  }

  @Test
  void aWorkerThatCrashesOverAndOverIsReplacedOnlySoOften() {
    untilTheBudgetIsSpent();
    assertThat(created()).isEqualTo(2 + 3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.hosts).containsExactly("j-worker-0");
    assertThat(cluster.news)
        .contains(new News.BudgetSpent("worker", 3, Optional.of(firstReplacedAt().plus(HOUR))));
    cluster.run(600);
    assertThat(created()).isEqualTo(2 + 3);
  }

  @Test
  void theNextOneIsReplacedAnHourAfterTheFirstWas() {
    untilTheBudgetIsSpent();
    var first = firstReplacedAt();
    runUntil(first.plus(HOUR).minusSeconds(1));
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    cluster.run(4);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-5");
    assertThat(cluster.state.replacedAt().get("worker")).hasSize(3).doesNotContain(first);
    cluster.end("j-worker-5", 1);
    cluster.run(4);
    assertThat(cluster.upWorkers()).as("ten seconds later the second one was").hasSize(1);
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-6");
  }

  @Test
  void somebodyLooksAgainWhenTheWindowAllows() {
    untilTheBudgetIsSpent();
    var outcome =
        JobEngine.reconcile(
            cluster.job(),
            cluster.state,
            List.of(),
            new Observed(
                cluster.pods.values().stream().map(JobSimulation.SimulatedPod::seen).toList(),
                Optional.of(List.of("j-worker-0")),
                Map.of(),
                Optional.empty(),
                Map.of(),
                List.of(),
                Map.of()),
            cluster.now);
    assertThat(outcome.again())
        .contains(Duration.between(cluster.now, firstReplacedAt().plus(HOUR)));
  }

  @Test
  void aControllerThatStartsAgainKnowsWhatWasSpent() {
    cluster.end("j-worker-1", 1);
    cluster.run(10);
    cluster.end("j-worker-2", 1);
    cluster.killAfter = 1;
    cluster.run(10);
    cluster.end("j-worker-3", 1);
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-4");
    cluster.killAfter = 0;
    cluster.end("j-worker-4", 1);
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(created()).isEqualTo(2 + 3);
  }

  @Test
  void aJobThatStartsAgainAsAWholeHasNoNewBudget() {
    cluster.run = JobSimulation.policy(1, RunPolicy.CleanUp.ALL);
    untilTheBudgetIsSpent();
    cluster.end("j-launcher", 1);
    cluster.run(15);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-1");
    cluster.end("j-worker-1", 1);
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
  }

  @Test
  void withoutABudgetNobodyIsReplaced() {
    cluster.replacementsAnHour = 0;
    cluster.end("j-worker-1", 1);
    cluster.run(7200);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.news).contains(new News.BudgetSpent("worker", 0, Optional.empty()));
  }

  @Test
  void aBudgetThatIsLoweredCountsWhatWasSpentBefore() {
    untilTheBudgetIsSpent();
    var second = cluster.state.replacedAt().get("worker").get(1);
    cluster.replacementsAnHour = 2;
    runUntil(second.plus(HOUR).minusSeconds(1));
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-5");
  }

  @Test
  void aWorkerThatIsLostBeforeTheJobRunsFailsItIfNothingIsLeft() {
    var starting = new JobSimulation();
    starting.replacement = Replacement.ALWAYS;
    starting.replacementsAnHour = 1;
    starting.free = 0;
    starting.run(2);
    starting.end("j-worker-0", 1);
    starting.run(2);
    assertThat(starting.state.phase()).isEqualTo(Phase.STARTING);
    starting.end("j-worker-2", 1);
    starting.run(2);
    assertThat(starting.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(starting.news).anyMatch(News.BudgetSpent.class::isInstance);
  }
}
