package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a gang that has started and loses a member. */
final class MemberFailuresTest extends GangScenes {

  private PodBuilder member(String gang, int index, int min, OnLoss onLoss) {
    return aPod("ml", gang + "-" + index)
        .gpus(1)
        .gang(gang, terms(gang, min).onLoss(onLoss).build(), "")
        .createdAt(cluster.now());
  }

  private void started(int members, int min, OnLoss onLoss) {
    for (int i = 0; i < members; i++) {
      cluster.create(member("g", i, min, onLoss).build());
    }
    cluster.runUntil(cluster.sinceStart().plusSeconds(10));
    assertThat(cluster.boundOf("g")).isEqualTo(members);
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  /** The case of volcano-sh/volcano#5805: a younger filler takes what a lost member needs. */
  @Test
  void roomForAReplacementIsKeptFromYoungerPods() {
    gpuNodes(2);
    started(2, 2, OnLoss.REPLACE);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(2);
    cluster.delete("uid-g-1");
    run(10);
    assertThat(cluster.pods.get("uid-filler").isBound()).isFalse();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.BELOW_MINIMUM);
    assertThat(cluster.report("g").message()).contains("1 place is kept for a replacement");

    cluster.create(member("g", 1, 2, OnLoss.REPLACE).uid("again").build());
    run(10);
    assertThat(cluster.pods.get("again").isBound()).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  /** The same when the member's own node is drained: whatever comes free is its. */
  @Test
  void theNextRoomAnywhereGoesToTheGangBelowItsMinimum() {
    gpuNodes(2);
    started(2, 2, OnLoss.REPLACE);
    cluster.addNode(aNode("other").gpus(1).build());
    cluster.create(aPod("first").gpus(1).createdAt(cluster.now()).build());
    run(2);
    assertThat(cluster.pods.get("uid-first").isBound()).isTrue();
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    var node = cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow();
    cluster.removeNode(node);
    run(5);
    cluster.create(member("g", 1, 2, OnLoss.REPLACE).uid("again").build());
    run(5);
    cluster.complete("uid-first");
    run(12);
    assertThat(cluster.pods.get("uid-filler").isBound()).isFalse();
    assertThat(cluster.pods.get("again").isBound()).isTrue();
    settled();
  }

  @Test
  void reservedCapacityIsGivenUpAfterItsTime() {
    gpuNodes(2);
    started(2, 2, OnLoss.REPLACE);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(1);
    cluster.delete("uid-g-1");
    run(50);
    assertThat(cluster.pods.get("uid-filler").isBound()).isFalse();
    run(25);
    assertThat(cluster.pods.get("uid-filler").isBound()).isTrue();
    settled();
  }

  @Test
  void reservedCapacityMovesWhenItsNodeCloses() {
    gpuNodes(3);
    started(2, 2, OnLoss.REPLACE);
    var node = cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow();
    cluster.delete("uid-g-1");
    run(5);
    cluster.addNode(
        aNode(node).gpus(1).label("set", "gpu").availability(Node.Availability.CORDONED).build());
    run(2);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(10);
    assertThat(cluster.pods.get("uid-filler").isBound()).isFalse();

    cluster.create(member("g", 1, 2, OnLoss.REPLACE).uid("again").build());
    run(10);
    assertThat(cluster.pods.get("again").isBound()).isTrue();
    settled();
  }

  @Test
  void nothingIsKeptForAGangThatIsDeleted() {
    gpuNodes(2);
    started(2, 2, OnLoss.REPLACE);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(1);
    cluster.delete("uid-g-0");
    cluster.delete("uid-g-1");
    run(5);
    assertThat(cluster.pods.get("uid-filler").isBound()).isTrue();
    settled();
  }

  @Test
  void nothingIsKeptForMembersBeyondTheMinimum() {
    gpuNodes(3);
    started(3, 2, OnLoss.REPLACE);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(1);
    cluster.delete("uid-g-2");
    run(15);
    assertThat(cluster.pods.get("uid-filler").isBound()).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  @Test
  void reservedCapacityOutlivesMuster() {
    gpuNodes(2);
    started(2, 2, OnLoss.REPLACE);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(1);
    cluster.delete("uid-g-1");
    run(5);
    cluster.restartAfter(seconds(0));
    run(15);
    assertThat(cluster.pods.get("uid-filler").isBound()).isFalse();
    settled();
  }

  /** The case of kubernetes/kubernetes#142330: one index is done, another fails. */
  @Test
  void aFailedMemberIsReplacedThoughAnotherHasSucceeded() {
    gpuNodes(2);
    started(2, 2, OnLoss.REPLACE);
    cluster.complete("uid-g-0");
    run(1);
    cluster.fail("uid-g-1", "");
    run(1);
    cluster.create(member("g", 1, 2, OnLoss.REPLACE).uid("again").build());
    run(15);
    assertThat(cluster.pods.get("again").isBound()).isTrue();
    settled();
  }

  @Test
  void aNodeThatRefusedAMemberIsNotTriedAgainAtOnce() {
    gpuNodes(3);
    started(2, 2, OnLoss.REPLACE);
    var refusing = cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow();
    cluster.fail("uid-g-1", "UnexpectedAdmissionError");
    run(1);
    cluster.create(member("g", 1, 2, OnLoss.REPLACE).uid("again").build());
    run(10);
    assertThat(cluster.pods.get("again").progress().nodeName())
        .hasValueSatisfying(node -> assertThat(node).isNotEqualTo(refusing));
    settled();
  }

  @ParameterizedTest
  @EnumSource(names = {"RESTART", "SHRINK"})
  void startsAgainAsAWholeBelowItsMinimum(OnLoss onLoss) {
    cluster.ownersReplace = true;
    gpuNodes(3);
    started(3, 3, onLoss);
    cluster.delete("uid-g-1");
    run(8);
    assertThat(cluster.pods.keySet()).noneMatch(uid -> uid.startsWith("uid-g-"));
    run(30);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.records.values()).allMatch(record -> record.incarnation() == 2);
    settled();
  }

  @Test
  void itIsNotOverWhileItsMembersEndForItsRestart() {
    gpuNodes(2);
    started(2, 2, OnLoss.RESTART);
    cluster.delete("uid-g-1");
    run(3);
    cluster.neverEnds = _ -> true;
    run(10);
    assertThat(cluster.pods.get("uid-g-0").progress().deleting()).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.RESTARTING);
    settled();
  }

