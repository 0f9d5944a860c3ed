package io.muster.extender.bench;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.bench.PlayedCluster.Work;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the benchmark of the core measures does happen. */
final class PlayedClusterTest {

  private final PlayedCluster cluster =
      new PlayedCluster(List.of(aNode("n0").gpus(4).build(), aNode("n1").gpus(4).build()));

  private void gang(String name, int members, int min) {
    for (int i = 0; i < members; i++) {
      cluster.create(aPod(name + "-" + i).gpus(1).gang(name, min).gated().build());
      cluster.settle();
    }
  }

  @Test
  void aGatedGangComesFromItsFirstMemberToItsLastBindingAndEachStepIsCharged() {
    cluster.lead();
    gang("g", 8, 8);
    cluster.tick();
    assertThat(cluster.bound()).isEqualTo(8);
    assertThat(cluster.ended()).isEmpty();
    for (var work : List.of(Work.UNGATED, Work.BIND, Work.BOUND)) {
      assertThat(cluster.spent(work).count()).as("calls of %s", work).isEqualTo(8);
    }
    assertThat(cluster.spent(Work.FILTER).count()).isGreaterThanOrEqualTo(8);
    assertThat(cluster.spent(Work.SEEN).total()).isPositive();
  }

  @Test
  void aGangWithoutRoomWaitsUntilThePodInItsWayHasEnded() {
    var inTheWay = aPod("before").gpus(1).on("n0").build();
    cluster.create(inTheWay);
    cluster.lead();
    gang("g", 8, 8);
    for (int i = 0; i < 20; i++) {
      cluster.tick();
    }
    assertThat(cluster.bound()).isZero();
    var cost = new CpuSamples();
    cluster.end(inTheWay, cost);
    cluster.settle();
    for (int i = 0; i < 20; i++) {
      cluster.tick();
    }
    assertThat(cluster.bound()).isEqualTo(8);
    assertThat(cost.count()).isEqualTo(1);
    assertThat(cost.millis(50)).isPositive();
  }
}
