package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Terms.OnLoss;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gets the room of a gang that ends, whose members leave one after the other. */
final class ReleasedCapacityTest extends GangScenes {

  private static final List<String> FIRST =
      List.of("uid-first-0", "uid-first-1", "uid-first-2", "uid-first-3", "uid-first-4");

  private void gang(String name, int members) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod("ml", name + "-" + i)
              .gpus(1)
              .gang(name, terms(name, members).onLoss(OnLoss.REPLACE).build(), "")
              .createdAt(cluster.now())
              .build());
    }
    run(Duration.ofSeconds(5));
  }

  private void run(Duration time) {
    cluster.runUntil(cluster.sinceStart().plus(time));
  }

  @BeforeEach
  void aFullClusterAndTwoThatWait() {
    for (int i = 0; i < 5; i++) {
      cluster.addNode(aNode("gpu-" + i).gpus(1).build());
    }
    gang("first", 5);
    gang("older", 5);
    gang("younger", 1);
    assertThat(cluster.boundOf("first")).isEqualTo(5);
  }

  @Test
  void anOlderGangThatFitsOnceAllHaveSucceededIsNotPassed() {
    FIRST.forEach(uid -> {
      cluster.complete(uid);
      run(Duration.ofMillis(300));
    });
    run(seconds(5));
    olderHasNotBeenPassed();
  }

  @Test
  void anOlderGangThatFitsOnceAllAreDeletedIsNotPassed() {
    FIRST.forEach(cluster::delete);
    run(seconds(10));
    olderHasNotBeenPassed();
  }

  @Test
  void anOlderGangIsNotPassedWhereOneMemberIsDeletedBeforeTheOthers() {
    cluster.delete(FIRST.getFirst());
    run(seconds(2));
    FIRST.forEach(cluster::delete);
    run(seconds(10));
    olderHasNotBeenPassed();
  }

  private void olderHasNotBeenPassed() {
    assertThat(cluster.boundOf("older")).isEqualTo(5);
    assertThat(cluster.boundOf("younger")).isZero();
    settled();
  }

  @Test
  void whereTheOthersGoOnRunningRoomIsGivenOutAfterTwoSeconds() {
    cluster.complete(FIRST.getFirst());
    run(seconds(1));
    assertThat(cluster.boundOf("younger")).isZero();
    run(seconds(3));
    assertThat(cluster.boundOf("younger")).isEqualTo(1);
    settled();
  }

  @Test
  void membersThatLeaveOneByOneKeepRoomForFiveSecondsAtMost() {
    for (var uid : FIRST.subList(0, 4)) {
      cluster.complete(uid);
      run(Duration.ofMillis(1800));
    }
    assertThat(cluster.boundOf("younger")).isEqualTo(1);
    settled();
  }

  @Test
  void eachMemberThatLeavesHasTheRoomKeptForTwoSecondsMore() {
    for (var uid : FIRST.subList(0, 3)) {
      cluster.complete(uid);
      run(Duration.ofMillis(1500));
    }
    assertThat(cluster.boundOf("younger")).isZero();
    run(seconds(2));
    assertThat(cluster.boundOf("younger")).isEqualTo(1);
    settled();
  }
}
