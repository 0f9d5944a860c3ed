package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.diagnosis.Copies;
import io.muster.extender.core.plan.diagnosis.Diagnosis;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Cause;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Gangs that no domain would hold, whatever ends: racks of 3 and 2 nodes, for 4 members. */
final class EmptyDomainsTest {

  private static final String GPU = "nvidia.com/gpu";
  private static final String NONE_HOLDS_ALL =
      "no rack holds all 4 members; rack a lacks room for 1";

  private final Inventory inventory = new Inventory();

  private static NodeBuilder node(String rack, int index) {
    return aNode("r%s-%d".formatted(rack, index)).gpus(4).label("rack", rack);
  }

  private void racks() {
    for (int i = 0; i < 3; i++) {
      inventory.seen(node("a", i).build());
    }
    for (int i = 0; i < 2; i++) {
      inventory.seen(node("b", i).build());
    }
  }

  private void occupy(String node) {
    inventory.occupy("pod-on-" + node, node, new Resources(0, 0, Map.of(GPU, 4L)));
  }

  private Diagnosis.Finding finding() {
    return finding("rack");
  }

  private Diagnosis.Finding finding(String level) {
    var member = new Demand(new Resources(0, 0, Map.of(GPU, 4L)), Map.of(), List.of(), List.of());
    var part = new GangRequest.Part(Collections.nCopies(4, member), Topology.requiring(level));
    return Diagnosis.of(
        new Planner(PackingPolicy.DEFAULT),
        new Copies(inventory.snapshot()),
        new GangRequest(List.of(part), Set.of()));
  }

  @Test
  void thatIsSaidWhereTheNodesAreFree() {
    racks();
    assertThat(finding())
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.TOPOLOGY,
                "even empty, the domains do not hold the gang: " + NONE_HOLDS_ALL,
                "add nodes to domains, make the gang smaller, or let the members be preferably"
                    + " close (muster.io/gang-topology-preferred)"));
  }

  @Test
  void soItIsWhereSomeAreInUse() {
    racks();
    occupy("ra-0");
    occupy("rb-0");
    assertThat(finding().evidence())
        .isEqualTo("even empty, the domains do not hold the gang: " + NONE_HOLDS_ALL);
    assertThat(finding().remedy()).startsWith("add nodes to domains").doesNotContain("wait");
  }

  @Test
  void aRackWhoseNodesAreInUseIsWaitedFor() {
    racks();
    inventory.seen(node("a", 3).build());
    occupy("ra-3");
    assertThat(finding())
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.TOPOLOGY,
                NONE_HOLDS_ALL,
                "wait until domains have room, or let the members be preferably close"
                    + " (muster.io/gang-topology-preferred)"));
  }

  @Test
  void aLevelThatThereIsNotIsNamedAlsoWhereNodesAreInUse() {
    racks();
    for (var node : List.of("ra-0", "ra-1", "ra-2")) {
      occupy(node);
    }
    assertThat(finding("spine").evidence())
        .isEqualTo("spine is neither a level of the cluster nor a label of any node");
  }
}
