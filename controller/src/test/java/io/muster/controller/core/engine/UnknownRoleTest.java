package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState.Phase;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pod of a role that the job no longer has. */
final class UnknownRoleTest {

  @ParameterizedTest
  @EnumSource(CleanUp.class)
  void doesNotKeepItsJobFromEnding(CleanUp cleanUp) {
    var cluster = new JobSimulation();
    cluster.run = JobSimulation.policy(0, cleanUp);
    cluster.run(5);
    var made = new Action.Create("evaluator", 0, "j-evaluator-0", 1, Optional.empty(), 0, 0);
    cluster.pods.put("j-evaluator-0", new JobSimulation.SimulatedPod(made, "e", cluster.now));
    cluster.end("j-launcher", 0);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods.containsKey("j-evaluator-0")).isEqualTo(cleanUp == CleanUp.NOTHING);
  }
}
