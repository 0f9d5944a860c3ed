package io.muster.extender.core.decision.reserve;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import org.junit.jupiter.api.Test;

final class NodePinsTest {

  private final ClusterState cluster =
      new ClusterState(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.ALWAYS));

  /** The planned node may be one of the emptiest itself. */
  @Test
  void threeSpareNodesFollowThePlannedOne() {
    for (int i = 0; i < 6; i++) {
      cluster.inventory().seen(aNode("n" + i).gpus(1).build());
    }
    var gang = new GangState(new GangId(Dialect.KOORDINATOR, "ml", "g"));
    var pin = new NodePins(cluster).of(gang, aPod("g-0").gpus(1).build().demand(), "n0");
    assertThat(pin.nodes()).containsExactly("n0", "n1", "n2", "n3");
  }
}
