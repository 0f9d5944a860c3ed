package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.JobState.Standing;
import io.muster.controller.core.state.Resize.Stage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A request that is deleted while it is carried out: the job's books stay true. */
final class DeletedRequestTest {

  @Test
  void whoIsGoneForAScaleInIsNotReplacedAndWhoGoesLeaves() {
    var cluster = new JobSimulation();
    cluster.range = new Role.Range(3, 1, 9);
    cluster.replacement = Replacement.ALWAYS;
    cluster.run(5);
    cluster.ask("in", new Change.RemoveNamed(List.of("j-worker-1", "j-worker-2")));
    cluster.pod("j-worker-1").isStuck = true;
    cluster.run(8);
    assertThat(cluster.pods).containsKey("j-worker-1").doesNotContainKey("j-worker-2");

    cluster.resizes.remove("in");
    cluster.run(2);
    cluster.pod("j-worker-1").isStuck = false;
    cluster.run(4);

    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.state.targets()).containsEntry("worker", List.of(0));
    cluster.ask("out", new Change.Add(1));
    cluster.run(8);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-3");
  }

  @Test
  void whoWasLostBeforeStaysLostAndTheNextSizeIsReached() {
    var cluster = new RankedCluster();
    cluster.replicas = 3;
    cluster.relaunches = 0;
    cluster.run(5);
    cluster.end("j-worker-2", 1);
    cluster.run(2);
    cluster.pods.remove("j-worker-2");
    cluster.isFull = true;
    cluster.ask("more", new Change.To(5));
    cluster.run(2);

    cluster.resizes.remove("more");
    cluster.isFull = false;
    cluster.run(4);

    assertThat(cluster.state.lost("worker")).containsExactly(2);
    cluster.ask("three", new Change.To(3));
    cluster.run(8);
    assertThat(cluster.resizes.get("three").stage()).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.state.counted("worker")).hasSize(3);
    assertThat(cluster.running()).hasSize(3);
  }

  /** As it was stored before: with an end of one who is no member. */
  @Test
  void aNewMemberHasNotEndedWhoeverHadItsIndexBefore() {
    var ledger = new Ledger(new Standing(Map.of(), Map.of(), Map.of(2, false)));
    ledger.join(2, 2);
    assertThat(ledger.hasEnded(2)).isFalse();
  }
}
