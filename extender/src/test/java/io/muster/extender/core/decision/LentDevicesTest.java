package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Devices that one team has lent to another come back, though the borrower takes the owner
 * references off its pods: 32 devices, of which each team has 16.
 */
final class LentDevicesTest {

  private static final String LENDER = "team-a";
  private static final String BORROWER = "team-b";

  private static ClusterSimulation cluster(Rules rules) {
    var cluster = new ClusterSimulation(1, rules);
    cluster.ownersReplace = true;
    cluster.configure(new Queues(List.of(queue("speech", LENDER), queue("research", BORROWER))));
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    return cluster;
  }

  private static Queue queue(String name, String namespace) {
    return new Queue(
        name,
        1,
        Optional.of(16L),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(namespace));
  }

  static Stream<Rules> rules() {
    return Stream.of(
        Rules.extender(NodePinPolicy.NEVER),
        Rules.extender(NodePinPolicy.ALWAYS),
        Rules.affinity());
  }

  private static void gang(ClusterSimulation cluster, String namespace, String name, int members) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod(namespace, name + "-" + i)
              .gpus(8)
              .gang(name, members)
              .createdAt(cluster.now())
              .build());
    }
  }

  private static void pass(ClusterSimulation cluster, long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private static void takeOwnersOff(ClusterSimulation cluster, Pod... pods) {
    Stream.of(pods).map(PodBuilder::orphaned).forEach(cluster::store);
  }

  private static Pod[] of(ClusterSimulation cluster, String namespace) {
    return cluster.pods.values().stream()
        .filter(pod -> pod.key().namespace().equals(namespace))
        .toArray(Pod[]::new);
  }

  /** Names of gangs are of their own namespace alone. */
  @ParameterizedTest
  @MethodSource("rules")
  void nobodyIsToldTheNameOfAGangOfAnotherNamespace(Rules rules) {
    var cluster = cluster(rules);
    cluster.longestEndingMillis = 60_000;
    gang(cluster, BORROWER, "greedy", 4);
    pass(cluster, 30);
    gang(cluster, LENDER, "owner", 2);
    pass(cluster, 20);
    assertThat(cluster.report("greedy").message())
        .isEqualTo(
            "4 members end to make room for a gang of another namespace, which comes before it");
    assertThat(cluster.report("owner").message())
        .isEqualTo("32 devices come free for it: 1 gang ends");
  }

  private static void comeBack(ClusterSimulation cluster) {
    gang(cluster, LENDER, "owner", 2);
    pass(cluster, 120);
    assertThat(cluster.boundOf("owner")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void whatAGangHasBorrowedComesBackThoughItsPodsHaveLostTheirController(Rules rules) {
    var cluster = cluster(rules);
    gang(cluster, BORROWER, "greedy", 4);
    pass(cluster, 30);
    assertThat(cluster.boundOf("greedy")).isEqualTo(4);
    takeOwnersOff(cluster, of(cluster, BORROWER));
    pass(cluster, 30);
    comeBack(cluster);
    assertThat(cluster.boundOf("greedy")).isZero();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void andWhenAnotherProcessLeads(Rules rules) {
    var cluster = cluster(rules);
    gang(cluster, BORROWER, "greedy", 4);
    pass(cluster, 30);
    takeOwnersOff(cluster, of(cluster, BORROWER));
    pass(cluster, 5);
    cluster.restartAfter(Duration.ofSeconds(2));
    pass(cluster, 30);
    comeBack(cluster);
  }

  /**
   * Its members ran before Muster knew of them, so that they do not end with a start that fails.
   */
  @Test
  void aGangThatWaitsForOneMoreGivesBackWhatItHolds() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    cluster.gracesAreUsedUp = true;
    var terms =
        new Terms.Usable(
            4,
            4,
            Terms.Mode.STRICT,
            Terms.MatchPolicy.WAITING_AND_RUNNING,
            Duration.ofMinutes(10),
            new TreeSet<>(Set.of(BORROWER + "/greedy")),
            Collections.emptySortedMap(),
            Terms.OnLoss.REPLACE,
            Topology.ANYWHERE);
    for (int i = 0; i < 4; i++) {
      var pod = aPod(BORROWER, "greedy-" + i).gpus(8).gang("greedy", terms, "").on("n" + i);
      cluster.land(pod.createdAt(cluster.now()).build());
    }
    cluster.fail("uid-greedy-3", "OutOfnvidia.com/gpu");
    pass(cluster, 1);
    cluster.delete(cluster.pods.get("uid-greedy-3"), Duration.ofDays(1));
    pass(cluster, 200);
    assertThat(cluster.report("greedy").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.boundOf("greedy")).isEqualTo(3);

    comeBack(cluster);
  }

  @Test
  void oneOfItsMembersIsEnoughForNobody() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    gang(cluster, BORROWER, "greedy", 4);
    pass(cluster, 30);
    takeOwnersOff(cluster, of(cluster, BORROWER)[2]);
    pass(cluster, 30);
    comeBack(cluster);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void norDoTheyStayWhoLoseItOnTheirWayToTheirNodes(Rules rules) {
    var cluster = cluster(rules);
    gang(cluster, BORROWER, "greedy", 4);
    var limit = cluster.sinceStart().plusSeconds(30);
    while (Stream.of(of(cluster, BORROWER)).noneMatch(pod -> hasPlace(cluster, pod))
        && cluster.sinceStart().compareTo(limit) < 0) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    assertThat(of(cluster, BORROWER))
        .allMatch(pod -> hasPlace(cluster, pod))
        .noneMatch(Pod::isBound);
    takeOwnersOff(cluster, of(cluster, BORROWER));
    pass(cluster, 30);
    assertThat(cluster.boundOf("greedy")).isEqualTo(4);
    cluster.restartAfter(Duration.ofSeconds(2));
    pass(cluster, 30);
    comeBack(cluster);
  }

  private static boolean hasPlace(ClusterSimulation cluster, Pod pod) {
    return cluster.muster().cluster().inventory().nodeOf(pod.key().uid()).isPresent();
  }

  @Test
  void whoLosesItWhileItWaitsStartsWithinTheQuota() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    gang(cluster, LENDER, "first", 2);
    pass(cluster, 5);
    gang(cluster, BORROWER, "greedy", 3);
    pass(cluster, 5);
    assertThat(cluster.boundOf("greedy")).as("there is no room").isZero();
    takeOwnersOff(cluster, of(cluster, BORROWER));
    Stream.of(of(cluster, LENDER)).forEach(pod -> cluster.complete(pod.key().uid()));
    pass(cluster, 30);
    assertThat(cluster.boundOf("greedy")).isZero();
    assertThat(cluster.report("greedy").message()).contains("without a controller may not borrow");
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whoComesToAGangThatCannotBeEndedBorrowsNothing() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    for (int i = 0; i < 4; i++) {
      var pod = aPod(BORROWER, "mixed-" + i).gpus(8).gang("mixed", 2).createdAt(cluster.now());
      cluster.create((i == 0 ? pod.bare() : pod).build());
      pass(cluster, 2);
    }
    pass(cluster, 30);
    assertThat(cluster.boundOf("mixed")).as("within the quota").isEqualTo(2);
    comeBack(cluster);
    assertThat(cluster.boundOf("mixed")).isEqualTo(2);
  }

  @Test
  void aMemberWithoutAControllerDoesNotJoinAGangThatHasBorrowedThoughItAsksForNothing() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    gang(cluster, BORROWER, "greedy", 4);
    pass(cluster, 30);
    cluster.create(
        aPod(BORROWER, "greedy-9").gang("greedy", 4).bare().createdAt(cluster.now()).build());
    pass(cluster, 30);
    comeBack(cluster);
  }

  @Test
  void aMemberWithoutAControllerThatAsksForNothingJoinsOneWithinTheQuota() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    gang(cluster, BORROWER, "modest", 2);
    pass(cluster, 30);
    cluster.create(
        aPod(BORROWER, "modest-9").gang("modest", 2).bare().createdAt(cluster.now()).build());
    pass(cluster, 30);
    assertThat(cluster.boundOf("modest")).isEqualTo(3);
  }

  private static ClusterSimulation clusterWithGraces() {
    var waiting = Waiting.DEFAULT.endingWithin(Duration.ofSeconds(40));
    var cluster = cluster(new Rules(PlacementMode.EXTENDER, NodePinPolicy.NEVER, waiting));
    cluster.gracesAreUsedUp = true;
    for (int i = 0; i < 4; i++) {
      cluster.create(
          aPod(BORROWER, "greedy-" + i)
              .gpus(8)
              .gang("greedy", 4)
              .grace(Duration.ofSeconds(1_000_000))
              .createdAt(cluster.now())
              .build());
    }
    pass(cluster, 30);
    assertThat(cluster.boundOf("greedy")).isEqualTo(4);
    return cluster;
  }

  @Test
  void aLongGracePeriodKeepsNothingForLongerThanTheSettingSays() {
    comeBack(clusterWithGraces());
  }

  @Test
  void norDoesADeletionThatHasBegun() {
    var cluster = clusterWithGraces();
    Stream.of(of(cluster, BORROWER)).forEach(pod -> cluster.delete(pod.key().uid()));
    pass(cluster, 5);
    assertThat(of(cluster, BORROWER)).allMatch(pod -> pod.progress().deleting());
    comeBack(cluster);
  }

  @Test
  void norTheDeletionOfOneMember() {
    var cluster = clusterWithGraces();
    cluster.delete(of(cluster, BORROWER)[1].key().uid());
    pass(cluster, 5);
    comeBack(cluster);
  }

  /** Each pod is made anew as soon as it has gone, and would take its room again. */
  @Test
  void whatEndsAlreadyIsKeptForItsOwner() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    cluster.longestEndingMillis = 30_000;
    for (int i = 0; i < 8; i++) {
      cluster.create(aPod(BORROWER, "single-" + i).gpus(4).createdAt(cluster.now()).build());
    }
    pass(cluster, 30);
    gang(cluster, LENDER, "owner", 2);
    for (int i = 0; i < 25; i++) {
      Stream.of(of(cluster, BORROWER)).forEach(pod -> cluster.delete(pod.key().uid()));
      pass(cluster, 3);
    }
    assertThat(cluster.boundOf("owner")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatEndsAlreadyIsKeptForOneAlone() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    cluster.longestEndingMillis = 30_000;
    for (int i = 0; i < 4; i++) {
      cluster.create(aPod(BORROWER, "single-" + i).gpus(8).createdAt(cluster.now()).build());
    }
    pass(cluster, 30);
    gang(cluster, LENDER, "first", 1);
    gang(cluster, LENDER, "second", 1);
    pass(cluster, 10);
    cluster.gracesAreUsedUp = true;
    cluster.delete(of(cluster, BORROWER)[0], Duration.ofSeconds(60));
    pass(cluster, 60);
    assertThat(cluster.boundOf("first") + cluster.boundOf("second")).isEqualTo(1);
    pass(cluster, 10);
    assertThat(cluster.boundOf("first") + cluster.boundOf("second")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aPodWithoutAGangGivesItBackToo() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    for (int i = 0; i < 4; i++) {
      cluster.create(
          aPod(BORROWER, "single-" + i).gpus(8).createdAt(cluster.now().plusSeconds(i)).build());
    }
    pass(cluster, 30);
    assertThat(of(cluster, BORROWER)).allMatch(Pod::isBound);
    takeOwnersOff(cluster, of(cluster, BORROWER));
    pass(cluster, 5);
    cluster.restartAfter(Duration.ofSeconds(2));
    pass(cluster, 30);
    comeBack(cluster);
    assertThat(of(cluster, BORROWER)).as("within the quota they stay").hasSize(2);
  }

  /** They are never preempted, and end when they like: what they hold, their queue holds. */
  @Test
  void podsWithoutAControllerThatEndInYearsProtectNothingThatOthersHaveBorrowed() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    cluster.gracesAreUsedUp = true;
    for (int i = 0; i < 2; i++) {
      cluster.create(aPod(BORROWER, "bare-" + i).gpus(8).bare().createdAt(cluster.now()).build());
    }
    pass(cluster, 30);
    gang(cluster, BORROWER, "greedy", 2);
    pass(cluster, 30);
    Stream.of(of(cluster, BORROWER))
        .filter(pod -> !pod.mayEnd())
        .forEach(pod -> cluster.delete(pod, Duration.ofSeconds(1_000_000)));
    pass(cluster, 5);
    assertThat(of(cluster, BORROWER)).hasSize(4).allMatch(Pod::isBound);
    comeBack(cluster);
  }

  /** It lacks three, two of which are still there: it is kept no room for these elsewhere. */
  @Test
  void whatEndsForAGangIsNotKeptForReplacementsOfAnother() {
    var cluster = cluster(Rules.extender(NodePinPolicy.NEVER));
    cluster.ownersReplace = false;
    cluster.gracesAreUsedUp = true;
    gang(cluster, BORROWER, "damaged", 3);
    pass(cluster, 30);
    cluster.create(aPod(BORROWER, "single").gpus(8).createdAt(cluster.now()).build());
    pass(cluster, 30);
    gang(cluster, LENDER, "owner", 1);
    pass(cluster, 17);
    assertThat(of(cluster, BORROWER)).anyMatch(pod -> pod.progress().deleting());
    var members =
        Stream.of(of(cluster, BORROWER))
            .filter(pod -> pod.key().name().startsWith("damaged"))
            .toList();
    cluster.delete(members.get(0), Duration.ofSeconds(1));
    cluster.delete(members.get(1), Duration.ofSeconds(1_000_000));
    pass(cluster, 40);
    assertThat(cluster.boundOf("owner")).isEqualTo(1);
    assertThat(cluster.faults).isEmpty();
  }
}
