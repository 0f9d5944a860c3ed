package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Members are gated when they are made, and released when their gang is planned. */
final class ReleaseTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(NodePinPolicy.ALWAYS));

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

  private Optional<NodePin> pinOf(String pod) {
    return cluster.pods.get("uid-" + pod).origin().pinning().pin();
  }

  /** Steps of a millisecond, until the member's gate is off and nobody has tried it yet. */
  private void released(String pod) {
    cluster.scheduler.asleep = true;
    while (cluster.pods.get("uid-" + pod).isGated()) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    cluster.scheduler.asleep = false;
    cluster.pods.keySet().forEach(uid -> cluster.scheduler.enqueue(uid, Duration.ZERO));
  }

  private void settled() {
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void everyMemberIsReleasedToAPlaceOfItsOwnAndSpareNodes() {
    nodes(6, 2);
    create("g", 4, 4);
    cluster.runUntil(seconds(5));

    var planned = new HashMap<String, Integer>();
    for (int i = 0; i < 4; i++) {
      var pin = pinOf("g-" + i).orElseThrow();
      planned.merge(pin.nodes().getFirst(), 1, Integer::sum);
      assertThat(pin.nodes()).doesNotHaveDuplicates().hasSizeBetween(2, 4);
    }
    assertThat(planned).isEqualTo(Map.of("n0", 2, "n1", 2));

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

    cluster.runUntil(seconds(5));
    assertThat(pinOf("g-0")).isEmpty();
    assertThat(pinOf("g-1")).isEmpty();
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }

  @Test
  void aNodeLostBetweenReleaseAndBindStrandsNobody() {
    nodes(6, 1);
    create("g", 4, 4);
    released("g-0");
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
    released("g-0");
    var pin = pinOf("g-0").orElseThrow();
    assertThat(pin.nodes()).hasSize(4);
    pin.nodes().forEach(cluster::removeNode);
    cluster.runUntil(seconds(45));
    assertThat(cluster.pods).as("nodes may come back").containsOnlyKeys("uid-g-0");
    cluster.runUntil(seconds(150));
    assertThat(cluster.boundOf("g")).isEqualTo(1);
    assertThat(cluster.pods.keySet()).noneMatch("uid-g-0"::equals);
    settled();
  }

  @Test
  void membersThatConsentedButHaveNoOwnerAreNeverEnded() {
    nodes(5, 1);
    cluster.create(member("g", 0, 1).consenting().build());
    released("g-0");
    pinOf("g-0").orElseThrow().nodes().forEach(cluster::removeNode);
    cluster.runUntil(seconds(150));
    assertThat(cluster.pods).containsOnlyKeys("uid-g-0");
    assertThat(cluster.boundOf("g")).isZero();
    settled();
  }

  @Test
  void aGangWhoseRecordCannotBeStoredForAMinuteKeepsItsNodesAndItsPods() {
    nodes(4, 1);
    create("first", 4, 4);
    released("first-0");
    cluster.writeFailures = 100;
    cluster.at(seconds(1), () -> create("second", 4, 4));
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("first")).isZero();
    cluster.writeFailures = 0;
    cluster.runUntil(seconds(100));
    assertThat(cluster.records.values())
        .as("records written, the failed ones too: few, however many gangs there are")
        .filteredOn(record -> record.gang().name().equals("first"))
        .allMatch(record -> record.epoch() < 15);
    assertThat(cluster.boundOf("first")).isEqualTo(4);
    assertThat(cluster.boundOf("second")).isZero();
    assertThat(cluster.pods.keySet()).noneMatch(uid -> uid.startsWith("again"));
    settled();
  }

  @Test
  void membersOfTwoRolesMayComeInTurns() {
    nodes(8, 8);
    membersOfTwoRoles();
    cluster.runUntil(seconds(5));
    for (int i = 0; i < 8; i++) {
      assertThat(pinOf("g-" + i)).isPresent();
    }
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
  void aGangThatHadToWaitGetsNodeAffinityAsItsGatesAreRemoved() {
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
  void nothingIsReservedForAGangWhoseMembersAreStillBeingMade() {
    nodes(4, 1);
    create("g", 3, 4);
    cluster.runUntil(seconds(3));
    create("other", 4, 4);
    cluster.runUntil(seconds(8));
    assertThat(cluster.boundOf("other")).isEqualTo(4);
    cluster.create(member("g", 3, 4).build());
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.pods.values())
        .filteredOn(pod -> pod.key().name().startsWith("g-"))
        .allMatch(Pod::isGatedByMuster);
    settled();
  }

  @Test
  void aLeaderThatComesWhileMembersAreMadeStartsThemAllTheSame() {
    nodes(8, 1);
    create("g", 3, 6);
    cluster.kill();
    cluster.runUntil(seconds(2));
    for (int i = 3; i < 6; i++) {
      cluster.create(member("g", i, 6).build());
    }
    cluster.restartAfter(seconds(3));
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("g")).isEqualTo(6);
    settled();
  }

  @Test
  void fiveHundredAndTwelveMembersThatComeWithinHalfAMinuteAllStart() {
    nodes(70, 8);
    for (int i = 0; i < 512; i++) {
      int index = i;
      cluster.at(
          seconds(1).plusMillis(50L * i), () -> cluster.create(member("g", index, 512).build()));
    }
    cluster.at(seconds(10), () -> create("other", 40, 40));
    cluster.runUntil(seconds(20));
    assertThat(cluster.boundOf("other")).isEqualTo(40);
    assertThat(cluster.boundOf("g")).isZero();
    cluster.runUntil(seconds(40));
    assertThat(cluster.boundOf("g")).isEqualTo(512);
    settled();
  }

  @Test
  void aGangThatWaitsForLessThanTwoSecondsCostsNoWrite() {
    nodes(1, 1);
    create("g", 2, 2);
    cluster.runUntil(cluster.sinceStart().plusMillis(1900));
    assertThat(cluster.gangWrites).isZero();
    assertThat(cluster.explained).isEmpty();
    cluster.addNode(aNode("late").gpus(1).build());
    cluster.runUntil(cluster.sinceStart().plusMillis(400));
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(cluster.gangWrites).as("its record").isEqualTo(1);
    cluster.runUntil(seconds(10));
    assertThat(cluster.gangWrites).as("its record, and that it runs").isEqualTo(2);
    assertThat(cluster.explained).isEmpty();
    settled();
  }

  /** 960 members stand in kube-scheduler's queue, which takes a minute and a half for them. */
  @Test
  void gangsBehindALongQueueOfKubeSchedulerAllStartAndHardlyAnyIsPlannedAnew() {
    nodes(150, 8);
    cluster.scheduler.millisEach = 90;
    cluster.scheduler.eventsWakeRefused = false;
    for (int gang = 0; gang < 60; gang++) {
      var name = "g" + gang;
      cluster.at(seconds(1).plusMillis(64L * gang), () -> create(name, 16, 16));
    }
    cluster.runUntil(seconds(200));
    for (int gang = 0; gang < 60; gang++) {
      assertThat(cluster.boundOf("g" + gang)).as("g%d", gang).isEqualTo(16);
    }
    assertThat(cluster.gangWrites)
        .as("each: its places after two seconds, its record, that it runs; and one more plan")
        .isBetween(120, 186);
    assertThat(cluster.wakes).as("the members of one gang").isLessThanOrEqualTo(16);
    settled();
  }

  @Test
  void aMemberThatKubeSchedulerFindsNoNodeForSaysSo() {
    nodes(4, 1);
    create("g", 2, 2);
    cluster.scheduler.reject("uid-g-0");
    cluster.runUntil(seconds(7));
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").phase()).isIn(Phase.WAITING, Phase.PLANNED);
    assertThat(cluster.report("g").message())
        .contains("kube-scheduler has no node for g-0: 0/4 nodes are available: no");
    assertThat(pinOf("g-0")).isPresent();
    settled();
  }
}
