package io.muster.controller.core.elastic;

import static io.muster.controller.core.elastic.ElasticCluster.gives;
import static io.muster.controller.core.elastic.ElasticCluster.grows;
import static io.muster.controller.core.elastic.ElasticCluster.said;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.elastic.GangPolicy.HeadRoom;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who grows, who gives back, and who is left in peace. */
final class ElasticityTest {

  private final ElasticCluster cluster =
      new ElasticCluster(new GangPolicy(HeadRoom.NONE)).devices("a", 8).devices("b", 8);

  @Test
  void aJobGrowsByOneWorkerAnIntervalUpToItsMost() {
    var job = cluster.job("j", "a", 0, 2, 1, 4);
    cluster.tick();
    assertThat(said(cluster.decided)).containsExactly(grows("j", 1));
    cluster.ticks(11);
    assertThat(job.size()).isEqualTo(3);
    cluster.tick();
    assertThat(job.size()).isEqualTo(4);
    cluster.ticks(100);
    assertThat(job.size()).isEqualTo(4);
    assertThat(said(cluster.decided)).hasSize(2);
  }

  @Test
  void nobodyGrowsWithoutRoom() {
    cluster.job("j", "a", 0, 8, 1, 9);
    cluster.ticks(20);
    assertThat(said(cluster.decided)).isEmpty();
    cluster.devices("a", 9);
    cluster.tick();
    assertThat(said(cluster.decided)).containsExactly(grows("j", 1));
  }

  @Test
  void thePoorestGrowsFirstAndWhatIsPromisedIsTaken() {
    cluster.job("rich", "a", 0, 4, 1, 9);
    cluster.job("poor", "a", 0, 2, 1, 9);
    cluster.job("elsewhere", "b", 0, 6, 1, 9);
    cluster.devices("a", 7);
    assertThat(said(cluster.decide())).containsExactly(grows("poor", 1), grows("elsewhere", 1));
    cluster.devices("a", 8);
    assertThat(said(cluster.decide()))
        .containsExactly(grows("poor", 1), grows("rich", 1), grows("elsewhere", 1));
  }

  @Test
  void roomThatWasAskedForIsNotAskedForAgain() {
    var asking = cluster.job("asking", "a", 0, 4, 1, 9);
    asking.coming = 2;
    asking.isIdle = false;
    cluster.job("j", "a", 0, 2, 1, 9);
    assertThat(said(cluster.decide())).isEmpty();
    cluster.devices("a", 9);
    assertThat(said(cluster.decide())).containsExactly(grows("j", 1));
  }

  @Test
  void nobodyGrowsWhereAGangWaitsWhateverItsPriority() {
    cluster.job("j", "a", 100, 4, 1, 9);
    cluster.job("elsewhere", "b", 0, 4, 1, 9);
    cluster.gang("g", "a", 0, 5);
    assertThat(said(cluster.decide())).containsExactly(grows("elsewhere", 1));
    cluster.end("g");
    assertThat(said(cluster.decide())).contains(grows("j", 1));
  }

  @Test
  void aJobThatIsBeingResizedOrHasLostWorkersDoesNotGrow() {
    cluster.job("busy", "a", 0, 2, 1, 9).isIdle = false;
    cluster.job("hurt", "a", 0, 2, 1, 9).isWhole = false;
    assertThat(said(cluster.decide())).isEmpty();
  }

  @Test
  void growthThatFailedIsTriedAgainAfterTheInterval() {
    cluster.job("j", "a", 0, 2, 1, 9);
    cluster.growthFails = true;
    cluster.ticks(12);
    assertThat(said(cluster.decided)).hasSize(1);
    cluster.tick();
    assertThat(said(cluster.decided)).hasSize(2);
  }

  @Test
  void aJobThatComesBackInOneStepDoesSoOnceAllHaveRoom() {
    cluster.devices("a", 3);
    cluster.job("j", "a", 0, 2, 2, 6).stride = new Stride(4, 4);
    cluster.ticks(5);
    assertThat(said(cluster.decided)).isEmpty();
    cluster.devices("a", 6);
    cluster.tick();
    assertThat(said(cluster.decided)).containsExactly(grows("j", 4));
  }

