package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kubelet shows how a deleted pod dies before it removes it: that says nothing of the job. */
final class DeletedMembersTest {

  private static final List<String> BOTH = List.of("j-worker-0", "j-worker-1");

  private final JobSimulation cluster = new JobSimulation();
  private final RankedCluster ranked = new RankedCluster();

  private void running() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 137, 143})
  void aLauncherIsMadeAgain(int exitCode) {
    running();
    var before = cluster.pod("j-launcher").uid;
    cluster.delete("j-launcher", exitCode);
    cluster.run(4);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.pod("j-launcher").uid).isNotEqualTo(before);
    assertThat(cluster.hosts).isEqualTo(BOTH);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 143})
  void aLauncherThatWasNotSeenToRunIsMadeAgain(int exitCode) {
    cluster.free = 0;
    cluster.run(2);
    cluster.free = 2;
    while (!cluster.pods.containsKey("j-launcher")) {
      cluster.run(1);
    }
    cluster.delete("j-launcher", exitCode);
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.hosts).isEqualTo(BOTH);
  }

  @Test
  void aLauncherThatEndedAndWasSeenAndIsDeletedThenHasEndedTheJob() {
    running();
    cluster.end("j-launcher", 0);
    cluster.run(1);
    cluster.pod("j-launcher").isStuck = true;
    cluster.pod("j-launcher").deleting = true;
    cluster.run(2);
    cluster.pod("j-launcher").isStuck = false;
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods).doesNotContainKey("j-launcher");
  }

  /**
   * The apiserver removes an ended pod as soon as it is deleted, so that an end that nobody saw
   * before is not seen after it either: the pod is gone, and made again. It is the same where
   * somebody's finalizer keeps the pod for a while, and nothing shows which of both came first.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEndThatWasNotSeenBeforeTheDeletionIsADeletion(boolean isKept) {
    running();
    cluster.end("j-launcher", 0);
    cluster.pod("j-launcher").deleting = true;
    cluster.pod("j-launcher").isStuck = isKept;
    cluster.run(2);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    cluster.pod("j-launcher").isStuck = false;
    cluster.run(4);
    assertThat(cluster.hosts).isEqualTo(BOTH);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 137})
  void aWorkerOfAJobThatStartsIsMadeAgain(int exitCode) {
    cluster.free = 0;
    cluster.run(2);
    cluster.delete("j-worker-0", exitCode);
    cluster.run(1);
    cluster.free = 2;
    cluster.run(6);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 143})
  void aWorkerIsReplacedWhereDeletedOnesAre(int exitCode) {
    cluster.replacement = Replacement.ON_FAILURE;
    running();
    cluster.delete("j-worker-0", exitCode);
    cluster.run(4);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-1");
    cluster.replacement = Replacement.LOST;
    cluster.delete("j-worker-1", exitCode);
    cluster.run(4);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-2", "j-worker-3");
  }

  @Test
  void aNewWorkerThatIsDeletedBeforeItJoinsIsMadeAgain() {
    running();
    cluster.free = 0;
    cluster.ask("out", new Change.Add(1));
    cluster.run(2);
    cluster.delete("j-worker-2", 143);
    cluster.run(3);
    cluster.free = 1;
    cluster.run(6);
    assertThat(cluster.stage("out")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).hasSize(3);
  }

  @Test
  void aWorkerWithARankIsReplacedWhenItExitsWithZeroAndBeingKilledDoesNotCount() {
    ranked.run(5);
    ranked.delete("j-worker-1", 0);
    ranked.run(4);
    assertThat(ranked.running()).hasSize(4).containsEntry("j-worker-4", "1/1");
    ranked.delete("j-worker-4", 143);
    ranked.run(4);
    assertThat(ranked.running()).hasSize(4).containsEntry("j-worker-5", "1/1");
  }

  @Test
  void aWorkerThatHasDoneWellAndIsDeletedThenHasDoneWell() {
    ranked.run(5);
    ranked.end("j-worker-1", 0);
    ranked.run(1);
    ranked.pods.get("j-worker-1").isStuck = true;
    ranked.pods.get("j-worker-1").deleting = true;
    ranked.run(4);
    assertThat(ranked.running()).hasSize(3);
    assertThat(ranked.state.standings().get("worker").ended()).containsEntry(1, true);
  }

  /** Somebody's finalizer keeps them. */
  @Test
  void oneThatNeverGoesDoesNotKeepOthersFromTakingItsPlace() {
    ranked.masterRestarts = 1;
    ranked.run(5);
    for (var name : List.of("j-master-0", "j-worker-1")) {
      ranked.pods.get(name).isStuck = true;
      ranked.delete(name, 0);
    }
    ranked.run(4);
    assertThat(ranked.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(ranked.running()).hasSize(4).containsEntry("j-worker-4", "1/1");
    assertThat(ranked.pods).containsKey("j-master-1");
  }
}
