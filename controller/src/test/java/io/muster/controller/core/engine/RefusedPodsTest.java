package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A job that runs and whose new pods the apiserver does not take. */
final class RefusedPodsTest {

  private static final News REFUSED = new News.Refused("exceeded quota");

  private final JobSimulation cluster = new JobSimulation();

  private void running() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.news).doesNotContain(REFUSED);
    cluster.refuses = Optional.of("exceeded quota");
  }

  @Test
  void aWorkerInPlaceOfALostOneIsToldToBeRefused() {
    cluster.replacement = Replacement.ALWAYS;
    running();
    cluster.vanish("j-worker-1");
    cluster.run(10);
    assertThat(cluster.news).contains(REFUSED);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");

    cluster.refuses = Optional.empty();
    cluster.run(10);
    assertThat(cluster.upWorkers()).hasSize(2);
  }

  @Test
  void soIsALauncherThatIsMadeAgain() {
    running();
    cluster.vanish("j-launcher");
    cluster.run(10);
    assertThat(cluster.news).contains(REFUSED);
  }

  @Test
  void soAreTheWorkersOfAScaleOut() {
    running();
    cluster.ask("out", new Change.Add(1));
    cluster.run(10);
    assertThat(cluster.news).contains(REFUSED);
  }

  /** Each in turn would have been tried again at once. */
  @Test
  void whereTwoAreRefusedNobodyIsTriedBeforeItsTime() {
    cluster.replacement = Replacement.ALWAYS;
    running();
    cluster.vanish("j-worker-1");
    cluster.vanish("j-launcher");
    long before = creates();
    cluster.run(10);
    assertThat(creates() - before).as("twice the pause of five seconds").isLessThanOrEqualTo(8);
  }

  /** Its gang is another's, say, for as long as it waits. */
  @Test
  void aLostWorkerIsReplacedWhileAScaleOutIsRefused() {
    cluster.replacement = Replacement.ALWAYS;
    running();
    cluster.refusesRequestsOnly = true;
    cluster.refusedFor = Duration.ofMinutes(4);
    cluster.ask("out", new Change.Add(1));
    cluster.run(10);
    assertThat(cluster.news).contains(REFUSED);

    cluster.vanish("j-worker-1");
    cluster.run(10);
    assertThat(cluster.upWorkers()).as("of two").hasSize(2);
    assertThat(cluster.stage("out")).isEqualTo(Stage.SCALING);
  }

  private long creates() {
    return cluster.journal.stream().filter(line -> line.contains("Create[")).count();
  }
}
