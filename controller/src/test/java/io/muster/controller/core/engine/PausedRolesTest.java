package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role.Pause;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who ends while no member of a role is made, and who is to come meanwhile. */
final class PausedRolesTest {

  private final RankedCluster cluster = new RankedCluster();

  private void started() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void whoEndsWellWhileTheRoleIsPausedIsNotMissedLater() {
    for (var pause : List.of(Pause.NO_MORE, Pause.AWAY)) {
      var job = new RankedCluster();
      job.run(5);
      job.end("j-worker-2", 0);
      job.pause = pause;
      job.run(2);
      job.pods.remove("j-worker-2");
      job.run(2);
      job.pause = Pause.NONE;
      job.run(5);
      assertThat(job.running()).containsOnlyKeys("j-worker-0", "j-worker-1", "j-worker-3");
    }
  }

  @Test
  void aJobEndsWithAllOfItsMembersThoughTheyArePaused() {
    started();
    cluster.pause = Pause.NO_MORE;
    for (int index = 0; index < 4; index++) {
      assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
      cluster.end("j-worker-" + index, 0);
      cluster.run(2);
    }
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods).doesNotContainKey("j-master-0");
  }

  @Test
  void whoComesByAResizeIsAwayTooAndComesWithTheOthers() {
    started();
    cluster.isFull = true;
    cluster.ask("more", new Change.To(6));
    cluster.run(3);
    assertThat(cluster.pods).hasSize(7);
    cluster.pause = Pause.AWAY;
    cluster.run(70);
    assertThat(cluster.pods.keySet()).containsExactly("j-master-0");
    assertThat(cluster.resizes.get("more").stage()).isEqualTo(Resize.Stage.WAITING);
    cluster.isFull = false;
    cluster.pause = Pause.NONE;
    cluster.run(8);
    assertThat(cluster.resizes.get("more").stage()).isEqualTo(Resize.Stage.SUCCEEDED);
    assertThat(cluster.running()).hasSize(6).containsEntry("j-worker-5", "5/0");
  }
}
