package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job is given another size after a worker was lost in whose place nobody comes. */
final class LostForGoodTest {

  private final JobSimulation cluster = new JobSimulation();

  @BeforeEach
  void aJobOfTwo() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  private void lose(String worker, boolean isDeleted) {
    if (isDeleted) {
      cluster.vanish(worker);
    } else {
      cluster.end(worker, 1);
    }
    cluster.run(4);
  }

  private void scaleTo(int size) {
    cluster.range = new Role.Range(2, size, 1, 4);
    cluster.generation++;
    cluster.run(20);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.state.asked()).containsEntry("worker", size);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itHasAsManyAsAreAskedFor(boolean isDeleted) {
    lose("j-worker-1", isDeleted);
    scaleTo(3);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-2", "j-worker-3");
    scaleTo(1);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
  }

  @Test
  void theSizeThatItHadByAScaleOutIsMadeWholeAgain() {
    cluster.ask("out", new Change.Add(1));
    cluster.run(10);
    lose("j-worker-1", true);
    scaleTo(3);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-2", "j-worker-3");
  }

  @Test
  void theLostCountNotAgainstTheMost() {
    lose("j-worker-1", true);
    scaleTo(4);
    assertThat(cluster.upWorkers()).hasSize(4);
    assertThat(cluster.resizes.values())
        .extracting(Resize::stage)
        .containsOnly(Resize.Stage.SUCCEEDED);
  }

  @Test
  void nobodyComesInItsPlaceWithoutBeingAskedFor() {
    lose("j-worker-1", true);
    cluster.run(60);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.resizes).isEmpty();
  }
}
