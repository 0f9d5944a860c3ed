package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods that were stored without the webhook, so that no policy keeps the name of the gang on them.
 */
final class FormerMembersTest {

  private final ClusterSimulation cluster = new ClusterSimulation(1);

  @BeforeEach
  void room() {
    for (int i = 0; i < 6; i++) {
      cluster.addNode(aNode("gpu-" + i).gpus(1).build());
    }
    cluster.runUntil(Duration.ofSeconds(1));
  }

  private static PodBuilder pod(int index, String gang, int min) {
    return aPod("g-" + index).gpus(1).gang(gang, min);
  }

  private void run(int seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  @Test
  void aPodThatNamesAnotherGangNoLongerCountsInTheFormer() {
    cluster.createUnseen(pod(0, "former", 3).build());
    cluster.createUnseen(pod(1, "former", 3).build());
    run(5);
    cluster.store(pod(1, "other", 1).build());
    run(60);
    cluster.createUnseen(pod(2, "former", 3).build());
    run(60);

    assertThat(cluster.boundOf("other")).isEqualTo(1);
    assertThat(cluster.report("former").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.boundOf("former")).isZero();

    cluster.createUnseen(pod(3, "former", 3).build());
    run(60);
    assertThat(cluster.boundOf("former")).isEqualTo(3);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void itsPlaceInTheFormerIsGivenBack() {
    cluster.createUnseen(pod(0, "former", 2).build());
    cluster.createUnseen(pod(1, "former", 2).build());
    while (isWithoutPlace("uid-g-1")) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    assertThat(cluster.boundOf("former")).isZero();
    cluster.store(pod(1, "other", 9).build());
    run(60);
    assertThat(cluster.boundOf("former")).isZero();
    assertThat(cluster.report("former").phase()).isEqualTo(Phase.WAITING);

    cluster.delete("uid-g-1");
    run(30);
    assertThat(cluster.faults).isEmpty();
  }

  private boolean isWithoutPlace(String uid) {
    return cluster.muster().cluster().inventory().nodeOf(uid).isEmpty();
  }
}
