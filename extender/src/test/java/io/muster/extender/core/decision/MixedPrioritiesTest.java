package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A pod without a gang between the priorities of a gang's members, on a node that they want. */
final class MixedPrioritiesTest {

  private static ClusterSimulation played(Rules rules) {
    var cluster = new ClusterSimulation(1, rules);
    cluster.addNode(aNode("n0").gpus(8).build());
    cluster.addNode(aNode("n1").gpus(8).build());
    cluster.create(aPod("ml", "single").gpus(8).priority(5).build());
    cluster.runUntil(Duration.ofSeconds(5));
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("ml", "mixed-" + i)
              .gpus(8)
              .gang("mixed", 2)
              .priority(10 * i)
              .createdAt(cluster.now())
              .build());
    }
    cluster.runUntil(Duration.ofSeconds(90));
    assertThat(cluster.faults).isEmpty();
    return cluster;
  }

  @Test
  void itIsPreemptedForTheHighestOfThem() {
    var cluster = played(Rules.extender(NodePinPolicy.NEVER));
    assertThat(cluster.pods).doesNotContainKey("uid-single");
    assertThat(cluster.boundOf("mixed")).isEqualTo(2);
  }

  /** kube-scheduler would end the lower member for its replacement, without asking. */
  @Test
  void itStaysWhereKubeSchedulerGoesByEachPod() {
    var cluster = played(Rules.affinity());
    assertThat(cluster.pods.get("uid-single").isBound()).isTrue();
    assertThat(cluster.boundOf("mixed")).isZero();
  }
}
