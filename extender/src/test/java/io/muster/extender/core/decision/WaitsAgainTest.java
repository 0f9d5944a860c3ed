package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Terms.MatchPolicy;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What another leader does with who waits for a gang that waits again. */
final class WaitsAgainTest {

  private ClusterSimulation cluster;

  private void members(MatchPolicy policy, int from, int to, String round) {
    for (int i = from; i < to; i++) {
      cluster.create(
          aPod("g-" + i)
              .uid(round + "-" + i)
              .gpus(1)
              .gang("g", terms("g", 4).counting(policy).build(), "")
              .createdAt(cluster.now())
              .build());
    }
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plus(Duration.ofSeconds(seconds)));
  }

  @ParameterizedTest
  @CsvSource({
    "EXTENDER, WAITING_AND_RUNNING",
    "EXTENDER, ONLY_WAITING",
    "AFFINITY, WAITING_AND_RUNNING",
    "AFFINITY, ONLY_WAITING",
    "NATIVE, WAITING_AND_RUNNING",
    "NATIVE, ONLY_WAITING"
  })
  void whoWaitsForTheOthersDoesNotStartAloneAsAnotherLeads(PlacementMode mode, MatchPolicy policy) {
    cluster = new ClusterSimulation(1, new Rules(mode, NodePinPolicy.NEVER, Waiting.DEFAULT));
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).build());
    }
    members(policy, 0, 4, "first");
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    var taken = cluster.pods.get("first-3").progress().nodeName().orElseThrow();
    cluster.delete("first-2");
    cluster.delete("first-3");
    run(5);
    cluster.land(aPod("other").gpus(1).on(taken).build());
    run(70);
    members(policy, 2, 3, "again");
    run(15);
    assertThat(cluster.pods.get("again-2").isBound()).as("three of four").isFalse();
    assertThat(cluster.pods.get("again-2").isGated()).as("it waits behind its gate").isTrue();

    cluster.changeLeaderAfter(Duration.ofSeconds(1));
    run(60);
    assertThat(cluster.pods.get("again-2").isBound()).as("three of four").isFalse();
  }
}