  /** Where there is room beside those that take their time. */
  @Test
  void oneThatRunsAgainIsNotSaidToStartAgain() {
    gpuNodes(4);
    started(2, 2, OnLoss.RESTART);
    cluster.delete("uid-g-1");
    cluster.neverEnds = pod -> pod.key().uid().equals("uid-g-0");
    run(10);
    for (int i = 2; i < 4; i++) {
      cluster.create(member("g", i, 2, OnLoss.RESTART).build());
    }
    run(20);
    assertThat(cluster.pods.get("uid-g-0").progress().deleting()).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.SATISFIED);
    assertThat(cluster.report("g").message()).isEqualTo("2 of at least 2 members bound");
    settled();
  }

  /** A Job with podReplacementPolicy Failed never has two pods of one index that run. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void waitsForMembersThatTheirJobReplacesOnceTheyHaveEnded(boolean isKilled) {
    gpuNodes(4);
    started(2, 2, OnLoss.RESTART);
    cluster.delete("uid-g-1");
    cluster.neverEnds = _ -> true;
    run(5);
    cluster.store(cluster.pods.get("uid-g-0").labelled(Map.of(GangKeys.ENDS_FIRST, "true")));
    for (int i = 0; i < 2; i++) {
      cluster.create(member("g", i, 2, OnLoss.RESTART).uid("again-" + i).build());
    }
    run(60);
    if (isKilled) {
      cluster.restartAfter(seconds(1));
      run(20);
    }
    assertThat(cluster.pods.get("again-0").isBound()).isFalse();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.RESTARTING);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            isKilled
                ? "1 member ends, then all start again together"
                : "a member was lost; 1 other ends, all start again together");
    assertThat(cluster.report("g").remedy()).contains("podReplacementPolicy");

    cluster.vanish("uid-g-0");
    run(10);
    assertThat(cluster.pods.get("again-0").isBound()).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  @Test
  void goesOnWithFewerWhereItsMinimumIsLeft() {
    cluster.ownersReplace = true;
    gpuNodes(3);
    started(3, 2, OnLoss.SHRINK);
    cluster.delete("uid-g-1");
    run(20);
    assertThat(cluster.pods).containsKeys("uid-g-0", "uid-g-2");
    settled();
  }

  @Test
  void neverEndsMembersThatNobodyMakesAnew() {
    gpuNodes(2);
    for (int i = 0; i < 2; i++) {
      cluster.create(member("g", i, 2, OnLoss.RESTART).bare().build());
    }
    run(10);
    cluster.delete("uid-g-1");
    run(60);
    assertThat(cluster.pods.get("uid-g-0")).matches(Pod::isBound);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.BROKEN);
    settled();
  }

  /** It takes replacements, as it cannot start again as a whole. */
  @Test
  void oneMemberThatNobodyMakesAnewKeepsTheOthersFromStartingAgain() {
    cluster.ownersReplace = true;
    gpuNodes(3);
    cluster.create(member("g", 0, 3, OnLoss.RESTART).bare().build());
    cluster.create(member("g", 1, 3, OnLoss.RESTART).build());
    cluster.create(member("g", 2, 3, OnLoss.RESTART).build());
    run(10);
    cluster.delete("uid-g-1");
    run(30);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(cluster.pods).containsKeys("uid-g-0", "uid-g-2");
    settled();
  }

  @Test
  void oneThatNobodyMakesAnewAndThatHasNotStartedDoesNotKeepTheOthersFromStartingAgain() {
    cluster.ownersReplace = true;
    gpuNodes(2);
    started(2, 2, OnLoss.RESTART);
    cluster.create(member("g", 2, 2, OnLoss.RESTART).bare().build());
    run(10);
    cluster.delete("uid-g-1");
    run(60);
    assertThat(cluster.records.values()).allMatch(record -> record.incarnation() == 2);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }

  @Test
  void whoLosesABarePodIsToldToCreateAnother() {
    gpuNodes(2);
    for (int i = 0; i < 2; i++) {
      cluster.create(member("g", i, 2, OnLoss.REPLACE).bare().build());
    }
    run(10);
    cluster.delete("uid-g-1");
    run(20);
    assertThat(cluster.report("g").remedy())
        .isEqualTo("create others in place of the lost ones: no controller does");
  }

  /** Its owner has done what it can. */
  @Test
  void aReplacementThatNoNodeTakesIsNamedInPlaceOfItsOwner() {
    gpuNodes(3);
    started(3, 3, OnLoss.REPLACE);
    cluster.removeNode(cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow());
    cluster.delete("uid-g-1");
    run(20);
    assertThat(cluster.report("g").remedy())
        .isEqualTo("the owner of the pods must replace the lost ones");
    cluster.create(member("g", 3, 3, OnLoss.REPLACE).build());
    run(15);
    assertThat(cluster.report("g").message())
        .isEqualTo("2 members left, fewer than 3; 1 member waits for a node");
    assertThat(cluster.report("g").remedy())
        .isEqualTo("see the events of the members that wait for a node");
    cluster.addNode(aNode("gpu-9").gpus(1).label("set", "gpu").build());
    run(30);
    assertThat(cluster.report("g").message()).isEqualTo("3 of at least 3 members bound");
    settled();
  }

  @Test
  void aGangWhoseOwnerLooksAfterItRunsOnBelowItsMinimum() {
    gpuNodes(3);
    started(3, 3, OnLoss.OWNER);
    cluster.delete("uid-g-1");
    run(5);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(120);
    assertThat(cluster.pods.get("uid-filler").isBound()).as("nothing is kept").isTrue();
    assertThat(cluster.pods).containsKeys("uid-g-0", "uid-g-2");
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.LEFT_TO_OWNER);
    assertThat(cluster.report("g").message())
        .isEqualTo("2 members left, fewer than 3; their owner looks after them");
    settled();
  }

  /** Whoever gives a worker back has no need of its room: the next pod starts in it at once. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keepsNoRoomForMembersThatWereGivenBack(boolean isKilled) {
    gpuNodes(3);
    started(3, 3, OnLoss.REPLACE);
    cluster.store(cluster.pods.get("uid-g-0").labelled(Map.of(GangKeys.ENOUGH, "1")));
    run(2);
    cluster.delete("uid-g-1");
    cluster.delete("uid-g-2");
    run(5);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.LEFT_TO_OWNER);
    if (isKilled) {
      cluster.restartAfter(seconds(1));
      run(3);
    }
    cluster.create(aPod("one").gpus(1).createdAt(cluster.now()).build());
    cluster.create(aPod("two").gpus(1).createdAt(cluster.now()).build());
    run(5);
    assertThat(cluster.pods.get("uid-one").isBound()).isTrue();
    assertThat(cluster.pods.get("uid-two").isBound()).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  /** What is left after that is as dear as before. */
  @Test
  void keepsRoomForThoseThatAreStillNeeded() {
    gpuNodes(3);
    started(3, 3, OnLoss.REPLACE);
    cluster.store(cluster.pods.get("uid-g-0").labelled(Map.of(GangKeys.ENOUGH, "2")));
    run(2);
    cluster.delete("uid-g-2");
    run(5);
    cluster.delete("uid-g-1");
    run(2);
    cluster.create(aPod("one").gpus(1).createdAt(cluster.now()).build());
    cluster.create(aPod("two").gpus(1).createdAt(cluster.now()).build());
    run(10);
    assertThat(
            cluster.pods.values().stream()
                .filter(pod -> pod.key().name().equals("one") || pod.key().name().equals("two"))
                .filter(Pod::isBound))
        .as("one place of two is kept")
        .hasSize(1);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.BELOW_MINIMUM);
    settled();
  }

  @Test
  void itsLaterMembersArePlacedOneByOneAlsoWhereMusterWasKilled() {
    gpuNodes(3);
    started(3, 3, OnLoss.OWNER);
    cluster.delete("uid-g-0");
    cluster.delete("uid-g-1");
    run(5);
    cluster.create(member("g", 0, 3, OnLoss.OWNER).uid("again-0").build());
    run(10);
    assertThat(cluster.pods.get("again-0").isBound()).isTrue();
    cluster.delete("uid-g-2");
    run(5);
    cluster.restartAfter(seconds(1));
    run(5);
    cluster.create(aPod("one").gpus(1).createdAt(cluster.now()).build());
    cluster.create(aPod("two").gpus(1).createdAt(cluster.now()).build());
    run(20);
    assertThat(cluster.pods.get("uid-two").isBound()).as("nothing is kept").isTrue();
    cluster.complete("uid-two");
    run(40);
    assertThat(cluster.pods.get("again-0").progress().deleting()).isFalse();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    cluster.create(member("g", 1, 3, OnLoss.OWNER).uid("again-1").build());
    run(10);
    assertThat(cluster.pods.get("again-1").isBound()).isTrue();
    assertThat(cluster.records.values()).allMatch(record -> record.incarnation() == 1);
    settled();
  }

  @Test
  void whoeverHasComeSinceStartsTogetherWhenNobodyIsLeftOfThoseThatStarted() {
    gpuNodes(2);
    started(2, 2, OnLoss.OWNER);
    cluster.delete("uid-g-0");
    run(5);
    cluster.create(aPod("filler").gpus(1).createdAt(cluster.now()).build());
    run(5);
    cluster.create(member("g", 0, 2, OnLoss.OWNER).uid("again-0").build());
    run(5);
    assertThat(cluster.pods.get("again-0").isBound()).isFalse();
    cluster.delete("uid-g-1");
    run(10);
    assertThat(cluster.pods.get("again-0").isBound()).as("there is room for one").isFalse();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);

    cluster.create(member("g", 1, 2, OnLoss.OWNER).uid("again-1").build());
    cluster.complete("uid-filler");
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }
}
