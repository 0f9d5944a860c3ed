package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs whose members share a queue of work: the first that does well shows that it is empty. */
final class WorkQueueTest {

  private SlotCluster cluster = sharing();

  /** Two servers that serve for ever, three trainers that share the work. */
  private static SlotCluster sharing() {
    var cluster = new SlotCluster();
    cluster.tasks.clear();
    cluster.tasks.put("server", 2);
    cluster.tasks.put("trainer", 3);
    cluster.optional.add("server");
    cluster.mendings = Optional.empty();
    cluster.endsWithOne = true;
    return cluster;
  }

  @BeforeEach
  void start() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  private List<News.Failed> failures() {
    return cluster.news.stream()
        .filter(News.Failed.class::isInstance)
        .map(News.Failed.class::cast)
        .toList();
  }

  @Test
  void itEndsWhenAllHaveEndedThoughOneFailedAfterTheFirstHadDoneWell() {
    cluster.end("j-trainer-1", 0);
    cluster.run(2);
    cluster.end("j-trainer-0", 1);
    cluster.run(2);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.pods.get("j-trainer-0").phase).isEqualTo(Member.Phase.FAILED);
    cluster.end("j-trainer-2", 0);
    cluster.run(4);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods).containsOnlyKeys("j-trainer-0", "j-trainer-1", "j-trainer-2");
  }

  /** Between two looks at the pods the controller may have been away. */
  @ParameterizedTest
  @ValueSource(strings = {"j-trainer-0", "j-trainer-1", "j-trainer-2"})
  void failuresThatAreSeenTogetherWithTheFirstThatHasDoneWellAreNotTheEnd(String first) {
    cluster.failures = 0;
    cluster.pods.keySet().stream()
        .filter(name -> name.startsWith("j-trainer"))
        .toList()
        .forEach(name -> cluster.end(name, name.equals(first) ? 0 : 1));
    cluster.run(4);
    assertThat(failures()).isEmpty();
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  void whoIsLostAfterTheFirstHasDoneWellIsNotMadeAgainAndTheSizeStays() {
    cluster.end("j-trainer-1", 0);
    cluster.run(2);
    cluster.pods.remove("j-trainer-2");
    cluster.tasks.put("trainer", 6);
    cluster.run(3);
    assertThat(cluster.pods)
        .containsOnlyKeys("j-server-0", "j-server-1", "j-trainer-0", "j-trainer-1");
    cluster.tasks.put("trainer", 1);
    cluster.run(3);
    assertThat(cluster.pods).containsKey("j-trainer-0");
    cluster.end("j-trainer-0", 0);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  void oneThatStillHadToBeMadeWhenTheFirstDidWellIsNot() {
    cluster.most = 5;
    cluster.tasks.put("trainer", 4);
    cluster.run(2);
    cluster.pods.get("j-trainer-3").deleting = true;
    cluster.end("j-trainer-0", 0);
    cluster.run(2);
    assertThat(cluster.pods).doesNotContainKey("j-trainer-3");
    cluster.end("j-trainer-1", 0);
    cluster.end("j-trainer-2", 0);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  void lostServersComeBackToTheEnd() {
    cluster.end("j-trainer-1", 0);
    cluster.run(2);
    cluster.pods.remove("j-server-0");
    cluster.run(3);
    assertThat(cluster.pods).containsKey("j-server-0");
  }

  @Test
  void failuresAreMadeGoodSoOftenInAllAndOneMoreIsTheEnd() {
    cluster.failures = 3;
    for (var name : List.of("j-trainer-0", "j-trainer-0", "j-trainer-2")) {
      cluster.end(name, 1);
      cluster.run(3);
    }
    assertThat(cluster.ranks()).containsKeys("trainer-0", "trainer-1", "trainer-2");
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    cluster.end("j-trainer-1", 1);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(failures())
        .containsExactly(
            new News.Failed(
                News.Failed.Cause.MEMBER,
                "j-trainer-1 has failed, and of trainers that fail no more than 3 are recreated"));
  }

  @Test
  void whoIsTakenAwayOrDeletedOrFailedWithoutFaultCountsForNothing() {
    cluster.failures = 0;
    cluster.tasks.put("trainer", 1);
    cluster.run(3);
    cluster.tasks.put("trainer", 3);
    cluster.run(3);
    cluster.pods.get("j-trainer-0").deleting = true;
    cluster.run(3);
    var blameless = cluster.pods.get("j-trainer-1");
    blameless.isBlameless = true;
    cluster.end("j-trainer-1", 137);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.ranks()).hasSize(5);
  }

  /** A trainer that fails the moment it runs. */
  @Test
  void oneThatFailsAtOnceIsMadeAsOftenAsIsSaid() {
    cluster.failures = 4;
    var uids = new HashSet<String>();
    for (int i = 0; i < 40 && !cluster.state.phase().isEnd(); i++) {
      cluster.run(1);
      var pod = cluster.pods.get("j-trainer-2");
      if (pod != null && pod.phase == Member.Phase.RUNNING) {
        uids.add(pod.uid);
        cluster.end("j-trainer-2", 1);
      }
    }
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(uids).hasSize(1 + 4);
  }

  @Test
  void theEndIsTheSameWhereverTheControllerIsKilled() {
    Consumer<SlotCluster> story =
        it -> {
          it.failures = 2;
          it.run(4);
          it.end("j-trainer-1", 1);
          it.run(4);
          it.tasks.put("trainer", 5);
          it.without.put("trainer", Set.of(0));
          it.run(4);
          it.end("j-trainer-2", 0);
          it.run(4);
          it.end("j-trainer-3", 1);
          it.run(4);
          it.pods.keySet().stream()
              .filter(name -> name.startsWith("j-trainer"))
              .toList()
              .forEach(name -> it.end(name, 0));
          it.run(4);
        };
    cluster = sharing();
    story.accept(cluster);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    int writes = -cluster.killAfter - 1;
    assertThat(writes).isGreaterThan(15);
    for (int write = 1; write <= writes; write++) {
      var killed = sharing();
      killed.killAfter = write;
      story.accept(killed);
      assertThat(killed.state).as("killed at write %d", write).isEqualTo(cluster.state);
      assertThat(killed.pods.keySet()).isEqualTo(cluster.pods.keySet());
    }
  }
}
