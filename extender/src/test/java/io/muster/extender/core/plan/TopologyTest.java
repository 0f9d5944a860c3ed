package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Levels.Level;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.Topology.Segment;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.ArrayList;
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
    assertThat(placed(part(2, 8, near)))
        .as("of cliques with as much room, the one in the zone with less")
        .containsExactly("n4", "n5");
    assertThat(placed(part(3, 8, near))).containsExactly("n0", "n1", "n2");
    assertThat(placed(part(7, 8, near))).hasSize(7).contains("alone");
  }

  @Test
  void refusesWhatTheRequiredLevelDoesNotHoldAndNamesIt() {
    assertThat(decide(part(3, 8, Topology.requiring(CLIQUE))))
        .isEqualTo(
            new Verdict.NoRoom(
                0,
                "0/7 nodes are available: no nvidia.com/gpu.clique holds all 3 members;"
                    + " nvidia.com/gpu.clique c0 lacks room for 1."));
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
  void membersThatAreAlikeMeetNodesLevelByLevelThenByName() {
    for (var node : List.of("n0", "n5")) {
      inventory.seen(aNode(node).gpus(8).label("rack", "a").build());
    }
    inventory.levels(new Levels(List.of(new Level("rack", "rack", 0)), false));
    var all = placed(part(7, 8, Topology.ANYWHERE));
    assertThat(all).containsExactly("alone", "n1", "n2", "n3", "n4", "n0", "n5");
    inventory.levels(new Levels(List.of(), false));
    assertThat(placed(part(7, 8, Topology.ANYWHERE))).isSorted().hasSize(7);
  }

  @Test
  void membersOfEachKindMeetNodesInOrder() {
    var kinds = new ArrayList<>(members(3, 8));
    kinds.add(1, members(1, 4).getFirst());
    kinds.add(3, members(1, 4).getFirst());
    var nodes = placed(new GangRequest.Part(kinds, Topology.ANYWHERE));
    assertThat(List.of(nodes.get(0), nodes.get(2), nodes.get(4))).isSorted();
    assertThat(List.of(nodes.get(1), nodes.get(3))).isSorted();
  }

  @Test
  void segmentsAreWholeAndLevelsGoByTheirNames() {
    inventory.levels(
        new Levels(List.of(new Level("zone", ZONE, 0), new Level("clique", CLIQUE, 0)), false));
    var pairs = Topology.ANYWHERE.inSegments(new Segment("zone", 4), new Segment("clique", 2));
    use("n1", 8);
    use("n5", 4);
    assertThat(placed(part(3, 4, pairs))).as("in the zone with less room").hasSize(3);
    assertThat(placed(part(10, 4, pairs))).as("four and four in z1, the rest in z2").isEmpty();
    inventory.release("on-n1");
    assertThat(placed(part(10, 4, pairs)))
        .containsExactly("n0", "n0", "n1", "n1", "n2", "n2", "n3", "n3", "n4", "n5");
  }

  @Test
  void aNodeOfEachDomainIsKeptUnlessItIsForSuchAsReplacements() {
    inventory.levels(new Levels(List.of(new Level("clique", CLIQUE, 1)), false));
    assertThat(placed(part(4, 8, Topology.ANYWHERE))).containsExactly("alone", "n0", "n2", "n4");
    assertThat(decide(part(5, 8, Topology.ANYWHERE)))
        .isEqualTo(
            new Verdict.NoRoom(
                4,
                "0/7 nodes are available: 3 node(s) are kept in reserve, 4 Insufficient"
                    + " nvidia.com/gpu."));
    var replacement = new GangRequest(List.of(part(5, 8, Topology.ANYWHERE)), Set.of(), true);
    assertThat(planner.decide(inventory.snapshot(), replacement))
        .isInstanceOf(Verdict.Placed.class);
    use("n0", 8);
    inventory.seen(
        aNode("n3").gpus(8).label(CLIQUE, "c1").availability(Node.Availability.CORDONED).build());
    assertThat(placed(part(3, 8, Topology.ANYWHERE)))
        .as("n3 is what was kept of its clique, n1 is all that is left of its")
        .containsExactly("alone", "n2", "n4");
  }

  @Test
  void membersThatMayBeAnywhereFillBegunDomainsAndSpareWholeOnes() {
    inventory.levels(
        new Levels(List.of(new Level("zone", ZONE, 0), new Level("clique", CLIQUE, 0)), false));
    inventory.gone("alone");
    use("n3", 8);
    assertThat(placed(part(1, 8, Topology.ANYWHERE))).containsExactly("n2");
    use("n2", 8);
    assertThat(placed(part(1, 8, Topology.ANYWHERE)))
        .as("of whole cliques, one in the zone that is begun")
        .containsExactly("n0");
    use("n0", 8);
    assertThat(placed(part(2, 8, Topology.ANYWHERE)))
        .as("what is left of it, before another whole one is begun")
        .containsExactly("n1", "n4");
  }

  @Test
  void packingAndPreferencesComeBeforeSparingDomains() {
    inventory.levels(new Levels(List.of(new Level("clique", CLIQUE, 0)), false));
    inventory.gone("alone");
    use("n0", 8);
    use("n4", 6);
    assertThat(placed(part(1, 2, Topology.ANYWHERE)))
        .as("a node in use, in a whole clique")
        .containsExactly("n4");
    var inZone2 =
        new NodeTerm(List.of(new Requirement(ZONE, Operator.IN, Set.of("z2"))), List.of());
    var preferring = aPod("m").gpus(8).preferring(inZone2).build().demand();
    assertThat(placed(new GangRequest.Part(List.of(preferring), Topology.ANYWHERE)))
        .as("n1 is in a clique that is begun")
        .containsExactly("n5");
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
