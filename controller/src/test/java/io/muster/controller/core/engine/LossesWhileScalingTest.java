package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A member is lost while the role becomes larger: who takes its place is none of the new ones. */
final class LossesWhileScalingTest {

  private final JobSimulation cluster = new JobSimulation();

  @BeforeEach
  void aScaleOutWaits() {
    cluster.replacement = Replacement.ALWAYS;
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    cluster.free = 0;
    cluster.ask("out", new Change.Add(2));
    cluster.run(3);
    cluster.vanish("j-worker-1");
    cluster.run(3);
  }

  @Test
  void theJobHasAsManyMoreAsWereAskedFor() {
    cluster.free = 100;
    cluster.run(10);

    assertThat(cluster.stage("out")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).hasSize(4);
  }

  @Test
  void itHasAsManyAsBeforeWhereTheyDoNotComeInTime() {
    assertThat(cluster.upWorkers()).as("in the place of the lost one").hasSize(2);

    cluster.run(70);

    assertThat(cluster.stage("out")).isEqualTo(Stage.FAILED);
    assertThat(cluster.upWorkers()).hasSize(2);
    assertThat(cluster.pods.keySet()).as("those of the ScaleOut are gone").hasSize(3);
    assertThat(cluster.hosts).isEqualTo(cluster.upWorkers()).isNotEqualTo(List.of());
  }
}
