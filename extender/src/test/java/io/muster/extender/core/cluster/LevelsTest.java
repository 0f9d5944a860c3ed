package io.muster.extender.core.cluster;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LevelsTest {

  @Test
  void theFirstFamilyOfLabelsThatNodesBearIsTheNetworkAndTheCliqueIsInnermost() {
    var nodes =
        List.of(
            aNode("a")
                .label("topology.k8s.aws/network-node-layer-1", "x")
                .label("topology.k8s.aws/network-node-layer-2", "y")
                .label("alibabacloud.com/asw-id", "other")
                .build(),
            aNode("b").label("nvidia.com/gpu.clique", "c.1").build());
    var found = Levels.FOUND.among(nodes);
    assertThat(found.labels())
        .containsExactly(
            "topology.k8s.aws/network-node-layer-1",
            "topology.k8s.aws/network-node-layer-2",
            "nvidia.com/gpu.clique");
    assertThat(found.labelOf("nvlink")).isEqualTo("nvidia.com/gpu.clique");
    assertThat(found.labelOf("example.com/any")).isEqualTo("example.com/any");
  }

  @Test
  void aLevelGoesByItsNumberFromInsideAndByTheNameOfALayer() {
    var stated =
        new Levels(
            List.of(
                new Levels.Level("block", "example.com/block", 0),
                new Levels.Level("rack", "example.com/rack", 0)),
            false);
    assertThat(stated.labelOf(Topology.tier(1))).isEqualTo("example.com/rack");
    assertThat(stated.nameOf(Topology.tier(2))).isEqualTo("block");
    assertThat(stated.labelOf(Topology.tier(3))).isEqualTo("tier 3");
    assertThat(stated.labelOf("BlockLayer")).isEqualTo("example.com/block");
    assertThat(stated.labelOf("SpineLayer")).isEqualTo("SpineLayer");
    assertThat(stated.nameOf("BlockLayer")).isEqualTo("BlockLayer");
  }

  @Test
  void nothingIsFoundOfNodesWithoutSuchLabelsAndWhatIsStatedHolds() {
    var nodes = List.of(aNode("a").label("rack", "r").build());
    assertThat(Levels.FOUND.among(nodes).all()).isEmpty();
    var stated = new Levels(List.of(new Levels.Level("rack", "rack", 0)), false);
    assertThat(stated.among(List.of())).isEqualTo(stated);
  }
}
