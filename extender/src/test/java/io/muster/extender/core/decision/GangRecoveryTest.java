package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a kill cut off is taken up again, in virtual time. */
final class GangRecoveryTest extends GangScenes {

  @Test
  void leavesABurstOfAnotherLeaderAloneUntilItMustBeOver() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    untilTheFirstBindingOf("g");
    cluster.followsAnother = true;
    cluster.kill();
    long before = cluster.boundOf("g");
    long epoch = cluster.records.values().iterator().next().epoch();
    cluster.startMuster();
    var since = Duration.between(Instant.EPOCH, cluster.now());
    cluster.runUntil(since.plusMillis(4_900));
    assertThat(cluster.boundOf("g")).isEqualTo(before);
    cluster.runUntil(since.plusSeconds(20));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.records.values().iterator().next().epoch()).isGreaterThan(epoch);
    settled();
  }

  @Test
  void placesAGangAgainAsAWholeThatWasMadeAnewWhileMusterWasDown() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(10));
    cluster.kill();
    for (int i = 0; i < 4; i++) {
      cluster.delete("uid-g-worker-" + i);
    }
    cluster.runUntil(seconds(20));
    cluster.removeNode("gpu-3");
    for (int i = 0; i < 4; i++) {
      cluster.createUnseen(
          aPod("dlrover", "g-worker-" + i).uid("again-" + i).gpus(1).gang("g", 4).build());
    }
    cluster.startMuster();
    cluster.runUntil(seconds(90));
    assertThat(cluster.boundOf("g")).isZero();
    cluster.addNode(aNode("late").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(130));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void completesABurstThatAKillCutOff() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    // Steps of a millisecond until the first Binding is stored, then the process is gone.
    untilTheFirstBindingOf("g");
    assertThat(cluster.boundOf("g")).isBetween(1L, 3L);
    cluster.restartAfter(seconds(3));
    cluster.runUntil(Duration.between(Instant.EPOCH, cluster.now()).plusSeconds(30));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  /**
   * A gang of four of which some are bound when Muster is killed, and the rest has no node left.
   */
  private long cutBurstThatCannotBeCompleted(boolean bare) {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    for (int i = 0; i < 4; i++) {
      var pod = aPod("g-" + i).gpus(1).gang("g", 4).createdAt(cluster.now());
      cluster.create(bare ? pod.bare().build() : pod.build());
    }
    untilTheFirstBindingOf("g");
    cluster.kill();
    long bound = cluster.boundOf("g");
    assertThat(bound).isBetween(1L, 3L);
    cluster.nodes.keySet().stream()
        .filter(node ->
            cluster.pods.values().stream()
                .noneMatch(pod -> pod.progress().nodeName().equals(Optional.of(node))))
        .toList()
        .forEach(cluster::removeNode);
    cluster.startMuster();
    return bound;
  }

  /** Whoever may delete a Gang object at the worst moment cannot leave half a gang behind. */
  @Test
  void completesABurstThatAKillCutOffThoughItsObjectWasDeleted() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    untilTheFirstBindingOf("g");
    assertThat(cluster.boundOf("g")).isBetween(1L, 3L);
    cluster.kill();
    cluster.records.clear();
    cluster.runUntil(Duration.between(Instant.EPOCH, cluster.now()).plusSeconds(3));
    cluster.startMuster();
    cluster.runUntil(Duration.between(Instant.EPOCH, cluster.now()).plusSeconds(40));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  private void runFor(long seconds) {
    cluster.runUntil(Duration.between(Instant.EPOCH, cluster.now()).plusSeconds(seconds));
  }

  @Test
  void undoesABurstThatCannotBeCompletedInTime() {
    cluster.ownersReplace = true;
    long bound = cutBurstThatCannotBeCompleted(false);
    runFor(25);
    assertThat(cluster.boundOf("g")).as("completing comes first").isEqualTo(bound);
    runFor(35);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.pods).as("their owner has made them anew").hasSize(4);
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("late-" + i).gpus(1).build());
    }
    runFor(60);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void placesAGangAgainAfterItsBurstWasUndoneWithoutARestart() {
    cluster.ownersReplace = true;
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    untilTheFirstBindingOf("g");
    cluster.writeFailures = 100;
    runFor(45);
    assertThat(cluster.boundOf("g")).as("undone").isZero();
    cluster.writeFailures = 0;
    runFor(60);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void whatBlockedAnUndoneBurstDoesNotCountAgainstTheNext() {
    cluster.ownersReplace = true;
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    untilTheFirstBindingOf("g");
    cluster.writeFailures = 100;
    runFor(45);
    assertThat(cluster.boundOf("g")).as("undone").isZero();
    cluster.writeFailures = 0;
    untilTheFirstBindingOf("g");
    var members = Set.copyOf(cluster.pods.keySet());
    cluster.writeFailures = 100;
    runFor(5);
    cluster.writeFailures = 0;
    runFor(20);
    assertThat(cluster.pods.keySet()).as("refused for a moment only").isEqualTo(members);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void aBurstThatGetsNoAnswerForLongIsCompletedAndNobodyEnds() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    untilTheFirstBindingOf("g");
    var members = Set.copyOf(cluster.pods.keySet());
    cluster.api.isDownFor(Duration.ofMinutes(10));
    runFor(600);
    assertThat(cluster.pods.keySet()).as("slowness ends no pod").isEqualTo(members);
    runFor(20);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.pods.keySet()).isEqualTo(members);
    settled();
  }

  /** Owners may make a pod anew as soon as the old one ends, long before it is gone. */
  @Test
  void nobodyStartsAgainBeforeTheLastOfAnUndoneBurstHasEnded() {
    gpuNodes(8);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    untilTheFirstBindingOf("g");
    cluster.writeFailures = 100;
    runFor(1);
    cluster.writeFailures = 0;
    cluster.pods.values().stream()
        .filter(pod -> !pod.isBound())
        .map(pod -> pod.key().uid())
        .toList()
        .forEach(cluster::delete);
    var old = Set.copyOf(cluster.pods.keySet());
    cluster.longestEndingMillis = 30_000;
    while (cluster.boundOf("g") > 0) {
      runFor(1);
    }
    for (int i = 0; i < 4; i++) {
      cluster.create(
          aPod("dlrover", "g-worker-" + i).uid("again-" + i).gpus(1).gang("g", 4).build());
    }
    int steps = 0;
    while (cluster.pods.keySet().stream().anyMatch(old::contains)) {
      assertThat(cluster.pods.values())
          .filteredOn(pod -> !old.contains(pod.key().uid()))
          .noneMatch(Pod::isBound);
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
      steps++;
    }
    assertThat(steps).as("some took their time to end").isGreaterThan(5000);
    runFor(30);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  /** The webhook was not there when the launcher was made, and is when its owner makes it anew. */
  @Test
  void aMemberThatWasStartedPastMusterStartsAgainWithItsGang() {
    cluster.ownersReplace = true;
    gpuNodes(1);
    cluster.runUntil(seconds(1));
    cluster.createUnseen(aPod("launcher").unmarked().gang("g", 3).createdAt(cluster.now()).build());
    for (int i = 0; i < 2; i++) {
      cluster.create(aPod("g-" + i).gpus(1).gang("g", 3).createdAt(cluster.now()).build());
    }
    runFor(10);
    assertThat(cluster.boundNames("g")).containsExactly("launcher");
    runFor(30);
    assertThat(cluster.boundNames("g")).isEmpty();
    cluster.addNode(aNode("late").gpus(1).build());
    runFor(30);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    settled();
  }

  @Test
  void neverEndsBarePodsButGoesOnCompleting() {
    long bound = cutBurstThatCannotBeCompleted(true);
    runFor(120);
    assertThat(cluster.boundOf("g")).isEqualTo(bound);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.BROKEN);
    assertThat(cluster.report("g").message()).contains("of 4 members bound, completing");
    for (int i = 0; i < 3; i++) {
      cluster.addNode(aNode("late-" + i).gpus(1).build());
    }
    runFor(10);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  @Test
  void aGangWhoseMembersWentWhileMusterWasDownIsSaidToBeOver() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(10));
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    cluster.kill();
    for (int i = 0; i < 4; i++) {
      cluster.delete("uid-g-worker-" + i);
    }
    cluster.runUntil(seconds(15));
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    cluster.startMuster();
    cluster.runUntil(seconds(20));
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.FINISHED);
    settled();
  }

  /** The members of a gang were made anew while Muster was down, and end together later. */
  @Test
  void whoComesWhenAllOfATakenUpGangEndWaitsForTheOthers() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 2, 2);
    cluster.runUntil(seconds(10));
    cluster.kill();
    cluster.delete("uid-g-worker-0");
    cluster.delete("uid-g-worker-1");
    cluster.runUntil(seconds(20));
    for (int i = 0; i < 2; i++) {
      cluster.createUnseen(
          aPod("dlrover", "g-worker-" + i).uid("again-" + i).gpus(1).gang("g", 2).build());
    }
    cluster.startMuster();
    runFor(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.longestEndingMillis = 30_000;
    cluster.delete("again-0");
    cluster.delete("again-1");
    var replacement = aPod("dlrover", "g-worker-0").uid("third-0").gpus(1).gang("g", 2).build();
    cluster.create(replacement);
    runFor(60);
    assertThat(cluster.pods.get("third-0").isBound()).as("alone").isFalse();
    cluster.create(aPod("dlrover", "g-worker-1").uid("third-1").gpus(1).gang("g", 2).build());
    runFor(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }

  /** A replacement was recorded, and Muster killed before the replacement's gate was off. */
  @Test
  void theGateOfARecordedReplacementComesOffThoughMusterWasKilled() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 2, 2);
    untilTheFirstBindingOf("g");
    cluster.kill();
    var unbound =
        cluster.pods.values().stream().filter(pod -> !pod.isBound()).findFirst().orElseThrow();
    cluster.delete(unbound.key().uid());
    runFor(5);
    cluster.create(
        aPod("dlrover", unbound.key().name()).uid("again").gpus(1).gang("g", 2).gated().build());
    var record = cluster.records.values().iterator().next();
    var placement = new HashMap<>(record.placement());
    placement.put("again", placement.remove(unbound.key().uid()));
    cluster.records.put(
        record.gang(),
        new GangRecord(
            record.gang(),
            record.incarnation(),
            record.epoch() + 1,
            Phase.BINDING,
            record.minAvailable(),
            false,
            placement,
            record.controllerUid(),
            Optional.empty()));
    cluster.startMuster();
    runFor(30);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }
}
