package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job that begins with fewer workers than it wants. */
final class JobStartAtMinTest {

  private static final List<String> BOTH = List.of("j-worker-0", "j-worker-1");
  private static final String REST = "Scale:ml/j-to-4-1";

  private final JobSimulation cluster = new JobSimulation();

  JobStartAtMinTest() {
    cluster.range = new Role.Range(2, 4, 1, 9);
  }

  @Test
  void itsLauncherStartsWithTheFirstAndTheRestJoins() {
    cluster.free = 2;
    cluster.run(5);
    assertThat(cluster.state.phase()).isIn(Phase.RUNNING, Phase.SCALING);
    assertThat(cluster.pod("j-worker-1").gangSize).isEqualTo(2);
    assertThat(cluster.hosts).isEqualTo(BOTH);
    assertThat(cluster.news).contains(new News.Up("worker", 2), new News.Running());

    cluster.free = 2;
    cluster.run(10);
    assertThat(cluster.stage(REST)).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.pod("j-worker-2").gangSize).isEqualTo(2);
    assertThat(cluster.hosts)
        .containsExactly("j-worker-0", "j-worker-1", "j-worker-2", "j-worker-3");
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.trainingBroke).isFalse();
  }

  @Test
  void theRestIsAskedForOnce() {
    cluster.free = 3;
    cluster.run(600);
    assertThat(cluster.stage(REST)).isEqualTo(Stage.FAILED);
    assertThat(cluster.resizes).hasSize(1);
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void itWaitsWhileNotEvenTheFirstFit() {
    cluster.free = 1;
    cluster.run(30);
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    assertThat(cluster.upWorkers()).isEmpty();
    assertThat(cluster.resizes).isEmpty();
  }

  @Test
  void whatIsScaledLaterHoldsAsEver() {
    cluster.run(20);
    assertThat(cluster.upWorkers()).hasSize(4);
    cluster.range = new Role.Range(2, 3, 1, 9);
    cluster.generation = 2;
    cluster.run(20);
    assertThat(cluster.upWorkers()).hasSize(3);
    cluster.ask("in", new Change.Remove(1));
    cluster.run(60);
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
  }

  @Test
  void startedAgainAsAWholeItAsksForTheRestAgain() {
    cluster.run = JobSimulation.policy(3, RunPolicy.CleanUp.ALL);
    cluster.run(20);
    assertThat(cluster.upWorkers()).hasSize(4);
    for (int killAfter = 0; killAfter < 30; killAfter++) {
      var again = new JobSimulation();
      again.range = cluster.range;
      again.run = cluster.run;
      again.run(20);
      again.end("j-launcher", 1);
      again.killAfter = killAfter;
      again.run(60);
      assertThat(again.state.restarts()).isEqualTo(1);
      assertThat(again.upWorkers()).as("killed after %d writes", killAfter).hasSize(4);
      assertThat(again.stage(REST)).isEqualTo(Stage.SUCCEEDED);
      assertThat(again.trainingBroke).isFalse();
    }
  }
}