  @Test
  void withLessRoomAsManyUnitsComeAsFitAndTheRestLater() {
    cluster.job("j", "a", 0, 1, 1, 8).stride = new Stride(2, 8);
    cluster.devices("a", 6);
    assertThat(said(cluster.decide())).containsExactly(grows("j", 4));
    cluster.devices("a", 2);
    assertThat(said(cluster.decide())).isEmpty();
    cluster.devices("a", 8);
    assertThat(said(cluster.decide())).containsExactly(grows("j", 7));
  }

  @Test
  void aStepLeavesAloneWhatAnotherWasPromised() {
    cluster.job("poor", "a", 0, 1, 1, 3).stride = new Stride(1, 8);
    cluster.job("rich", "a", 0, 3, 1, 9).stride = new Stride(1, 8);
    assertThat(said(cluster.decide())).containsExactly(grows("poor", 2), grows("rich", 2));
  }

  @Test
  void aGangOfHigherPriorityIsGivenWhatItNeedsAndNoMore() {
    cluster.job("j", "a", 0, 7, 2, 8);
    cluster.gang("g", "a", 10, 4);
    assertThat(said(cluster.decide()))
        .containsExactly(gives("j", List.of("j-worker-6", "j-worker-5", "j-worker-4"), "g"));
    cluster.tick();
    assertThat(cluster.runs("g")).isTrue();
    assertThat(cluster.jobs.get("j").size()).isEqualTo(4);
  }

  @Test
  void theLowestPriorityGivesFirstThenTheRichest() {
    cluster.job("high", "a", 5, 3, 1, 9);
    cluster.job("low-poor", "a", 1, 2, 1, 9);
    cluster.job("low-rich", "a", 1, 3, 1, 9);
    cluster.gang("g", "a", 10, 2);
    assertThat(said(cluster.decide()))
        .containsExactly(
            gives("low-rich", List.of("low-rich-worker-2"), "g"),
            gives("low-poor", List.of("low-poor-worker-1"), "g"));
    cluster.end("g");
    cluster.gang("larger", "a", 10, 4);
    assertThat(said(cluster.decide()))
        .containsExactly(
            gives("low-rich", List.of("low-rich-worker-2", "low-rich-worker-1"), "larger"),
            gives("low-poor", List.of("low-poor-worker-1"), "larger"),
            gives("high", List.of("high-worker-2"), "larger"));
  }

  @Test
  void whoseWorkersWouldNotHelpIsLeftInPeace() {
    cluster.job("elsewhere", "b", 0, 8, 1, 9);
    cluster.job("there", "a", 0, 8, 1, 9);
    cluster.gang("g", "a", 10, 2);
    assertThat(said(cluster.decide()))
        .containsExactly(gives("there", List.of("there-worker-7", "there-worker-6"), "g"));
  }

  @Test
  void nothingIsGivenThatWouldNotBeEnough() {
    cluster.job("j", "a", 0, 8, 3, 9);
    cluster.gang("g", "a", 10, 6);
    cluster.ticks(100);
    assertThat(said(cluster.decided)).isEmpty();
    cluster.gang("smaller", "a", 10, 5);
    cluster.tick();
    assertThat(cluster.jobs.get("j").size()).isEqualTo(3);
    assertThat(cluster.runs("smaller")).isTrue();
  }

  @Test
  void nobodyGivesToLowerPriority() {
    cluster.job("j", "a", 10, 8, 1, 9);
    cluster.gang("g", "a", 9, 2);
    cluster.ticks(20);
    assertThat(cluster.decided).isEmpty();
  }

  @Test
  void equalsGiveToEachOther() {
    cluster.job("j", "a", 10, 8, 1, 9);
    cluster.gang("g", "a", 10, 2);
    assertThat(cluster.decide())
        .singleElement()
        .satisfies(decision ->
            assertThat(decision.why())
                .isEqualTo(
                    "gives back j-worker-7, j-worker-6 for gang g, for which there is no room, and it has"
                        + " most to spare"));
  }

  @Test
  void usersOfAJobAreToldNoNameOfAnotherNamespace() {
    cluster.job("ml/j", "a", 10, 8, 1, 9);
    cluster.gang("speech/g", "a", 10, 2);
    assertThat(cluster.decide())
        .singleElement()
        .satisfies(decision ->
            assertThat(decision.why())
                .contains(" for a gang of another namespace, ")
                .doesNotContain("speech"));
  }

