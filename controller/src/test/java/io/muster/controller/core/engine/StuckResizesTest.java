package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Resizes that the job cannot be told of: they end, and do not stand in the way of others. */
final class StuckResizesTest {

  private final JobSimulation cluster = new JobSimulation();

  @BeforeEach
  void theJobRuns() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aScaleOutFailsAfterTenMinutes() {
    cluster.isDeaf = true;
    cluster.ask("out", new Change.Add(1));
    cluster.run(590);
    assertThat(cluster.stage("out")).isEqualTo(Stage.SCALING);
    cluster.run(15);
    assertThat(cluster.news).contains(new News.ResizeFailed("out", new ResizeFault.Untold()));
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);

    cluster.isDeaf = false;
    cluster.ask("next", new Change.Add(1));
    cluster.run(10);
    assertThat(cluster.stage("next")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).as("those of the first are deleted").hasSize(3);
  }

  @Test
  void aScaleInFailsAfterTenMinutesAndDeletesNobody() {
    cluster.isDeaf = true;
    cluster.ask("in", new Change.Remove(1));
    cluster.run(590);
    assertThat(cluster.stage("in")).isEqualTo(Stage.SCALING);
    cluster.run(15);
    assertThat(cluster.news).contains(new News.ResizeFailed("in", new ResizeFault.Untold()));
    assertThat(cluster.upWorkers()).hasSize(2);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aScaleInOfTheOnlyWorkerThatRunsIsRefused() {
    cluster.end("j-worker-0", 1);
    cluster.run(2);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-1");
    cluster.ask("in", new Change.RemoveNamed(List.of("j-worker-1")));
    cluster.ask("out", new Change.Add(1));
    cluster.run(10);
    assertThat(cluster.news).contains(new News.ResizeFailed("in", new ResizeFault.NobodyLeft(1)));
    assertThat(cluster.stage("out")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).contains("j-worker-1");
  }

  /** Its leader changed, say: the new worker began to run meanwhile, and the timeout passed. */
  @Test
  void aScaleOutWhoseWorkersRunIsToldHoweverLateSomebodyLooks() {
    cluster.free = 0;
    cluster.ask("out", new Change.Add(1));
    cluster.run(3);
    cluster.free = 100;
    cluster
        .resizes
        .get("out")
        .plan()
        .forEach(name -> cluster.pods.get(name).phase = Member.Phase.RUNNING);
    cluster.now = cluster.now.plusSeconds(70);
    cluster.run(6);
    assertThat(cluster.stage("out")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).hasSize(3);
  }

  /** What was found out of an earlier worker of that name says nothing of this one. */
  @Test
  void aWorkerWhoseNameWasTakenAwayBeforeGoesOnlyOnceTheLauncherHasDoneWithIt() {
    cluster.ask("first", new Change.Remove(1));
    cluster.run(10);
    cluster.ask("out", new Change.Add(1));
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-1");

    cluster.processesStay = true;
    cluster.ask("second", new Change.Remove(1));
    cluster.run(30);
    assertThat(cluster.upWorkers()).as("still worked with").contains("j-worker-1");

    cluster.processesStay = false;
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.stage("second")).isEqualTo(Stage.SUCCEEDED);
  }
}
