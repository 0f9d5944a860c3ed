package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** What tests in virtual time begin with: a cluster, its GPU nodes, gangs on them. */
abstract class GangScenes {

  final ClusterSimulation cluster = new ClusterSimulation(1);

  static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  void gpuNodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("gpu-" + i).gpus(1).label("set", "gpu").build());
    }
  }

  void gang(String name, int members, int min) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod("dlrover", name + "-worker-" + i)
              .gpus(1)
              .gang(name, min)
              .selecting("set", "gpu")
              .createdAt(cluster.now())
              .build());
    }
  }

  void settled() {
    assertThat(cluster.faults).isEmpty();
  }

  /** Steps of a millisecond, until the first Binding of a burst is stored. */
  void untilTheFirstBindingOf(String gang) {
    var limit = cluster.sinceStart().plusSeconds(20);
    while (cluster.boundOf(gang) == 0 && cluster.sinceStart().compareTo(limit) < 0) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
  }
}
