package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
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

/** Nodes as Kubernetes marks them while they take no pods: by a taint beside the field. */
final class ClosedNodesTest {

  private static final Resources WHOLE = new Resources(1000, 0, Map.of("nvidia.com/gpu", 8L));

  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final Inventory inventory = new Inventory();

  private Diagnosis.Finding finding(int members) {
    var member = new Demand(WHOLE, Map.of(), List.of(), List.of());
    var request =
        new GangRequest(
            List.of(new GangRequest.Part(Collections.nCopies(members, member), Topology.ANYWHERE)),
            Set.of());
    return Diagnosis.of(planner, new Copies(inventory.snapshot()), request);
  }

  private void node(String name, Node.Availability availability, String taint) {
    inventory.seen(
        aNode(name)
            .gpus(8)
            .cpuMillis(64000)
            .availability(availability)
            .taint(taint, "", Taint.Effect.NO_SCHEDULE)
            .build());
  }

  @Test
  void aGangThatNodesWithACordonWouldHoldIsNotTooLarge() {
    inventory.seen(aNode("n0").gpus(8).cpuMillis(64000).build());
    node("n1", Node.Availability.CORDONED, "node.kubernetes.io/unschedulable");
    node("n2", Node.Availability.NOT_READY, "node.kubernetes.io/not-ready");

    assertThat(finding(3))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.UNAVAILABLE,
                "there is room on 2 nodes that are cordoned or not ready",
                "see kubectl get nodes: uncordon or mend nodes, or add some; those that failed are"
                    + " tried again by themselves"));
    assertThat(finding(4).cause()).isEqualTo(Cause.TOO_LARGE);
  }

  @Test
  void nodesThatAreInUseAsWellAreNotSaidToHaveRoom() {
    inventory.seen(aNode("n0").gpus(8).cpuMillis(64000).build());
    node("n1", Node.Availability.CORDONED, "node.kubernetes.io/unschedulable");
    inventory.occupy("runs", "n1", WHOLE);

    assertThat(finding(2).evidence())
        .isEqualTo(
            "even empty, the 1 node that will do would hold 1 of the 2 members; closed to it for"
                + " now: 1 node that is cordoned");
  }

  @Test
  void nodesThatLeaveAreNotWaitedFor() {
    inventory.seen(aNode("n0").gpus(8).cpuMillis(64000).build());
    node("n1", Node.Availability.LEAVING, "ToBeDeletedByClusterAutoscaler");

    assertThat(finding(2).cause()).isEqualTo(Cause.TOO_LARGE);
  }
}
