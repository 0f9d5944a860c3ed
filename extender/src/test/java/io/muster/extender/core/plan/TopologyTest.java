package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two racks of two nodes with 8 devices each in zone z1, one more rack in zone z2. */
final class TopologyTest {

  private static final String CLIQUE = "nvidia.com/gpu.clique";
  private static final String ZONE = "topology.kubernetes.io/zone";

  private final Inventory inventory = new Inventory();
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);

  @BeforeEach
  void nodes() {
    for (int i = 0; i < 6; i++) {
      inventory.seen(
          aNode("n" + i)
              .gpus(8)
              .label(CLIQUE, "c" + i / 2)
              .label(ZONE, i < 4 ? "z1" : "z2")
              .build());
    }
    inventory.seen(aNode("alone").gpus(8).build());
  }

  private static List<Demand> members(int count, long gpus) {
    return Collections.nCopies(count, aPod("m").gpus(gpus).build().demand());
  }

  private static GangRequest.Part part(int count, long gpus, Topology topology) {
    return new GangRequest.Part(members(count, gpus), topology);
  }

  private Verdict decide(GangRequest.Part... parts) {
    return planner.decide(inventory.snapshot(), new GangRequest(List.of(parts), Set.of()));
  }

  private List<String> placed(GangRequest.Part... parts) {
    return decide(parts) instanceof Verdict.Placed(List<String> nodes) ? nodes : List.of();
  }

  private void use(String node, long gpus) {
    inventory.occupy("on-" + node, node, aPod("x").gpus(gpus).build().demand().requests());
  }

  @Test
  void gathersInTheFullestDomainThatHoldsAll() {
    use("n2", 4);
    assertThat(placed(part(3, 4, Topology.preferring(CLIQUE, ZONE))))
        .containsExactly("n2", "n3", "n3");
  }

  @Test
  void fallsBackLevelByLevelAndThenToAnywhere() {
    var near = Topology.preferring(CLIQUE, ZONE);
    assertThat(placed(part(2, 8, near))).containsExactly("n0", "n1");
    assertThat(placed(part(3, 8, near))).containsExactly("n0", "n1", "n2");
    assertThat(placed(part(7, 8, near))).hasSize(7).contains("alone");
  }

  @Test
  void refusesWhatTheRequiredLevelDoesNotHoldAndNamesIt() {
    assertThat(decide(part(3, 8, Topology.requiring(CLIQUE))))
        .isEqualTo(
            new Verdict.NoRoom(
                0, "0/7 nodes are available: no nvidia.com/gpu.clique holds all 3 members."));
    assertThat(placed(part(2, 8, Topology.requiring(CLIQUE)))).containsExactly("n0", "n1");
  }

  @Test
  void saysWhatIsMissingWhereTheMembersFitNowhere() {
    assertThat(decide(part(1, 16, Topology.requiring(CLIQUE))))
        .isEqualTo(
            new Verdict.NoRoom(0, "0/7 nodes are available: 7 Insufficient nvidia.com/gpu."));
  }

  @Test
  void prefersANearerLevelWithinTheRequiredOne() {
    use("n0", 8);
    use("n2", 8);
    var topology = new Topology(List.of(CLIQUE), Optional.of(ZONE));
    assertThat(placed(part(2, 8, topology))).containsExactly("n4", "n5");
    use("n4", 8);
    assertThat(placed(part(2, 8, topology))).containsExactly("n1", "n3");
  }

  @Test
  void partsThatMustBeCloseAreServedBeforeThoseThatHadBetterBe() {
    use("n2", 8);
    use("n4", 8);
    var preferring = new Topology(List.of(CLIQUE), Optional.empty());
    assertThat(placed(part(2, 8, preferring), part(2, 8, Topology.requiring(CLIQUE))))
        .as("one clique holds two")
        .hasSize(4)
        .endsWith("n0", "n1");
  }

  @Test
  void decidesPartsTogetherEachWithItsOwnTopology() {
    assertThat(
            placed(
                part(1, 8, Topology.ANYWHERE),
                part(2, 8, Topology.requiring(CLIQUE)),
                part(2, 8, Topology.requiring(CLIQUE)),
                part(2, 8, Topology.requiring(CLIQUE))))
        .containsExactly("alone", "n0", "n1", "n2", "n3", "n4", "n5");
    assertThat(
            decide(
                part(2, 8, Topology.ANYWHERE),
                part(2, 8, Topology.requiring(CLIQUE)),
                part(2, 8, Topology.requiring(CLIQUE)),
                part(2, 8, Topology.requiring(CLIQUE))))
        .isInstanceOf(Verdict.NoRoom.class);
  }
}
