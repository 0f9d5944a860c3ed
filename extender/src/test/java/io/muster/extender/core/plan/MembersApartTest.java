package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.HostPort;
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

/** Members that must not share a node with each other, by their anti-affinity. */
final class MembersApartTest {

  private static final Resources ALONE =
      new Resources(1000, 0, Map.of("nvidia.com/gpu", 1L))
          .withHostPorts(List.of(HostPort.onlyOne("ml", "{app=a}")));

  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final Inventory inventory = new Inventory();

  private GangRequest members(int count) {
    var member = new Demand(ALONE, Map.of(), List.of(), List.of());
    return new GangRequest(
        List.of(new GangRequest.Part(Collections.nCopies(count, member), Topology.ANYWHERE)),
        Set.of());
  }

  private void nodes(int count) {
    for (int i = 0; i < count; i++) {
      inventory.seen(aNode("n" + i).gpus(8).cpuMillis(64000).build());
    }
  }

  private Verdict decide(int members) {
    return planner.decide(inventory.snapshot(), members(members));
  }

  private Diagnosis.Finding finding(int members) {
    return Diagnosis.of(planner, new Copies(inventory.snapshot()), members(members));
  }

  @Test
  void eachHasANodeOfItsOwn() {
    nodes(3);
    assertThat(decide(3))
        .isInstanceOfSatisfying(
            Verdict.Placed.class,
            placed -> assertThat(placed.nodes()).containsExactlyInAnyOrder("n0", "n1", "n2"));
  }

  @Test
  void withTooFewNodesTheGangIsTooLarge() {
    nodes(3);
    assertThat(decide(4))
        .isInstanceOfSatisfying(
            Verdict.NoRoom.class,
            none ->
                assertThat(none.tally())
                    .isEqualTo(
                        "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity"
                            + " rules."));
    assertThat(finding(4).cause()).isEqualTo(Cause.TOO_LARGE);
    assertThat(finding(4).evidence()).contains("would hold 3 of the 4 members");
  }

  @Test
  void whereSuchPodsRunTheyAreWaitedFor() {
    nodes(3);
    inventory.occupy("before", "n1", ALONE);
    var found = finding(3);
    assertThat(found.cause()).isEqualTo(Cause.NOT_ENOUGH_BESIDE);
    assertThat(found.evidence()).contains("anti-affinity");
    assertThat(found.remedy()).isEqualTo("wait until those pods end, or add nodes");
  }
}
