package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** All workers of a job have come by scale-outs, each with a gang of its own, and some are lost. */
final class FirstGangGoneTest {

  private final JobSimulation cluster = new JobSimulation();

  @BeforeEach
  void nobodyIsLeftOfThoseWithWhomItBegan() {
    cluster.range = new Role.Range(3, 1, 9);
    cluster.replacement = Replacement.ALWAYS;
    cluster.run(5);
    cluster.ask("out", new Change.Add(3));
    cluster.run(10);
    cluster.ask("in", new Change.RemoveNamed(List.of("j-worker-0", "j-worker-1", "j-worker-2")));
    cluster.run(20);
    assertThat(cluster.stage("in")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-3", "j-worker-4", "j-worker-5");
  }

  /** Its node was drained, say: as one of a gang of three it would wait for two who never come. */
  @Test
  void theLauncherStartsAlone() {
    cluster.vanish("j-launcher");
    cluster.run(5);

    assertThat(cluster.pod("j-launcher").gangSize).isEqualTo(1);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void whoIsMadeInPlaceOfLostOnesStartsWithAsManyAsThereAre() {
    cluster.vanish("j-launcher");
    cluster.vanish("j-worker-3");
    cluster.vanish("j-worker-4");
    cluster.run(10);

    assertThat(cluster.upWorkers()).hasSize(3);
    assertThat(cluster.pods.values())
        .filteredOn(pod -> pod.role.equals("worker") && pod.resize.isEmpty())
        .extracting(pod -> pod.gangSize)
        .containsExactly(2, 2);
  }

  /** While the launcher runs, the gang goes on, and they are placed one by one. */
  @Test
  void theyAreSaidToBeOfTheFirstGangWhileSomebodyOfThatHasAPlace() {
    cluster.vanish("j-worker-3");
    cluster.run(5);

    assertThat(cluster.pods.values())
        .filteredOn(pod -> pod.role.equals("worker") && pod.resize.isEmpty())
        .extracting(pod -> pod.gangSize)
        .containsExactly(3);
  }
}