  @Test
  void aJobThatOnlyYieldsGivesNothingToEquals() {
    cluster.job("j", "a", 10, 8, 1, 9).terms = ResizableJob.Terms.YIELDING;
    cluster.gang("g", "a", 10, 2);
    cluster.ticks(20);
    assertThat(cluster.decided).isEmpty();
    cluster.end("g");
    cluster.gang("high", "a", 11, 2);
    assertThat(cluster.decide())
        .singleElement()
        .satisfies(decision ->
            assertThat(decision.why())
                .isEqualTo(
                    "gives back j-worker-7, j-worker-6 for gang high, which has a higher"
                        + " priority"));
  }

  @Test
  void whileWorkersAreOnTheirWayOutNobodyElseIsAsked() {
    cluster.ticksToLeave = 6;
    cluster.job("first", "a", 0, 5, 1, 9);
    cluster.job("second", "a", 1, 3, 1, 9);
    cluster.gang("g", "a", 10, 3);
    cluster.ticks(5);
    assertThat(said(cluster.decided))
        .containsExactly(
            gives("first", List.of("first-worker-4", "first-worker-3", "first-worker-2"), "g"));
    assertThat(cluster.runs("g")).isFalse();
    cluster.tick();
    assertThat(cluster.runs("g")).isTrue();
    assertThat(cluster.jobs.get("second").size()).isEqualTo(3);
  }

  @Test
  void aGangForWhichNothingCanBeDoneDoesNotKeepTheNextOneFromBeingHelped() {
    cluster.job("j", "a", 0, 8, 4, 9);
    cluster.gang("too-large", "a", 20, 100);
    cluster.gang("g", "a", 10, 2);
    assertThat(said(cluster.decide()))
        .containsExactly(gives("j", List.of("j-worker-7", "j-worker-6"), "g"));
  }

  @Test
  void howeverManyWaitWhomNobodyYieldsToTheNextOneIsHelped() {
    cluster.job("j", "a", 5, 8, 4, 9);
    for (int i = 0; i < 50; i++) {
      cluster.gang("low-" + i, "a", 1, 2);
    }
    cluster.gang("g", "a", 10, 2);
    assertThat(said(cluster.decide()))
        .containsExactly(gives("j", List.of("j-worker-7", "j-worker-6"), "g"));
  }

  @Test
  void aGiveBackThatFailedIsAskedForAgainAfterTheInterval() {
    var job = cluster.job("j", "a", 0, 8, 1, 9);
    cluster.gang("g", "a", 10, 2);
    job.last = Optional.of(new Step(cluster.now, true));
    assertThat(said(cluster.decide())).isEmpty();
    job.last = Optional.of(new Step(cluster.now, false));
    assertThat(said(cluster.decide())).hasSize(1);
    job.last = Optional.of(new Step(cluster.now.minusSeconds(60), true));
    assertThat(said(cluster.decide())).hasSize(1);
  }

  @Test
  void overAHundredTicksNobodyGoesToAndFro() {
    var job = cluster.job("j", "a", 0, 2, 2, 8);
    cluster.ticks(100);
    assertThat(job.size()).isEqualTo(8);
    int grown = cluster.decided.size();
    assertThat(grown).isEqualTo(6);

    cluster.gang("g", "a", 10, 5);
    cluster.ticks(100);
    assertThat(cluster.runs("g")).isTrue();
    assertThat(job.size()).isEqualTo(3);
    assertThat(said(cluster.decided)).hasSize(grown + 1);

    // One that nothing can be done for: what is free stays free for it.
    cluster.gang("another", "a", 10, 4);
    cluster.devices("a", 10);
    cluster.ticks(100);
    assertThat(cluster.runs("another")).isFalse();
    assertThat(said(cluster.decided)).hasSize(grown + 1);

    cluster.end("g");
    cluster.end("another");
    cluster.ticks(100);
    assertThat(job.size()).isEqualTo(8);
    assertThat(said(cluster.decided)).hasSize(2 * grown);
  }
}
