package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role.Pause;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Jobs whose members have ranks, and that end with all of them. */
final class RankedJobTest {

  private final RankedCluster cluster = new RankedCluster();

  private static Map<String, String> workers(String... namesAndRanks) {
    var map = new TreeMap<String, String>();
    for (int i = 0; i < namesAndRanks.length; i += 2) {
      map.put("j-worker-" + namesAndRanks[i], namesAndRanks[i + 1]);
    }
    return map;
  }

  private void started() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void membersBeginWithTheirIndexForARank() {
    started();
    assertThat(cluster.running())
        .isEqualTo(workers("0", "0/0", "1", "1/0", "2", "2/0", "3", "3/0"));
  }

  @Test
  void whoTakesALostOnesPlaceHasItsRankUnderAnIndexOfItsOwn() {
    started();
    cluster.end("j-worker-1", 1);
    cluster.run(3);
    assertThat(cluster.running())
        .isEqualTo(workers("0", "0/0", "2", "2/0", "3", "3/0", "4", "1/1"));
    cluster.pods.remove("j-worker-4");
    cluster.run(3);
    assertThat(cluster.running())
        .isEqualTo(workers("0", "0/0", "2", "2/0", "3", "3/0", "5", "1/2"));
  }

  @Test
  void oneThatIsLostTooOftenIsNotMadeAnew() {
    cluster.relaunches = 2;
    started();
    for (var name : List.of("j-worker-1", "j-worker-4", "j-worker-5")) {
      cluster.end(name, 1);
      cluster.run(3);
    }
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "2", "2/0", "3", "3/0"));
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    cluster.pods.remove("j-worker-5");
    cluster.run(3);
    assertThat(cluster.running()).hasSize(3);
  }

  @Test
  void thoseThatWereKilledFromOutsideAreMadeAnewWithoutEnd() {
    cluster.relaunches = 0;
    started();
    for (int index = 1, next = 4; next < 10; index = next, next++) {
      cluster.end("j-worker-" + index, index % 2 == 0 ? 137 : 143);
      cluster.run(3);
      assertThat(cluster.running()).containsEntry("j-worker-" + next, "1/0");
    }
  }

  @Test
  void oneOutOfMemoryIsNotMadeAnew() {
    started();
    cluster.end("j-worker-2", 247);
    cluster.run(3);
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "1", "1/0", "3", "3/0"));
  }

  @Test
  void theJobEndsWellWhenAllHaveEndedAndOneHasDoneWell() {
    started();
    cluster.end("j-worker-2", 247);
    for (int index : List.of(0, 1, 3)) {
      cluster.run(2);
      assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
      cluster.end("j-worker-" + index, 0);
    }
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods).doesNotContainKey("j-master-0");
  }

  @Test
  void whoIsLostIsToldWithHowItEnded() {
    started();
    cluster.end("j-worker-2", 247);
    cluster.run(2);
    assertThat(cluster.news)
        .contains(new News.MemberLost("j-worker-2", "has failed (exit code 247)"));
  }

  @Test
  void oneThatHasDoneWellIsNotMissedWhenItsPodGoes() {
    started();
    cluster.end("j-worker-2", 0);
    cluster.run(2);
    cluster.pods.remove("j-worker-2");
    cluster.run(3);
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "1", "1/0", "3", "3/0"));
    assertThat(cluster.news).noneMatch(News.MemberLost.class::isInstance);
  }

  @Test
  void theJobFailsWhenTooFewAreLeft() {
    cluster.least = 3;
    started();
    cluster.end("j-worker-2", 247);
    cluster.run(2);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    cluster.end("j-worker-0", 247);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(cluster.running()).isEmpty();
    assertThat(cluster.news)
        .contains(
            new News.Failed(News.Failed.Cause.TOO_FEW, "2 of 4 workers are left, and it needs 3"));
  }

  @Test
  void itsMasterIsMadeAnewAsOftenAsItMayBeAndNotAfterExitCodeOne() {
    cluster.masterRestarts = 2;
    started();
    cluster.end("j-master-0", 137);
    cluster.run(3);
    cluster.pods.remove("j-master-1");
    cluster.run(3);
    assertThat(cluster.pods).containsKey("j-master-2");
    assertThat(cluster.running()).hasSize(4);
    cluster.end("j-master-2", 137);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);

    var other = new RankedCluster();
    other.masterRestarts = 2;
    other.run(5);
    other.end("j-master-0", 1);
    other.run(3);
    assertThat(other.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(other.pods).doesNotContainKey("j-master-1");
  }

  /** The pod of the first one is still there, for its log. */
  @Test
  void aJobWhoseMasterWasMadeAnewBecomesLarger() {
    cluster.masterRestarts = 1;
    started();
    cluster.end("j-master-0", 137);
    cluster.run(3);
    assertThat(cluster.pods).containsKeys("j-master-0", "j-master-1");
    cluster.ask("more", new Change.To(6));
    cluster.run(5);
    assertThat(cluster.resizes.get("more").stage()).isEqualTo(Resize.Stage.SUCCEEDED);
    assertThat(cluster.running()).hasSize(6);
  }

  @Test
  void newMembersGetTheLowestRanksThatNobodyHas() {
    started();
    cluster.ask("fewer", new Change.RemoveNamed(List.of("j-worker-1")));
    cluster.run(5);
    cluster.ask("more", new Change.To(6));
    cluster.run(5);
    assertThat(cluster.resizes.get("more").stage()).isEqualTo(Resize.Stage.SUCCEEDED);
    assertThat(cluster.running())
        .isEqualTo(workers("0", "0/0", "2", "2/0", "3", "3/0", "4", "1/0", "5", "4/0", "6", "5/0"));
  }

  @Test
  void aSizeThatItHasIsReachedAtOnceAndASmallerOneTakesTheYoungest() {
    started();
    cluster.ask("same", new Change.To(4));
    cluster.ask("two", new Change.To(2));
    cluster.run(6);
    assertThat(cluster.resizes.get("same").stage()).isEqualTo(Resize.Stage.SUCCEEDED);
    assertThat(cluster.resizes.get("two").stage()).isEqualTo(Resize.Stage.SUCCEEDED);
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "1", "1/0"));
  }

  /** Workers 2 and 3 are lost for good. */
  private static void loseTwo(RankedCluster job) {
    job.relaunches = 0;
    job.end("j-worker-2", 1);
    job.pods.remove("j-worker-3");
    job.run(3);
  }

  @Test
  void ranksThatAreLostForGoodAreTakenOverTogether() {
    started();
    loseTwo(cluster);
    assertThat(cluster.state.lost("worker")).containsExactly(2, 3);
    assertThat(cluster.state.counted("worker")).containsExactly(0, 1);
    cluster.ask("again", new Change.AddLost(2));
    cluster.run(5);
    assertThat(cluster.running())
        .isEqualTo(workers("0", "0/0", "1", "1/0", "4", "2/0", "5", "3/0"));
    assertThat(cluster.state.lost("worker")).isEmpty();
    assertThat(cluster.state.targets().get("worker")).containsExactly(0, 1, 4, 5);
  }

  @Test
  void withFewerTheLowestRanksAreTakenOverAndTheOthersStayLost() {
    started();
    loseTwo(cluster);
    cluster.ask("one", new Change.AddLost(1));
    cluster.run(5);
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "1", "1/0", "4", "2/0"));
    assertThat(cluster.state.lost("worker")).containsExactly(3);
    cluster.ask("too many", new Change.AddLost(5));
    cluster.run(5);
    assertThat(cluster.running()).hasSize(4).containsEntry("j-worker-5", "3/0");
  }

  @Test
  void aSizeThatIsAskedForIsTheSizeWhateverWasLost() {
    started();
    loseTwo(cluster);
    cluster.ask("three", new Change.To(3));
    cluster.run(5);
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "1", "1/0", "4", "2/0"));
    assertThat(cluster.state.lost("worker")).isEmpty();
  }

  @Test
  void whenTheNewOnesFindNoRoomTheRanksStayLost() {
    started();
    loseTwo(cluster);
    cluster.isFull = true;
    cluster.ask("again", new Change.AddLost(2));
    cluster.run(70);
    assertThat(cluster.resizes.get("again").stage()).isEqualTo(Resize.Stage.FAILED);
    assertThat(cluster.pods.keySet()).doesNotContain("j-worker-4", "j-worker-5");
    assertThat(cluster.state.lost("worker")).containsExactly(2, 3);
  }

  @Test
  void whoIsLostDoesNotCountWhenTheJobIsMadeSmaller() {
    cluster.replicas = 5;
    started();
    loseTwo(cluster);
    cluster.ask("two", new Change.To(2));
    cluster.run(5);
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "1", "1/0"));
    assertThat(cluster.state.lost("worker")).isEmpty();
    cluster.ask("same", new Change.To(2));
    cluster.run(5);
    assertThat(cluster.resizes.get("same").stage()).isEqualTo(Resize.Stage.SUCCEEDED);
  }

  @Test
  void anotherSizeInTheJobIsThatOfThoseWhoLive() {
    started();
    loseTwo(cluster);
    cluster.replicas = 5;
    cluster.generation = 2;
    cluster.run(8);
    assertThat(cluster.running())
        .isEqualTo(workers("0", "0/0", "1", "1/0", "4", "2/0", "5", "3/0", "6", "4/0"));
  }

  @Test
  void aPausedRoleKeepsItsMembersAndGetsNoOther() {
    started();
    cluster.pause = Pause.NO_MORE;
    cluster.end("j-worker-1", 1);
    cluster.ask("more", new Change.To(6));
    cluster.run(5);
    assertThat(cluster.running()).isEqualTo(workers("0", "0/0", "2", "2/0", "3", "3/0"));
    cluster.pause = Pause.NONE;
    cluster.run(5);
    assertThat(cluster.running()).hasSize(6).containsEntry("j-worker-4", "1/1");
  }

  @Test
  void aRoleThatWasAwayComesBackAsItWas() {
    started();
    cluster.end("j-worker-1", 1);
    cluster.run(3);
    cluster.pause = Pause.AWAY;
    cluster.run(3);
    assertThat(cluster.running()).isEmpty();
    assertThat(cluster.pods).containsKey("j-master-0");
    cluster.pause = Pause.NONE;
    cluster.run(3);
    assertThat(cluster.running())
        .isEqualTo(workers("0", "0/0", "2", "2/0", "3", "3/0", "4", "1/1"));
  }

  @Test
  void aJobThatBeginsPausedMakesItsMembersLater() {
    cluster.pause = Pause.NO_MORE;
    cluster.run(5);
    assertThat(cluster.pods.keySet()).containsExactly("j-master-0");
    cluster.pause = Pause.NONE;
    started();
    assertThat(cluster.running()).hasSize(4);
  }

  /** Whatever write the controller dies after, the end is the same. */
  @Test
  void theEndIsTheSameWhereverTheControllerIsKilled() {
    Consumer<RankedCluster> story =
        job -> {
          job.masterRestarts = 1;
          job.run(5);
          job.end("j-worker-1", 1);
          job.run(3);
          job.ask("more", new Change.To(6));
          job.run(8);
          job.ask("fewer", new Change.To(3));
          job.run(8);
          job.end("j-worker-2", 247);
          job.run(3);
          job.ask("again", new Change.AddLost(1));
          job.run(8);
          job.end("j-master-0", 137);
          job.run(5);
          job.isFull = true;
          job.ask("later", new Change.To(4));
          job.run(3);
          job.pause = Pause.AWAY;
          job.run(5);
          job.isFull = false;
          job.pause = Pause.NONE;
          job.run(8);
        };
    story.accept(cluster);
    assertThat(cluster.resizes.get("later").stage()).isEqualTo(Resize.Stage.SUCCEEDED);
    assertThat(cluster.running()).hasSize(4);
    int writes = 0;
    boolean wasKilled = true;
    while (wasKilled) {
      var killed = new RankedCluster();
      killed.killAfter = writes;
      story.accept(killed);
      assertThat(killed.running()).as("killed after %d", writes).isEqualTo(cluster.running());
      assertThat(killed.state)
          .as("killed after %d", writes)
          .usingRecursiveComparison()
          .ignoringFields("startedAt")
          .isEqualTo(cluster.state);
      wasKilled = killed.killAfter < 0;
      writes++;
    }
    assertThat(writes).isGreaterThan(40);
  }
}
