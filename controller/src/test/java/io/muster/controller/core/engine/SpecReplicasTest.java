package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.RestartRound;
import io.muster.controller.core.state.RestartRound.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs whose members keep their names, and whose size is followed at once. */
final class SpecReplicasTest {

  private static final Map<String, Integer> FOUR =
      Map.of("learner-0", 0, "evaluator-0", 1, "collector-0", 2, "collector-1", 3);

  private final SlotCluster cluster = new SlotCluster();

  private void started() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.state.mending()).isEqualTo(RestartRound.NONE);
  }

  private void hasCounted(int failures, int moves) {
    assertThat(cluster.state.mending().stage()).isEqualTo(Stage.WELL);
    assertThat(List.of(cluster.state.mending().failures(), cluster.state.mending().moves()))
        .isEqualTo(List.of(failures, moves));
  }

  @Test
  void ranksGoThroughAllTasksInTheirOrder() {
    started();
    assertThat(cluster.ranks()).isEqualTo(FOUR);
  }

  @Test
  void itRunsOnlyWhenAllDo() {
    cluster.most = 3;
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    assertThat(cluster.pods).hasSize(4);
    cluster.most = 4;
    cluster.run(2);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void itRunsWithTheLeastAndTheRestJoinsWithItsRank() {
    cluster.most = 3;
    cluster.least.put("collector", 1);
    started();
    assertThat(cluster.ranks())
        .isEqualTo(Map.of("learner-0", 0, "evaluator-0", 1, "collector-0", 2));
    cluster.most = 4;
    cluster.run(2);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
    hasCounted(0, 0);
  }

  @Test
  void twoThatFailTogetherAreOneRestartAndKeepTheirNamesAndRanks() {
    started();
    var learner = cluster.pods.get("j-learner-0").uid;
    cluster.end("j-evaluator-0", 1);
    cluster.end("j-collector-1", 1);
    cluster.run(4);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
    assertThat(cluster.pods.get("j-learner-0").uid).isEqualTo(learner);
    hasCounted(1, 0);
  }

  @Test
  void oneThatFailsWhileTheOthersAreMadeIsOfTheSameRoundAndOneThatFailsLaterOfAnother() {
    started();
    cluster.most = 3;
    cluster.end("j-collector-1", 1);
    cluster.run(2);
    assertThat(cluster.state.mending().stage()).isEqualTo(Stage.SETTLING);
    cluster.end("j-collector-0", 1);
    cluster.most = 4;
    cluster.run(4);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
    hasCounted(2, 0);
  }

  @Test
  void oneThatIsDeletedComesBackWithItsRankAndThatIsNoRestart() {
    started();
    cluster.pods.remove("j-collector-1");
    cluster.run(3);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
    hasCounted(0, 1);
    cluster.pods.get("j-learner-0").deleting = true;
    cluster.run(3);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
    hasCounted(0, 2);
  }

  @Test
  void whoIsOfARoleThatTheJobHasNoMoreGoesAndTheOthersStay() {
    started();
    cluster.tasks.remove("evaluator");
    cluster.run(3);
    assertThat(cluster.pods.keySet())
        .containsExactlyInAnyOrder("j-learner-0", "j-collector-0", "j-collector-1");
    assertThat(cluster.ranks())
        .isEqualTo(Map.of("learner-0", 0, "collector-0", 2, "collector-1", 3));
    assertThat(cluster.state.targets()).doesNotContainKey("evaluator");
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    hasCounted(0, 1);
    cluster.tasks.put("evaluator", 1);
    cluster.run(3);
    assertThat(cluster.ranks()).containsEntry("evaluator-0", 4);
    hasCounted(0, 1);
  }

  @Test
  void whoIsOfARoleThatIsGoneGoesFromAJobThatStartsToo() {
    cluster.most = 3;
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    cluster.tasks.remove("evaluator");
    cluster.run(4);
    assertThat(cluster.pods).doesNotContainKey("j-evaluator-0").hasSize(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void oneThatFailedWithoutFaultIsNoRestart() {
    cluster.mendings = Optional.of(0);
    started();
    cluster.end("j-learner-0", 143);
    cluster.pods.get("j-learner-0").isBlameless = true;
    cluster.run(3);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
    hasCounted(0, 1);
  }

  @Test
  void aFailureAndADeletionAreCountedBoth() {
    started();
    cluster.end("j-learner-0", 1);
    cluster.pods.remove("j-collector-0");
    cluster.run(4);
    hasCounted(1, 1);
  }

  @Test
  void aFailureBeyondThoseAllowedIsTheEndAndSaysHowMany() {
    cluster.mendings = Optional.of(1);
    started();
    cluster.end("j-learner-0", 1);
    cluster.run(3);
    hasCounted(1, 0);
    cluster.end("j-learner-0", 1);
    cluster.end("j-collector-0", 1);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(cluster.news)
        .contains(
            new News.Failed(
                News.Failed.Cause.MEMBER,
                "2 of 4 pods failed (j-collector-0, j-learner-0), and failed pods are recreated 1 times at most"));
    assertThat(cluster.news.stream().filter(News.Failed.class::isInstance)).hasSize(1);
    assertThat(cluster.pods.keySet()).containsExactlyInAnyOrder("j-learner-0", "j-collector-0");
  }

  @Test
  void withoutALimitFailuresAreMadeGoodForEver() {
    cluster.mendings = Optional.empty();
    started();
    for (int times = 1; times < 10; times++) {
      cluster.end("j-learner-0", 1);
      cluster.run(3);
      hasCounted(times, 0);
    }
  }

  @Test
  void aLargerTaskHasItsNewMembersBehindAllOthers() {
    started();
    cluster.tasks.put("collector", 4);
    cluster.run(3);
    assertThat(cluster.ranks()).containsEntry("collector-2", 4).containsEntry("collector-3", 5);
    hasCounted(0, 1);
    cluster.tasks.put("collector", 1);
    cluster.run(3);
    assertThat(cluster.ranks())
        .isEqualTo(Map.of("learner-0", 0, "evaluator-0", 1, "collector-0", 2));
    hasCounted(0, 2);
    cluster.tasks.put("collector", 2);
    cluster.run(3);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
  }

  @Test
  void placesThatAreGivenUpAreEmptyUntilTheyAreTakenBackWithTheirRanks() {
    started();
    cluster.without.put("collector", Set.of(0));
    cluster.run(3);
    assertThat(cluster.ranks())
        .isEqualTo(Map.of("learner-0", 0, "evaluator-0", 1, "collector-1", 3));
    hasCounted(0, 1);
    cluster.tasks.put("collector", 3);
    cluster.run(3);
    assertThat(cluster.ranks()).doesNotContainKey("collector-0").containsEntry("collector-2", 4);
    cluster.without.clear();
    cluster.tasks.put("collector", 2);
    cluster.run(3);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
  }

  @Test
  void itEndsWhenEachHasDoneWell() {
    started();
    for (var name : FOUR.keySet()) {
      assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
      cluster.end("j-" + name, 0);
      cluster.run(2);
    }
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods).hasSize(4);
  }

  @Test
  void oneThatHasDoneWellIsNotMadeAgain() {
    started();
    cluster.end("j-collector-0", 0);
    cluster.run(1);
    cluster.pods.remove("j-collector-0");
    cluster.run(3);
    assertThat(cluster.pods).doesNotContainKey("j-collector-0");
    hasCounted(0, 0);
  }

  @Test
  void oneThatIsDeletedAndExitsWithZeroHasNotDoneWell() {
    started();
    cluster.delete("j-learner-0", 0);
    cluster.run(4);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
    hasCounted(0, 1);
  }

  /** Deleted for another job or with its node: it says nothing of the work. */
  @Test
  void theOnlyOneThatIsDeletedAndExitsWithZeroDoesNotEndTheJob() {
    cluster.endsWithOne = true;
    cluster.tasks.keySet().retainAll(Set.of("learner"));
    started();
    cluster.delete("j-learner-0", 0);
    cluster.run(4);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.ranks()).isEqualTo(Map.of("learner-0", 0));
    hasCounted(0, 1);
    cluster.end("j-learner-0", 0);
    cluster.run(1);
    cluster.pods.get("j-learner-0").deleting = true;
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  void aPlaceThatIsTakenBackWhileItsLastMemberGoesIsFilledHoweverThatOneEnds() {
    cluster.endsWithOne = true;
    started();
    cluster.without.put("collector", Set.of(1));
    cluster.pods.get("j-collector-1").isStuck = true;
    cluster.run(2);
    assertThat(cluster.pods.get("j-collector-1").deleting).isTrue();
    cluster.without.clear();
    cluster.run(2);
    cluster.end("j-collector-1", 0);
    cluster.run(2);
    cluster.pods.get("j-collector-1").isStuck = false;
    cluster.run(3);
    assertThat(cluster.state.standings().get("collector").ended()).isEmpty();
    assertThat(cluster.ranks()).isEqualTo(FOUR);
  }

  /** The loss of one whose deletion is known is not weighed again when others are done. */
  @Test
  void oneThatGoesWhileAnotherHasDoneWellHasEndedBadly() {
    cluster.endsWithOne = true;
    started();
    cluster.pods.get("j-collector-1").isStuck = true;
    cluster.delete("j-collector-1", 0);
    cluster.run(1);
    cluster.end("j-collector-0", 0);
    cluster.run(2);
    assertThat(cluster.state.standings().get("collector").ended())
        .isEqualTo(Map.of(0, true, 1, false));
  }

  @Test
  void tasksThatDoNotCountAreNotWaitedFor() {
    cluster.optional.add("collector");
    cluster.optional.add("evaluator");
    started();
    cluster.end("j-learner-0", 0);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods.keySet()).containsExactly("j-learner-0");
  }

  @Test
  void whereNamesAreNotKeptALostOneHasAnotherAndItsPodGoes() {
    cluster.keepsNames = false;
    started();
    cluster.end("j-collector-0", 1);
    cluster.run(3);
    assertThat(cluster.ranks().keySet())
        .containsExactlyInAnyOrder("learner-0", "evaluator-0", "collector-1", "collector-2");
    cluster.tasks.put("collector", 3);
    cluster.run(3);
    assertThat(cluster.ranks()).containsKey("collector-3");
    cluster.tasks.put("collector", 1);
    cluster.run(3);
    assertThat(cluster.ranks().keySet())
        .containsExactlyInAnyOrder("learner-0", "evaluator-0", "collector-1");
    assertThat(cluster.pods).hasSize(3);
  }

  @Test
  void whereTheyBelongTogetherAllOfTheRoleAreMadeAnewWithOne() {
    cluster.keepsNames = false;
    cluster.goesTogether = true;
    started();
    cluster.end("j-collector-1", 1);
    cluster.run(3);
    assertThat(cluster.ranks().keySet())
        .containsExactlyInAnyOrder("learner-0", "evaluator-0", "collector-2", "collector-3");
    assertThat(cluster.pods).hasSize(4);
    hasCounted(1, 0);
  }

  @Test
  void membersThatFailAgainAndAgainAreMadeAnewEverMoreSlowly() {
    cluster.keepsNames = false;
    cluster.mendings = Optional.empty();
    started();
    for (int pause : List.of(0, 10, 20, 40, 80, 160, 300, 300)) {
      var name = cluster.pods.keySet().stream().filter(it -> it.contains("learner")).findFirst();
      cluster.end(name.orElseThrow(), 1);
      cluster.run(Math.max(0, pause - 1));
      if (pause > 0) {
        assertThat(cluster.ranks()).as("before %d s", pause).hasSize(3);
      }
      cluster.run(4);
      assertThat(cluster.ranks()).as("after %d s", pause).hasSize(4);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whereOneIsRefusedAllThatWaitGoAndAreTriedAgainLater(boolean keepsNames) {
    cluster.keepsNames = keepsNames;
    cluster.most = 0;
    cluster.run(2);
    assertThat(cluster.pods).hasSize(4);
    cluster.refusal =
        Optional.of(
            new Observed.Refusal("j-collector-1", "no", cluster.now.plus(Duration.ofSeconds(10))));
    cluster.run(3);
    assertThat(cluster.pods).isEmpty();
    cluster.most = 4;
    cluster.run(10);
    assertThat(cluster.ranks()).containsOnlyKeys(FOUR.keySet());
    if (keepsNames) {
      assertThat(cluster.ranks()).isEqualTo(FOUR);
    }
    hasCounted(0, 0);
    assertThat(cluster.news).noneMatch(News.MemberLost.class::isInstance);
  }

  @Test
  void oneThatIsRefusedWhileTheJobRunsIsNotTriedAgainBeforeItsTime() {
    started();
    cluster.pods.remove("j-collector-1");
    cluster.refusal =
        Optional.of(
            new Observed.Refusal("j-collector-1", "no", cluster.now.plus(Duration.ofSeconds(10))));
    cluster.run(9);
    assertThat(cluster.pods).hasSize(3);
    cluster.run(3);
    assertThat(cluster.ranks()).isEqualTo(FOUR);
  }
}
