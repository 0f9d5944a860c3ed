package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Reason;
import org.junit.jupiter.api.Test;

/** Which cause a gang that waits is told, and when it is told another. */
final class CauseOfWaitingTest extends GangScenes {

  @Test
  void aGangThatWaitsIsToldAnotherCauseOnceTheClusterHasChanged() {
    gpuNodes(1);
    cluster.create(aPod("single").gpus(1).createdAt(cluster.now()).build());
    cluster.runUntil(seconds(5));
    gang("g", 2, 2);
    cluster.runUntil(seconds(20));
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);

    cluster.addNode(aNode("gpu-1").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(45));

    assertThat(cluster.report("g").reason()).isEqualTo(Reason.NO_ROOM);
    settled();
  }
}
