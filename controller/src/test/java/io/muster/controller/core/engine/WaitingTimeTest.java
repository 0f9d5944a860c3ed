package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState.Phase;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a job waits for its members to run together: in each of its lives anew. */
final class WaitingTimeTest {

  private final JobSimulation cluster = new JobSimulation();

  @BeforeEach
  void start() {
    cluster.run = waiting(false, false);
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    cluster.run(120);
  }

  private static RunPolicy waiting(boolean suspended, boolean held) {
    return new RunPolicy(
        suspended,
        held,
        6,
        CleanUp.UNFINISHED,
        Optional.of(Duration.ofSeconds(60)),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private void waitsSoLong() {
    cluster.run(50);
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    cluster.run(20);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(cluster.news.getLast())
        .isInstanceOfSatisfying(
            News.Failed.class,
            failed -> assertThat(failed.cause()).isEqualTo(News.Failed.Cause.WAITED));
  }

  @Test
  void afterARestartAsAWhole() {
    // The room of its own two workers is not enough either.
    cluster.free = -2;
    cluster.end("j-launcher", 1);
    waitsSoLong();
  }

  @Test
  void afterASuspension() {
    cluster.run = waiting(true, false);
    cluster.run(120);
    cluster.free = 0;
    cluster.run = waiting(false, false);
    waitsSoLong();
  }

  @Test
  void aJobThatIsHeldDoesNotWait() {
    cluster.run = waiting(true, true);
    cluster.run(5);
    cluster.run = waiting(false, true);
    cluster.run(120);
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    cluster.free = 0;
    cluster.run = waiting(false, false);
    waitsSoLong();
  }
}
