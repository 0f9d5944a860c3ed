package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Terms.MatchPolicy;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who counts for the minimum, and how members return to a gang that has started. */
final class MatchPolicyTest extends GangScenes {

  private void members(MatchPolicy policy, Terms.OnLoss onLoss, int from, int to, String round) {
    for (int i = from; i < to; i++) {
      cluster.create(
          aPod("ml", "g-" + i)
              .uid(round + "-" + i)
              .gpus(1)
              .gang("g", terms("g", 4).counting(policy).onLoss(onLoss).build(), "")
              .createdAt(cluster.now())
              .build());
    }
  }

  private void members(MatchPolicy policy, int from, int to, String round) {
    members(policy, Terms.OnLoss.REPLACE, from, to, round);
  }

  private void started(MatchPolicy policy) {
    gpuNodes(4);
    members(policy, 0, 4, "first");
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
  }

  private void filler(String name) {
    cluster.create(aPod(name).gpus(1).createdAt(cluster.now()).build());
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  /** Two are lost, and by the time that one is recreated there is room for one only. */
  private void loseTwoAndTheirClaims() {
    cluster.delete("first-2");
    cluster.delete("first-3");
    filler("filler");
    run(75);
    assertThat(cluster.pods.get("uid-filler").isBound()).as("the backfills have ended").isTrue();
  }

  /** Else a leader that finds half of its new Bindings would count them as members left over. */
  @ParameterizedTest
  @EnumSource(
      value = MatchPolicy.class,
      names = {"ONLY_WAITING", "WAITING_AND_RUNNING"})
  void aGangThatWaitsAgainBeginsANewLifeWhenNobodyOfTheOldOneIsLeft(MatchPolicy policy) {
    started(policy);
    loseTwoAndTheirClaims();
    members(policy, 2, 4, "second");
    run(5);
    assertThat(cluster.boundOf("g")).as("two run, and two wait with the gang").isEqualTo(2);

    cluster.delete("first-0");
    cluster.delete("first-1");
    run(5);
    cluster.delete("uid-filler");
    members(policy, 0, 2, "second");
    run(30);

    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.records.values())
        .singleElement()
        .satisfies(record -> assertThat(record.incarnation()).isEqualTo(2));
  }

  @Test
  void onceSatisfiedAMemberThatReturnsStartsAlone() {
    started(MatchPolicy.ONCE_SATISFIED);
    loseTwoAndTheirClaims();
    members(MatchPolicy.ONCE_SATISFIED, 2, 3, "again");
    run(15);
    assertThat(cluster.pods.get("again-2").isBound()).isTrue();
    settled();
  }

  @Test
  void waitingAndRunningMembersMakeUpTheMinimumTogether() {
    started(MatchPolicy.WAITING_AND_RUNNING);
    loseTwoAndTheirClaims();
    members(MatchPolicy.WAITING_AND_RUNNING, 2, 3, "again");
    run(15);
    assertThat(cluster.pods.get("again-2").isBound()).as("three of four").isFalse();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.report("g").message()).isEqualTo("3 of 4 members exist");

