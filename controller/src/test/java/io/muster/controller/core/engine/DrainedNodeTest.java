package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A node is drained on which all workers of a job are: they are taken away, and evicted as well.
 */
final class DrainedNodeTest {

  @Test
  void whatTakesAwaySomebodyWhoIsGoneWaitsForNobody() {
    var cluster = new JobSimulation();
    cluster.run(5);
    cluster.leaving.put("n1", cluster.now.plus(Duration.ofMinutes(2)));
    cluster.run(1);
    cluster.vanish("j-worker-0");
    cluster.vanish("j-worker-1");
    cluster.leaving.clear();
    cluster.run(10);

    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.resizes.values())
        .as("removals have ended, and those that went are regained")
        .allMatch(resize -> resize.stage().isEnd());
    assertThat(cluster.upWorkers()).isNotEmpty().doesNotContain("j-worker-0", "j-worker-1");
  }

  @Test
  void allComeBackWhoWereEvictedWithTheLast() {
    var cluster = new JobSimulation();
    cluster.run(5);
    cluster.leaving.put("n1", cluster.now.plus(Duration.ofMinutes(2)));
    for (var name : List.of("j-worker-0", "j-worker-1")) {
      cluster.pod(name).deleting = true;
      cluster.pod(name).isStuck = true;
    }
    cluster.run(5);
    cluster.vanish("j-worker-0");
    cluster.vanish("j-worker-1");
    cluster.leaving.clear();
    cluster.run(10);

    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.upWorkers()).hasSize(2);
    assertThat(cluster.hosts).isEqualTo(cluster.upWorkers());
  }

  /** The master is none of their gang, so that nobody of it is left. */
  @Test
  void whoIsMadeInPlaceOfTheLastOfTheFirstGangDoesNotWaitForThoseOfPlans() {
    var cluster = new RankedCluster();
    cluster.replicas = 2;
    cluster.run(5);
    cluster.ask("out", new Change.Add(1));
    cluster.run(5);
    cluster.ask("in", new Change.RemoveNamed(List.of("j-worker-1")));
    cluster.run(10);
    assertThat(cluster.resizes.get("in").stage()).isEqualTo(Stage.SUCCEEDED);
    cluster.pods.remove("j-worker-0");
    cluster.run(5);

    assertThat(cluster.running()).containsOnlyKeys("j-worker-2", "j-worker-3");
    assertThat(cluster.pods.get("j-worker-3").made.gangSize()).isEqualTo(1);
  }
}
