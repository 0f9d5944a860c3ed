package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Birth;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.PinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Members that get their places before they are stored. */
final class BirthTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(PinPolicy.ALWAYS));

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  private void nodes(int count, int gpus) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("n" + i).gpus(gpus).build());
    }
    cluster.runUntil(seconds(1));
  }

  private PodBuilder member(String gang, int index, int min) {
    return aPod(gang + "-" + index).gpus(1).gang(gang, min).createdAt(cluster.now());
  }

  private void create(String gang, int members, int min) {
    for (int i = 0; i < members; i++) {
      cluster.create(member(gang, i, min).build());
    }
  }

  private Birth birth(Pod pod) {
    return cluster.muster().birth(pod, cluster.now()).birth();
  }

  private Optional<Pin> pinOf(String pod) {
    return cluster.pods.get("uid-" + pod).origin().pinning().pin();
  }

  private void settled() {
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void everyMemberIsBornWithAPlaceOfItsOwnAndSpareNodes() {
    nodes(6, 2);
    create("g", 4, 4);

    var planned = new HashMap<String, Integer>();
    for (int i = 0; i < 4; i++) {
      var pin = pinOf("g-" + i).orElseThrow();
      planned.merge(pin.nodes().getFirst(), 1, Integer::sum);
      assertThat(pin.nodes()).doesNotHaveDuplicates().hasSizeBetween(2, 4);
    }
    assertThat(planned).isEqualTo(Map.of("n0", 2, "n1", 2));

    cluster.runUntil(seconds(5));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    cluster
        .pods
        .values()
        .forEach(pod ->
            assertThat(pod.progress().nodeName())
                .contains(pinOf(pod.key().name()).orElseThrow().nodes().getFirst()));
    settled();
  }

  @Test
  void aMemberThatNobodyMakesAnewIsNotTied() {
    nodes(4, 1);
    cluster.create(member("g", 0, 2).bare().build());
    cluster.create(member("g", 1, 2).bare().build());

    assertThat(pinOf("g-0")).isEmpty();
    assertThat(pinOf("g-1")).isEmpty();
    cluster.runUntil(seconds(5));
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }

  @Test
  void anotherCallAboutTheSamePodFindsItsPinAndKeepsIt() {
    nodes(4, 1);
    var pod = member("g", 0, 2).build();
    var pin = ((Birth.Placed) birth(pod)).pin();

    assertThat(birth(PodBuilder.tied(pod, pin))).isEqualTo(new Birth.Placed(pin));
    assertThat(((Birth.Placed) birth(member("g", 1, 2).build())).pin().nodes().getFirst())
        .isNotEqualTo(pin.nodes().getFirst());
  }

  @Test
  void aPinFromACopiedManifestIsReplaced() {
    nodes(4, 1);
    var stale = new Pin("77", List.of("n3"));
    var answer = birth(PodBuilder.tied(member("g", 0, 1).build(), stale));

    assertThat(((Birth.Placed) answer).pin().nodes().getFirst()).isEqualTo("n0");
  }

  @Test
  void aPlaceOfAPodThatWasRefusedIsHandedOutAgain() {
    nodes(4, 1);
    cluster.createRefused(member("g", 0, 4).build());
    for (int i = 1; i < 4; i++) {
      cluster.create(member("g", i, 4).build());
    }
    cluster.at(seconds(2), () -> cluster.createRefused(member("g", 0, 4).build()));
    cluster.at(seconds(4), () -> cluster.create(member("g", 0, 4).build()));
    cluster.runUntil(seconds(8));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void nothingIsHeldForAPodThatIsRefusedForEver() {
    nodes(4, 1);
    for (int second = 1; second < 60; second += 2) {
      cluster.at(seconds(second), () -> cluster.createRefused(member("quota", 0, 4).build()));
    }
    cluster.at(seconds(3), () -> create("other", 4, 4));
    cluster.runUntil(seconds(40));
    assertThat(cluster.boundOf("other")).isEqualTo(4);
    settled();
  }

  @Test
  void aGangThatFailedToAssembleIsGatedUntilItIsComplete() {
    nodes(4, 1);
    create("g", 2, 4);
    cluster.runUntil(seconds(18));
    cluster.create(member("g", 2, 4).build());
    assertThat(cluster.pods.get("uid-g-2").isGatedByMuster()).isTrue();

    create("other", 4, 4);
    cluster.runUntil(seconds(22));
    assertThat(cluster.boundOf("other")).isEqualTo(4);
    assertThat(cluster.boundOf("g")).isZero();
    settled();
  }

  @Test
  void membersThatAreTiedKeepTheirPlacesWhileTheirSiblingsAreSlow() {
    nodes(4, 1);
    create("g", 2, 4);
    cluster.runUntil(seconds(6));
    create("other", 4, 4);
    cluster.runUntil(seconds(12));
    assertThat(cluster.boundOf("other")).isZero();
    cluster.create(member("g", 2, 4).build());
    cluster.create(member("g", 3, 4).build());
    cluster.runUntil(seconds(20));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void aNodeLostBetweenBirthAndBindStrandsNobody() {
    nodes(6, 1);
    create("g", 4, 4);
    var lost = pinOf("g-0").orElseThrow().nodes().getFirst();
    cluster.removeNode(lost);
    cluster.runUntil(seconds(10));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void membersWhoseSparesAreLostTooAreMadeAnew() {
    nodes(5, 1);
    create("g", 1, 1);
    var pin = pinOf("g-0").orElseThrow();
    assertThat(pin.nodes()).hasSize(4);
    pin.nodes().forEach(cluster::removeNode);
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("g")).isEqualTo(1);
    assertThat(cluster.pods.keySet()).noneMatch("uid-g-0"::equals);
    settled();
  }

  @Test
  void membersThatConsentedButHaveNoOwnerAreNeverEnded() {
    nodes(5, 1);
    cluster.create(member("g", 0, 1).consenting().build());
    pinOf("g-0").orElseThrow().nodes().forEach(cluster::removeNode);
    cluster.runUntil(seconds(30));
    assertThat(cluster.pods).containsOnlyKeys("uid-g-0");
    assertThat(cluster.boundOf("g")).isZero();
    settled();
  }

  @Test
  void anotherLeaderGoesOnBetweenTwoBirths() {
    nodes(8, 1);
    create("g", 3, 6);
    cluster.restartAfter(seconds(0));
    cluster.runUntil(seconds(1).plusMillis(500));
    for (int i = 3; i < 6; i++) {
      cluster.create(member("g", i, 6).build());
    }
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("g")).isEqualTo(6);
    settled();
  }

  @Test
  void fiveHundredAndTwelveBirthsGetFiveHundredAndTwelvePlaces() {
    nodes(70, 8);
    create("g", 512, 512);
    var planned = new HashMap<String, Integer>();
    for (int i = 0; i < 512; i++) {
      planned.merge(pinOf("g-" + i).orElseThrow().nodes().getFirst(), 1, Integer::sum);
    }
    assertThat(planned).allSatisfy((node, members) -> assertThat(members).isLessThanOrEqualTo(8));
    cluster.runUntil(seconds(5));
    assertThat(cluster.boundOf("g")).isEqualTo(512);
    settled();
  }

  @Test
  void membersOfTwoRolesMayComeInTurns() {
    nodes(8, 8);
    membersOfTwoRoles();
    for (int i = 0; i < 8; i++) {
      assertThat(pinOf("g-" + i)).isPresent();
    }
    cluster.runUntil(seconds(5));
    assertThat(cluster.boundOf("g")).isEqualTo(8);
    settled();
  }

  @Test
  void rolesThatFitOnlyTogetherWaitUntilAllMembersAreKnown() {
    nodes(4, 8);
    membersOfTwoRoles();
    assertThat(cluster.pods.get("uid-g-0").isGatedByMuster()).isTrue();
    cluster.runUntil(seconds(5));
    assertThat(cluster.boundOf("g")).isEqualTo(8);
    settled();
  }

  private void membersOfTwoRoles() {
    for (int i = 0; i < 8; i++) {
      cluster.create(
          aPod("g-" + i).gpus(i % 2 == 0 ? 6 : 2).gang("g", 8).createdAt(cluster.now()).build());
    }
  }

  @Test
  void aWaitingGangIsTiedAsItsGatesAreTakenOff() {
    nodes(2, 1);
    create("g", 4, 4);
    assertThat(cluster.pods.values()).allMatch(Pod::isGatedByMuster);
    cluster.runUntil(seconds(5));
    cluster.addNode(aNode("late-0").gpus(1).build());
    cluster.addNode(aNode("late-1").gpus(1).build());
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.pods.values()).allMatch(pod -> pod.origin().pinning().pin().isPresent());
    settled();
  }

  @Test
  void abortedMembersWaitForTheirNodesOrAreMadeAnewElsewhere() {
    nodes(4, 1);
    create("g", 3, 4);
    cluster.runUntil(seconds(18));
    create("other", 3, 3);
    cluster.runUntil(seconds(22));
    assertThat(cluster.boundOf("other")).isEqualTo(3);
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("late-" + i).gpus(1).build());
    }
    cluster.runUntil(seconds(23));
    cluster.create(member("g", 3, 4).build());
    cluster.runUntil(seconds(70));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void aMemberThatKubeSchedulerFindsNoNodeForSaysSo() {
    nodes(4, 1);
    create("g", 2, 2);
    var pod = cluster.pods.get("uid-g-0");
    cluster.scheduler.reject("uid-g-0");
    cluster.runUntil(seconds(7));
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").phase()).isIn(Phase.WAITING, Phase.PLANNED);
    assertThat(cluster.report("g").message())
        .contains("kube-scheduler has no node for g-0: 0/4 nodes are available: no");
    assertThat(pod.origin().pinning().pin()).isPresent();
    settled();
  }

  /** Time passes between the birth of a member and the sight of it. */
  @Test
  void aLifeThatBeganWithABirthIsNotReportedAsOver() {
    nodes(2, 1);
    create("g", 2, 2);
    cluster.runUntil(seconds(5));
    List.of("uid-g-0", "uid-g-1").forEach(cluster::delete);
    cluster.create(aPod("single").gpus(1).createdAt(cluster.now()).build());
    cluster.runUntil(seconds(8));
    var next = member("g", 0, 2).uid("again-0").build();
    assertThat(birth(next)).isInstanceOf(Birth.Gated.class);
    cluster.runUntil(seconds(10));
    cluster.create(next);
    cluster.create(member("g", 1, 2).uid("again-1").build());
    cluster.runUntil(seconds(13));

    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.NO_ROOM);
    settled();
  }
}
