package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.state.JobState.Phase;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The controller is killed at each of its writes while it follows the size of a job. */
final class KilledWhileFollowingTest {

  private final SlotCluster cluster = new SlotCluster();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theEndIsTheSameWhereverTheControllerIsKilled(boolean keepsNames) {
    Consumer<SlotCluster> story =
        it -> {
          it.keepsNames = keepsNames;
          it.run(4);
          it.end("j-evaluator-0", 1);
          it.end("j-collector-1", 1);
          it.run(keepsNames ? 4 : 30);
          it.pods.remove("j-learner-0");
          it.run(keepsNames ? 4 : 30);
          it.tasks.put("collector", 6);
          it.run(4);
          it.tasks.put("collector", 1);
          it.run(4);
          it.tasks.put("collector", 3);
          it.run(4);
          it.pods.keySet().stream().toList().forEach(name -> it.end(name, 0));
          it.run(4);
        };
    story.accept(cluster);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    int writes = -cluster.killAfter - 1;
    assertThat(writes).isGreaterThan(25);
    for (int write = 1; write <= writes; write++) {
      var killed = new SlotCluster();
      killed.killAfter = write;
      story.accept(killed);
      assertThat(killed.state).as("killed at write %d", write).isEqualTo(cluster.state);
      assertThat(killed.pods.keySet()).isEqualTo(cluster.pods.keySet());
    }
  }

  @Test
  void whoIsTakenAwayAndComesAgainBeforeItHasGoneIsNotLost() {
    cluster.run(4);
    cluster.pods.get("j-collector-1").isStuck = true;
    cluster.tasks.put("collector", 1);
    cluster.run(2);
    cluster.tasks.put("collector", 3);
    cluster.run(2);
    assertThat(cluster.pods.get("j-collector-1").deleting).isTrue();
    cluster.pods.get("j-collector-1").isStuck = false;
    cluster.run(4);
    assertThat(cluster.ranks()).hasSize(5);
    assertThat(cluster.state.mending().moves()).as("changes of its size").isEqualTo(2);
    assertThat(cluster.news).noneMatch(News.MemberLost.class::isInstance);
  }

  /** Nobody waits until what was decided before has come about. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sizesThatChangeWhileTheLastIsBeingFollowedAreFollowedWhereverItIsKilled(boolean keepsNames) {
    Consumer<SlotCluster> story =
        it -> {
          it.keepsNames = keepsNames;
          it.most = 6;
          it.run(4);
          for (int size : List.of(9, 1, 7, 2, 8, 3)) {
            it.tasks.put("collector", size);
            it.run(1);
          }
          it.run(5);
        };
    int writes = 0;
    for (boolean wasKilled = true; wasKilled; writes++) {
      var killed = new SlotCluster();
      killed.killAfter = writes;
      story.accept(killed);
      assertThat(killed.ranks()).as("killed at write %d", writes).hasSize(5);
      assertThat(killed.pods).hasSize(5);
      assertThat(killed.state.targets("collector")).hasSize(3);
      assertThat(killed.pods.keySet()).contains("j-learner-0", "j-evaluator-0");
      wasKilled = killed.killAfter < 0 && writes < 500;
    }
    assertThat(writes).isGreaterThan(20).isLessThan(500);
  }
}
