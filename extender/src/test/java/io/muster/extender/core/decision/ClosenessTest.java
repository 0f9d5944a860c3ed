package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gangs whose members must be, or had better be, close together. */
final class ClosenessTest extends GangScenes {

  private ClusterSimulation cluster(NodePinPolicy pins, int perRack) {
    var fresh = new ClusterSimulation(5, Rules.extender(pins));
    for (var rack : List.of("r1", "r2")) {
      for (int i = 0; i < perRack; i++) {
        fresh.addNode(aNode(rack + "-" + i).gpus(1).label("rack", rack).build());
      }
    }
    fresh.runUntil(seconds(1));
    return fresh;
  }

  private static void create(
      ClusterSimulation cluster, String gang, Terms.Usable terms, int count) {
    for (int i = 0; i < count; i++) {
      cluster.create(
          aPod("ml", gang + "-" + i)
              .gpus(1)
              .gang(gang, terms, "")
              .createdAt(cluster.now())
              .build());
    }
  }

  private static Set<String> racks(ClusterSimulation cluster, String gang) {
    return cluster.pods.values().stream()
        .filter(pod -> pod.key().name().startsWith(gang))
        .flatMap(pod -> pod.progress().nodeName().stream())
        .map(node -> node.substring(0, 2))
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void membersGoToOneDomainOrWait(NodePinPolicy pins) {
    var cluster = cluster(pins, 3);
    create(cluster, "small", terms("small", 1).build(), 1);
    cluster.runUntil(seconds(5));
    var close = terms("g", 3).topology(Topology.requiring("rack")).build();
    create(cluster, "g", close, 3);
    cluster.runUntil(seconds(15));
    assertThat(racks(cluster, "g")).hasSize(1);
    assertThat(cluster.boundOf("g")).isEqualTo(3);

    create(cluster, "h", terms("h", 3).topology(Topology.requiring("rack")).build(), 3);
    cluster.addNode(aNode("r9-0").gpus(1).label("rack", "r9").build());
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("h")).isZero();
    assertThat(cluster.report("h").message()).contains("no rack holds all 3 members");
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void membersThatPreferOneDomainGoAnywhereIfNoneHoldsThem(NodePinPolicy pins) {
    var cluster = cluster(pins, 2);
    create(cluster, "g", terms("g", 3).topology(Topology.preferring("rack")).build(), 3);
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(racks(cluster, "g")).hasSize(2);
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aReplacementGoesWhereItsSiblingsAre(NodePinPolicy pins) {
    var cluster = cluster(pins, 3);
    var close = terms("g", 2).topology(Topology.requiring("rack")).build();
    create(cluster, "g", close, 2);
    cluster.runUntil(seconds(10));
    var rack = racks(cluster, "g").iterator().next();
    var lost = cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow();
    cluster.removeNode(lost);
    cluster.runUntil(seconds(15));
    cluster.create(
        aPod("ml", "g-1")
            .uid("again")
            .gpus(1)
            .gang("g", close, "")
            .createdAt(cluster.now())
            .build());
    cluster.runUntil(seconds(30));
    assertThat(cluster.pods.get("again").progress().nodeName())
        .hasValueSatisfying(node -> assertThat(node).startsWith(rack));
    assertThat(cluster.faults).isEmpty();
  }

  private static Topology pairs() {
    return Topology.ANYWHERE.inSegments(new Topology.Segment("rack", 2));
  }

  private static String rackOf(ClusterSimulation cluster, String uid) {
    return cluster.pods.get(uid).progress().nodeName().orElseThrow().substring(0, 2);
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void membersMeetNodesInTheOrderOfTheirRanks(NodePinPolicy pins) {
    var cluster = cluster(pins, 6);
    create(cluster, "g", terms("g", 12).build(), 12);
    cluster.runUntil(seconds(15));
    assertThat(
            IntStream.range(0, 12)
                .mapToObj(i -> cluster.pods.get("uid-g-" + i).progress().nodeName().orElseThrow()))
        .as("g-10 comes after g-9")
        .isSorted();
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aReplacementGoesToTheDomainOfItsSegmentOrWaits(NodePinPolicy pins) {
    var cluster = cluster(pins, 3);
    var terms = terms("g", 4).topology(pairs()).build();
    create(cluster, "g", terms, 4);
    cluster.runUntil(seconds(10));
    var second = rackOf(cluster, "uid-g-2");
    assertThat(rackOf(cluster, "uid-g-0")).isEqualTo(rackOf(cluster, "uid-g-1"));
    assertThat(rackOf(cluster, "uid-g-3"))
        .isEqualTo(second)
        .isNotEqualTo(rackOf(cluster, "uid-g-0"));

    cluster.removeNode(cluster.pods.get("uid-g-3").progress().nodeName().orElseThrow());
    cluster.runUntil(seconds(15));
    createAgain(cluster, "again", terms, 3);
    cluster.runUntil(seconds(30));
    assertThat(rackOf(cluster, "again-3")).isEqualTo(second);

    cluster.removeNode(cluster.pods.get("again-3").progress().nodeName().orElseThrow());
    cluster.runUntil(seconds(40));
    createAgain(cluster, "third", terms, 3);
    cluster.runUntil(seconds(70));
    assertThat(cluster.pods.get("third-3").progress().nodeName())
        .as("one node is free, in the other rack")
        .isEmpty();
    cluster.addNode(aNode(second + "-9").gpus(1).label("rack", second).build());
    cluster.runUntil(seconds(100));
    assertThat(rackOf(cluster, "third-3")).isEqualTo(second);
    assertThat(cluster.faults).isEmpty();
  }

  /**
   * Segments are those of the start: the lowest rank begins the first one, also once it is lost.
   */
  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void whereRanksBeginAtAnotherNumberAReplacementGoesToItsSegmentToo(NodePinPolicy pins) {
    var cluster = cluster(pins, 3);
    var terms = terms("g", 4).topology(pairs()).build();
    for (int i = 5; i < 9; i++) {
      createAgain(cluster, "uid-g", terms, i);
    }
    cluster.runUntil(seconds(10));
    var first = rackOf(cluster, "uid-g-5");
    var second = rackOf(cluster, "uid-g-8");
    assertThat(first).isEqualTo(rackOf(cluster, "uid-g-6")).isNotEqualTo(second);

    cluster.delete("uid-g-6");
    cluster.runUntil(seconds(15));
    createAgain(cluster, "again", terms, 6);
    cluster.runUntil(seconds(30));
    assertThat(rackOf(cluster, "again-6")).isEqualTo(first);

    cluster.delete("uid-g-5");
    cluster.runUntil(seconds(35));
    cluster.delete("uid-g-7");
    cluster.runUntil(seconds(40));
    createAgain(cluster, "again", terms, 7);
    cluster.runUntil(seconds(60));
    assertThat(rackOf(cluster, "again-7")).isEqualTo(second);
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aSegmentThatIsLostAsAWholeGoesWhereAllOfItHasRoom(NodePinPolicy pins) {
    var cluster = cluster(pins, 2);
    var terms = terms("g", 4).topology(pairs()).build();
    create(cluster, "g", terms, 4);
    cluster.runUntil(seconds(10));
    var lost =
        Stream.of("uid-g-2", "uid-g-3")
            .map(uid -> cluster.pods.get(uid).progress().nodeName().orElseThrow())
            .toList();
    for (var node : List.of("r5-0", "r6-0", "r7-0", "r7-1")) {
      cluster.addNode(aNode(node).gpus(1).label("rack", node.substring(0, 2)).build());
    }
    lost.forEach(cluster::removeNode);
    cluster.runUntil(seconds(15));
    createAgain(cluster, "again", terms, 2);
    createAgain(cluster, "again", terms, 3);
    cluster.runUntil(seconds(60));
    assertThat(rackOf(cluster, "again-2")).isEqualTo("r7");
    assertThat(rackOf(cluster, "again-3")).isEqualTo("r7");
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aShortLastSegmentThatIsLostAsAWholeNeedsRoomForItsMembersAlone(NodePinPolicy pins) {
    var cluster = cluster(pins, 3);
    var threes = Topology.ANYWHERE.inSegments(new Topology.Segment("rack", 3));
    var terms = terms("g", 5).topology(threes).build();
    create(cluster, "g", terms, 5);
    cluster.runUntil(seconds(10));
    var lost = rackOf(cluster, "uid-g-4");
    for (var node : List.of("r5-0", "r7-0", "r7-1")) {
      cluster.addNode(aNode(node).gpus(1).label("rack", node.substring(0, 2)).build());
    }
    IntStream.range(0, 3).forEach(i -> cluster.removeNode(lost + "-" + i));
    cluster.runUntil(seconds(15));
    createAgain(cluster, "again", terms, 3);
    createAgain(cluster, "again", terms, 4);
    cluster.runUntil(seconds(60));
    assertThat(rackOf(cluster, "again-3")).isEqualTo("r7");
    assertThat(rackOf(cluster, "again-4")).isEqualTo("r7");
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void whatSegmentsLackIsSaidOnce(NodePinPolicy pins) {
    var cluster = cluster(pins, 2);
    var threes = Topology.ANYWHERE.inSegments(new Topology.Segment("rack", 3));
    cluster.addNode(aNode("r3-0").gpus(1).label("rack", "r3").build());
    cluster.addNode(aNode("r4-0").gpus(1).label("rack", "r4").build());
    create(cluster, "g", terms("g", 6).topology(threes).build(), 6);
    cluster.runUntil(seconds(15));
    assertThat(cluster.report("g").message())
        .containsOnlyOnce("needs 2 domains of rack with room for 3 members each");
  }

  /** A master and a worker of rank 0. */
  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void whereRanksRepeatAReplacementGoesToTheSegmentThatLacksAMember(NodePinPolicy pins) {
    var cluster = cluster(pins, 2);
    var terms = terms("g", 4).topology(pairs()).build();
    cluster.create(aPod("ml", "m-0").gpus(1).gang("g", terms, "").createdAt(cluster.now()).build());
    create(cluster, "g", terms, 3);
    cluster.runUntil(seconds(10));
    var rack = rackOf(cluster, "uid-g-1");
    assertThat(rackOf(cluster, "uid-g-2")).isEqualTo(rack);
    cluster.delete("uid-g-1");
    cluster.runUntil(seconds(15));
    createAgain(cluster, "again", terms, 1);
    cluster.runUntil(seconds(60));
    assertThat(rackOf(cluster, "again-1")).isEqualTo(rack);
    assertThat(cluster.faults).isEmpty();
  }

  private static void createAgain(
      ClusterSimulation cluster, String uid, Terms.Usable terms, int index) {
    cluster.create(
        aPod("ml", "g-" + index)
            .uid(uid + "-" + index)
            .gpus(1)
            .gang("g", terms, "")
            .createdAt(cluster.now())
            .build());
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void whoBeginsASegmentGoesWhereAllOfItHasRoom(NodePinPolicy pins) {
    var cluster = cluster(pins, 3);
    var terms = terms("g", 2).topology(pairs()).build();
    create(cluster, "g", terms, 2);
    cluster.runUntil(seconds(10));
    var first = rackOf(cluster, "uid-g-0");
    for (int i = 2; i < 4; i++) {
      createAgain(cluster, "uid-g", terms, i);
    }
    cluster.runUntil(seconds(30));
    assertThat(rackOf(cluster, "uid-g-2")).isNotEqualTo(first);
    assertThat(rackOf(cluster, "uid-g-3")).isEqualTo(rackOf(cluster, "uid-g-2"));
    for (int i = 4; i < 6; i++) {
      createAgain(cluster, "uid-g", terms, i);
    }
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).as("one node is left of each rack").isEqualTo(4);
    cluster.addNode(aNode(first + "-9").gpus(1).label("rack", first).build());
    cluster.runUntil(seconds(100));
    assertThat(cluster.boundOf("g")).isEqualTo(6);
    assertThat(rackOf(cluster, "uid-g-5")).isEqualTo(first).isEqualTo(rackOf(cluster, "uid-g-4"));
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void noRoomIsKeptForAReplacementWhereItsSiblingsAreNot(NodePinPolicy pins) {
    var cluster = cluster(pins, 2);
    var close = terms("g", 2).topology(Topology.requiring("rack")).build();
    create(cluster, "g", close, 2);
    cluster.runUntil(seconds(10));
    var rack = racks(cluster, "g").iterator().next();
    cluster.removeNode(cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow());
    cluster.runUntil(seconds(15));
    create(cluster, "other", terms("other", 2).build(), 2);
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("other")).isEqualTo(2);
    assertThat(racks(cluster, "other")).doesNotContain(rack);
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void whoJoinsAGangThatRunsWaitsWhereThereIsNoRoomBesideItsSiblings(NodePinPolicy pins) {
    var cluster = cluster(pins, 2);
    var close = terms("g", 2).topology(Topology.requiring("rack")).build();
    create(cluster, "g", close, 3);
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("g")).as("two on each rack").isEqualTo(2);
    assertThat(racks(cluster, "g")).hasSize(1);

    var rack = racks(cluster, "g").iterator().next();
    cluster.addNode(aNode(rack + "-9").gpus(1).label("rack", rack).build());
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(racks(cluster, "g")).containsExactly(rack);
    assertThat(cluster.faults).isEmpty();
  }
}
