package io.muster.controller.kinds.di.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.kinds.di.server.PlayedCluster;
import io.muster.controller.kinds.di.server.call.DiReply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What calls for workers become on a cluster of two nodes with 8 GPUs each, unless it says else.
 */
final class SizingTest {

  private final PlayedCluster cluster = new PlayedCluster(PlayedCluster.COORDINATED);

  @BeforeEach
  void theCoordinatorRuns() {
    cluster.run();
  }

  private CompletableFuture<DiReply> post(String workers) {
    return cluster.ask(
        cluster.server(),
        PlayedCluster.call(
            "POST",
            "/v1alpha1/replicas",
            "",
            "{\"namespace\":\"ml\",\"coordinator\":\"qbert-coordinator\"," + workers + "}"));
  }

  private List<Integer> split(int gpus, int replicas) {
    var _ = post("\"learners\":{\"replicas\":%d,\"gpus\":%d}".formatted(replicas, gpus));
    return cluster.requests().requests().getLast().split();
  }

  @ParameterizedTest
  @CsvSource({
    "'\"collectors\":{\"replicas\":1,\"gpus\":9}', a collector, nvidia.com/gpu 9, 2 Insufficient nvidia.com/gpu",
    "'\"learners\":{\"replicas\":1,\"cpus\":65}', a learner, cpu 65, 2 Insufficient cpu",
    "'\"learners\":{\"replicas\":1,\"gpus\":16,\"memory\":\"1Ti\"}', a ddp-learner, memory 1Ti, 2 Insufficient memory"
  })
  void whatNoNodeCouldEverHoldIsRefusedAtOnceAndNotRecorded(
      String workers, String who, String what, String why) {
    var answer = post(workers);
    assertThat(answer).isCompleted();
    var reply = answer.join();
    assertThat(reply.status()).as("whoever asks again may find a node").isEqualTo(200);
    assertThat(reply.isSuccess()).isFalse();
    assertThat(reply.message()).contains(who, what, why);
    assertThat(cluster.requests().requests()).isEmpty();
  }

  @Test
  void aNodeThatIsFullOrNotUpCouldHoldItOneDay() {
    cluster.others = List.of(PlayedCluster.other("node-1", 8), PlayedCluster.other("node-2", 8));
    cluster.nodes.forEach(node -> node.getStatus().getConditions().getFirst().setStatus("False"));
    assertThat(post("\"collectors\":{\"replicas\":1,\"gpus\":8}")).isNotDone();
    assertThat(cluster.requests().requests()).hasSize(1);
  }

  @Test
  void aNodeThatHasComeJustNowCounts() {
    cluster.newestNodes = Optional.of(List.of(PlayedCluster.node("node-3", 16)));
    assertThat(post("\"collectors\":{\"replicas\":1,\"gpus\":16}")).isNotDone();
  }

  @Test
  void whoSelectsNodesIsAskedAboutThose() {
    cluster
        .job()
        .getSpec()
        .collector()
        .template()
        .getSpec()
        .setNodeSelector(Map.of("pool", "vision"));
    assertThat(post("\"collectors\":{\"replicas\":1}").join().message())
        .contains("2 node(s) didn't match");
  }

  @Test
  void aCallThatIsHeldStaysHeldWhenItsNodesGo() {
    var workers = "\"collectors\":{\"replicas\":1,\"gpus\":8}";
    var _ = post(workers);
    cluster.nodes = List.of();
    assertThat(post(workers)).as("the same call").isNotDone();
  }

  @Test
  void whereNodesAreMadeOnDemandTheCallIsHeld() {
    cluster.refusesWhatNeverFits = false;
    assertThat(post("\"collectors\":{\"replicas\":1,\"gpus\":9}")).isNotDone();
  }

  @Test
  void aLearnerIsDividedAsFewTimesAsTheFreeGpusAllow() {
    assertThat(split(12, 1)).containsExactly(8, 4);
    cluster.others = List.of(PlayedCluster.other("node-1", 2), PlayedCluster.other("node-2", 2));
    assertThat(split(11, 1)).as("six are free on each").containsExactly(6, 5);
    assertThat(split(6, 2)).as("both learners start").containsExactly(6);
    assertThat(split(3, 4)).containsExactly(3);
  }

  @Test
  void whereItCannotStartNowItIsDividedByWhatMostNodesHave() {
    cluster.others = List.of(PlayedCluster.other("node-1", 5));
    assertThat(split(12, 1)).containsExactly(8, 4);
  }

  @Test
  void theCollectorsOfTheSameCallHaveTheirGpusToo() {
    var _ =
        post(
            "\"collectors\":{\"replicas\":4,\"gpus\":1},\"learners\":{\"replicas\":1,\"gpus\":12}");
    assertThat(cluster.requests().requests().getLast().split()).containsExactly(8, 4);
    var _ =
        post("\"collectors\":{\"replicas\":2,\"gpus\":5},\"learners\":{\"replicas\":1,\"gpus\":6}");
    assertThat(cluster.requests().requests().getLast().split()).containsExactly(3, 3);
  }

  @Test
  void theSimpleWayLooksAtNobody() {
    cluster.splitsToFit = false;
    cluster.others = List.of(PlayedCluster.other("node-1", 2), PlayedCluster.other("node-2", 2));
    assertThat(split(12, 1)).containsExactly(8, 4);
  }
}
