package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which priority a gang has whose members differ in it. */
final class PriorityOfGangsTest extends GangScenes {

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private void create(String gang, int index, int priority) {
    cluster.create(
        aPod(gang + "-" + index)
            .gpus(1)
            .gang(gang, 2)
            .priority(priority)
            .createdAt(cluster.now())
            .build());
  }

  /** A quota for pods of a priority class lets the next pod in as soon as that is gone. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void thatOfAMemberWhichIsGoneIsNobodysAnyMore(boolean anotherLeads) {
    gpuNodes(2);
    cluster.create(aPod("runs-0").gpus(1).build());
    cluster.create(aPod("runs-1").gpus(1).build());
    run(10);
    for (int i = 0; i < 2; i++) {
      create("low", i, 0);
    }
    create("low", 2, 1000);
    run(2);
    cluster.delete("uid-low-2");
    run(2);
    for (int i = 0; i < 2; i++) {
      create("high", i, 10);
    }
    run(3);
    if (anotherLeads) {
      cluster.changeLeaderAfter(seconds(1));
      run(8);
    }
    cluster.complete("uid-runs-0");
    cluster.complete("uid-runs-1");
    run(10);
    assertThat(cluster.boundOf("high")).isEqualTo(2);
    assertThat(cluster.boundOf("low")).isZero();
  }
}