    members(MatchPolicy.WAITING_AND_RUNNING, 3, 4, "again");
    run(15);
    assertThat(cluster.boundOf("g")).as("there is room for one").isEqualTo(2);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.NO_ROOM);
    cluster.complete("uid-filler");
    run(15);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.records.values()).allMatch(record -> record.incarnation() == 1);
    settled();
  }

  @Test
  void reservedCapacityForAllIsAsGoodAsWaiting() {
    started(MatchPolicy.WAITING_AND_RUNNING);
    cluster.delete("first-2");
    cluster.delete("first-3");
    filler("filler");
    run(5);
    members(MatchPolicy.WAITING_AND_RUNNING, 2, 3, "again");
    run(10);
    assertThat(cluster.pods.get("again-2").isBound()).isTrue();
    assertThat(cluster.pods.get("uid-filler").isBound()).isFalse();
    members(MatchPolicy.WAITING_AND_RUNNING, 3, 4, "again");
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void onlyWaitingMembersMakeUpAWholeMinimumAnew() {
    gpuNodes(6);
    members(MatchPolicy.ONLY_WAITING, 0, 4, "first");
    run(10);
    cluster.delete("first-3");
    run(5);
    members(MatchPolicy.ONLY_WAITING, 3, 4, "again");
    run(15);
    assertThat(cluster.pods.get("again-3").isBound()).as("one waits, four are needed").isFalse();
    members(MatchPolicy.ONLY_WAITING, 4, 6, "again");
    run(15);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    members(MatchPolicy.ONLY_WAITING, 6, 7, "again");
    cluster.addNode(aNode("more").gpus(1).label("set", "gpu").build());
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(7);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  /** scheduler-plugins#358 and #364: the pod that is recreated is refused for ever. */
  @ParameterizedTest
  @EnumSource(MatchPolicy.class)
  void aReplacedMemberIsNotRefusedForEver(MatchPolicy policy) {
    started(policy);
    cluster.delete("first-3");
    run(2);
    members(policy, 3, 4, "again");
    run(15);
    if (policy != MatchPolicy.ONLY_WAITING) {
      assertThat(cluster.pods.get("again-3").isBound()).isTrue();
      assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    }
    settled();
  }

  /** Those that run are never ended for one that waits to join them, whoever leads. */
  @Test
  void thoseThatRunStayWhileOthersWaitAlsoWhereMusterWasKilled() {
    started(MatchPolicy.WAITING_AND_RUNNING);
    loseTwoAndTheirClaims();
    members(MatchPolicy.WAITING_AND_RUNNING, 2, 4, "again");
    run(15);
    cluster.restartAfter(seconds(2));
    run(120);
    assertThat(cluster.pods.get("first-0").progress().deleting()).isFalse();
    assertThat(cluster.pods.get("first-1").progress().deleting()).isFalse();
    cluster.complete("uid-filler");
    run(30);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  /** A persisted start does not make one bound member of four a started gang. */
  @Test
  void oneSurvivorAfterARestartIsNoStartedGang() {
    started(MatchPolicy.WAITING_AND_RUNNING);
    cluster.kill();
    cluster.complete("first-0");
    cluster.delete("first-1");
    cluster.delete("first-2");
    cluster.delete("first-3");
    run(5);
    filler("filler-0");
    cluster.startMuster();
    run(75);
    members(MatchPolicy.WAITING_AND_RUNNING, 1, 2, "again");
    run(20);
    assertThat(cluster.pods.get("again-1").isBound()).as("two of four").isFalse();
    settled();
  }

  @Test
  void leftToItsOwnerMembersReturnOneByOne() {
    gpuNodes(4);
    members(MatchPolicy.WAITING_AND_RUNNING, Terms.OnLoss.OWNER, 0, 4, "first");
    run(10);
    cluster.delete("first-2");
    cluster.delete("first-3");
    run(5);
    members(MatchPolicy.WAITING_AND_RUNNING, Terms.OnLoss.OWNER, 2, 3, "again");
    run(15);
    assertThat(cluster.pods.get("again-2").isBound()).isTrue();
    settled();
  }

  @Test
  void theFirstMinimumHoldsAndTheGangSaysThatAMemberStatesAnother() {
    gpuNodes(4);
    cluster.create(aPod("ml", "a").gpus(1).gang("g", 3).createdAt(cluster.now()).build());
    cluster.create(aPod("ml", "b").gpus(1).gang("g", 2).createdAt(cluster.now()).build());
    run(15);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "2 of 3 members exist; a member states a minimum of 2, and 3 holds, which was stated"
                + " first");
    assertThat(cluster.boundOf("g")).isZero();
  }

  /** A new leader goes by it: else it would take those that ran for members of an earlier life. */
  @Test
  void theRecordOfAGangThatWaitedAgainNamesThoseThatRanMeanwhile() {
    started(MatchPolicy.WAITING_AND_RUNNING);
    loseTwoAndTheirClaims();
    members(MatchPolicy.WAITING_AND_RUNNING, 2, 4, "again");
    run(15);
    cluster.complete("uid-filler");
    run(15);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.records.values())
        .singleElement()
        .satisfies(record ->
            assertThat(record.placement())
                .containsOnlyKeys("first-0", "first-1", "again-2", "again-3"));
    settled();
  }
}
