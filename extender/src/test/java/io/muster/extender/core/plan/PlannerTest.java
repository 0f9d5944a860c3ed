package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.cluster.Toleration;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class PlannerTest {

  private final Inventory inventory = new Inventory();
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);

  private void nodes(Node... nodes) {
    Stream.of(nodes).forEach(inventory::seen);
  }

  private Verdict decide(PodBuilder... members) {
    return planner.decide(
        inventory.snapshot(),
        GangRequest.of(
            Stream.of(members).map(member -> member.build().demand()).toList(), Set.of()));
  }

  private void assertTally(Verdict verdict, int member, String tally) {
    assertThat(verdict).isEqualTo(new Verdict.NoRoom(member, tally));
  }

  @Test
  void fillsTheFullestNodeFirst() {
    nodes(aNode("empty").gpus(8).build(), aNode("used").gpus(8).build());
    inventory.occupy("someone", "used", aPod("x").gpus(5).build().demand().requests());
    assertThat(decide(aPod("a").gpus(1), aPod("b").gpus(1), aPod("c").gpus(1), aPod("d").gpus(1)))
        .as("and members that are alike meet nodes by name")
        .isEqualTo(new Verdict.Placed(List.of("empty", "used", "used", "used")));
  }

  @Test
  void breaksTiesByName() {
    nodes(aNode("b").gpus(1).build(), aNode("a").gpus(1).build(), aNode("c").gpus(1).build());
    assertThat(decide(aPod("x").gpus(1), aPod("y").gpus(1)))
        .isEqualTo(new Verdict.Placed(List.of("a", "b")));
  }

  @Test
  void nodesThatAMemberWouldRatherNotHaveAreTakenLast() {
    nodes(
        aNode("a").gpus(1).label("spot", "true").build(),
        aNode("b").gpus(8).build(),
        aNode("c").gpus(1).label("spot", "true").build());
    var steady =
        new NodeTerm(List.of(new Requirement("spot", Operator.NOT_IN, Set.of("true"))), List.of());
    assertThat(decide(aPod("x").gpus(7).preferring(steady), aPod("y").gpus(1).preferring(steady)))
        .isEqualTo(new Verdict.Placed(List.of("b", "b")));
    assertThat(decide(aPod("x").gpus(8), aPod("y").gpus(1).preferring(steady)))
        .isEqualTo(new Verdict.Placed(List.of("b", "a")));
    assertThat(decide(aPod("y").gpus(1))).isEqualTo(new Verdict.Placed(List.of("a")));
  }

  @Test
  void namesTheFirstMemberWithoutAPlaceAndWhyNoNodeTakesIt() {
    nodes(aNode("n1").gpus(1).build(), aNode("n2").gpus(1).build(), aNode("n3").build());
    assertTally(
        decide(aPod("a").gpus(1), aPod("b").gpus(1), aPod("c").gpus(1)),
        2,
        "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");
  }

  @Test
  void countsEachObstacleInTheWordsOfKubeScheduler() {
    nodes(
        aNode("tainted").gpus(1).taint("dedicated", "infra", Taint.Effect.NO_SCHEDULE).build(),
        aNode("cordoned").gpus(1).availability(Node.Availability.CORDONED).build(),
        aNode("down").gpus(1).availability(Node.Availability.NOT_READY).build(),
        aNode("other").gpus(1).build(),
        aNode("small").gpus(0).cpuMillis(500).label("zone", "a").build());
    assertTally(
        decide(aPod("a").gpus(1).cpuMillis(1000).selecting("zone", "a")),
        0,
        "0/5 nodes are available: 1 Insufficient cpu, 1 Insufficient nvidia.com/gpu, 1 node(s)"
            + " didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint"
            + " {dedicated: infra}, 1 node(s) were not ready, 1 node(s) were unschedulable.");
  }

  @Test
  void usesATaintedNodeForAPodThatToleratesIt() {
    nodes(aNode("t").gpus(1).taint("nvidia.com/gpu", "present", Taint.Effect.NO_SCHEDULE).build());
    var tolerating = new Toleration("nvidia.com/gpu", true, "", Optional.empty());
    assertThat(decide(aPod("a").gpus(1).tolerating(tolerating)))
        .isEqualTo(new Verdict.Placed(List.of("t")));
    assertThat(decide(aPod("a").gpus(1))).isInstanceOf(Verdict.NoRoom.class);
  }

  @Test
  void ignoresATaintThatOnlyPrefers() {
    nodes(aNode("t").gpus(1).taint("soft", "", Taint.Effect.PREFER_NO_SCHEDULE).build());
    assertThat(decide(aPod("a").gpus(1))).isEqualTo(new Verdict.Placed(List.of("t")));
  }

  @Test
  void takesNodesWithATaintThatOnlyPrefersLast() {
    nodes(
        aNode("a").gpus(1).taint("soft", "", Taint.Effect.PREFER_NO_SCHEDULE).build(),
        aNode("b").gpus(8).build());
    assertThat(decide(aPod("x").gpus(1))).isEqualTo(new Verdict.Placed(List.of("b")));
    var tolerating = new Toleration("soft", true, "", Optional.empty());
    assertThat(decide(aPod("x").gpus(1).tolerating(tolerating)))
        .isEqualTo(new Verdict.Placed(List.of("a")));
  }

  @Test
  void takesNodesThatWouldEvictItLast() {
    nodes(
        aNode("a").gpus(1).taint("maintenance", "", Taint.Effect.NO_EXECUTE).build(),
        aNode("b").gpus(8).build());
    var forAWhile = new Toleration("maintenance", true, "", Optional.empty(), true);
    assertThat(decide(aPod("x").gpus(1).tolerating(forAWhile)))
        .isEqualTo(new Verdict.Placed(List.of("b")));
    assertThat(
            decide(
                aPod("x").gpus(8).tolerating(forAWhile), aPod("y").gpus(1).tolerating(forAWhile)))
        .isEqualTo(new Verdict.Placed(List.of("b", "a")));
    var forGood = new Toleration("maintenance", true, "", Optional.empty());
    assertThat(decide(aPod("x").gpus(1).tolerating(forAWhile, forGood)))
        .isEqualTo(new Verdict.Placed(List.of("a")));
  }

  @Test
  void honoursRequiredAffinityOfAnyTerm() {
    nodes(aNode("a").gpus(1).label("gpu", "h100").build(), aNode("b").gpus(1).build());
    var h200 =
        new NodeTerm(List.of(new Requirement("gpu", Operator.IN, Set.of("h200"))), List.of());
    var byName =
        new NodeTerm(
            List.of(), List.of(new Requirement("metadata.name", Operator.IN, Set.of("b"))));
    assertThat(decide(aPod("x").gpus(1).anyOf(h200, byName)))
        .isEqualTo(new Verdict.Placed(List.of("b")));
    assertThat(decide(aPod("x").gpus(1).anyOf(h200))).isInstanceOf(Verdict.NoRoom.class);
  }

  @Test
  void keepsToThePodLimitOfANode() {
    nodes(aNode("n").gpus(4).pods(2).build());
    assertTally(
        decide(aPod("a").gpus(1), aPod("b").gpus(1), aPod("c").gpus(1)),
        2,
        "0/1 nodes are available: 1 Too many pods.");
  }

  @Test
  void leavesExcludedNodesAlone() {
    nodes(aNode("a").gpus(1).build(), aNode("b").gpus(1).build());
    var demand = aPod("x").gpus(1).build().demand();
    assertThat(planner.decide(inventory.snapshot(), GangRequest.of(List.of(demand), Set.of("a"))))
        .isEqualTo(new Verdict.Placed(List.of("b")));
  }

  @Test
  void saysSoWhenThereIsNoNodeAtAll() {
    assertTally(decide(aPod("a").gpus(1)), 0, "0/0 nodes are available: the cluster has no nodes.");
  }

  @Test
  void doesNotChangeTheSnapshot() {
    nodes(aNode("a").gpus(2).build());
    var before = List.copyOf(inventory.snapshot().rooms());
    decide(aPod("x").gpus(1), aPod("y").gpus(1));
    assertThat(List.copyOf(inventory.snapshot().rooms())).isEqualTo(before);
  }

  @Test
  void placesTheLargestFirstAndAnswersInTheOrderOfTheRequest() {
    nodes(aNode("a").gpus(3).build(), aNode("b").gpus(2).build());
    assertThat(decide(aPod("x").gpus(1), aPod("y").gpus(1), aPod("z").gpus(3)))
        .isEqualTo(new Verdict.Placed(List.of("b", "b", "a")));
  }

  @Test
  void placesFirstWhatFewestNodesTakeWhereTheLargestFirstFails() {
    nodes(
        aNode("a").gpus(4).label("gpu", "h100").build(),
        aNode("b").gpus(4).label("cpu", "large").cpuMillis(64_000).build());
    assertThat(
            decide(aPod("x").gpus(4).cpuMillis(1_000), aPod("y").gpus(1).selecting("gpu", "h100")))
        .isEqualTo(new Verdict.Placed(List.of("b", "a")));
  }

  @Test
  void neverPutsTwoMembersWithTheSamePortOnOneNode() {
    nodes(aNode("a").gpus(8).build(), aNode("b").gpus(8).build());
    var member = aPod("x").gpus(1).hostPort("TCP", "", 29500);
    assertThat(decide(member, member)).isEqualTo(new Verdict.Placed(List.of("a", "b")));
    assertTally(
        decide(member, member, member),
        2,
        "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.");
  }

  @Test
  void keepsOffAPortThatAPodHolds() {
    nodes(aNode("a").gpus(8).build(), aNode("b").gpus(8).build());
    var holder = aPod("h").hostPort("TCP", "10.0.0.1", 29500).build();
    inventory.occupy("h", "a", holder.demand().requests());
    assertThat(decide(aPod("x").gpus(1).hostPort("TCP", "", 29500)))
        .isEqualTo(new Verdict.Placed(List.of("b")));
  }

  @Test
  void leavesANodeThatGoesOutOfThePlanWhateverIsTolerated() {
    nodes(aNode("a").gpus(1).availability(Node.Availability.LEAVING).build());
    var everything = new Toleration("", true, "", Optional.empty());
    assertTally(
        decide(aPod("x").gpus(1).tolerating(everything)),
        0,
        "0/1 nodes are available: 1 node(s) were about to leave the cluster.");
  }

  @Test
  void putsMembersThatNameTheirNodesThere() {
    nodes(aNode("a").gpus(1).build(), aNode("b").gpus(1).build(), aNode("c").gpus(1).build());
    assertThat(decide(named("c", "gone"), named("b")))
        .isEqualTo(new Verdict.Placed(List.of("c", "b")));
    assertThat(decide(named("c"), named("c"))).isInstanceOf(Verdict.NoRoom.class);
  }

  private static PodBuilder named(String... names) {
    return aPod("x")
        .gpus(1)
        .anyOf(
            Stream.of(names)
                .map(name ->
                    new NodeTerm(
                        List.of(),
                        List.of(new Requirement("metadata.name", Operator.IN, Set.of(name)))))
                .toArray(NodeTerm[]::new));
  }

  @Test
  void choosesNodesByItsPolicy() {
    nodes(aNode("a").gpus(8).build(), aNode("b").gpus(8).build());
    inventory.occupy("someone", "b", aPod("x").gpus(6).build().demand().requests());
    var request = GangRequest.of(List.of(aPod("m").gpus(1).build().demand()), Set.of());
    assertThat(new Planner(new PackingPolicy.BestFit()).decide(inventory.snapshot(), request))
        .isEqualTo(new Verdict.Placed(List.of("b")));
    assertThat(new Planner(new PackingPolicy.FirstFit()).decide(inventory.snapshot(), request))
        .isEqualTo(new Verdict.Placed(List.of("a")));
    assertThat(new Planner(new PackingPolicy.Spread()).decide(inventory.snapshot(), request))
        .isEqualTo(new Verdict.Placed(List.of("a")));
  }

  @Test
  void ranksOfferedNodesAsItWouldChooseThem() {
    nodes(aNode("a").gpus(8).build(), aNode("b").gpus(8).build());
    inventory.occupy("someone", "b", aPod("x").gpus(7).build().demand().requests());
    var rooms = List.copyOf(inventory.snapshot().rooms());
    assertThat(planner.ranked(aPod("m").gpus(1).build().demand(), rooms))
        .extracting(room -> room.node().name())
        .containsExactly("b", "a");
  }
}
