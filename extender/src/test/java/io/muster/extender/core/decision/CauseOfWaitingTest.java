package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which cause a gang that waits is told, and when it is told another. */
final class CauseOfWaitingTest extends GangScenes {

  @Test
  void aGangThatWaitsIsToldAnotherCauseOnceTheClusterHasChanged() {
    gpuNodes(1);
    cluster.create(aPod("single").gpus(1).createdAt(cluster.now()).build());
    cluster.runUntil(seconds(5));
    gang("g", 2, 2);
    cluster.runUntil(seconds(20));
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);

    cluster.addNode(aNode("gpu-1").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(45));

    assertThat(cluster.report("g").reason()).isEqualTo(Reason.NO_ROOM);
    settled();
  }

  /** Autoscalers add nodes for pods that are shown, and nodes with a cordon may stay closed. */
  @Test
  void allMembersOfAGangThatNeedsClosedNodesAreShown() {
    gpuNodes(20);
    for (int i = 0; i < 20; i++) {
      cluster.addNode(
          aNode("closed-" + i)
              .gpus(1)
              .label("set", "gpu")
              .availability(Node.Availability.CORDONED)
              .taint("node.kubernetes.io/unschedulable", "", Taint.Effect.NO_SCHEDULE)
              .build());
    }
    gang("g", 40, 40);
    cluster.runUntil(seconds(60));

    assertThat(cluster.report("g").reason()).isEqualTo(Reason.NODES_UNAVAILABLE);
    assertThat(cluster.shown).hasSize(24).doesNotHaveDuplicates();
  }

  /** Autoscalers would add nodes to which its queue lets nobody go. */
  @Test
  void membersThatNodesWouldNotHelpAnyMoreAreShownNoLonger() {
    gpuNodes(2);
    gang("g", 20, 20);
    cluster.runUntil(seconds(60));
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(cluster.hidden).isEmpty();

    cluster.configure(
        new Queues(
            List.of(
                new Queue(
                    "default",
                    1,
                    Optional.empty(),
                    Optional.of(1L),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of()))));
    cluster.runUntil(seconds(80));
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.QUOTA);
    assertThat(cluster.hidden).hasSize(20).doesNotHaveDuplicates();

    cluster.shown.clear();
    cluster.configure(Queues.NONE);
    cluster.runUntil(seconds(140));
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(cluster.shown).hasSize(4);
  }

  /** They are there, however many others are missing. */
  @Test
  void membersThatGatesOfOthersHoldBackExistAndTheGatesAreNamed() {
    gpuNodes(3);
    held("g-0");
    held("g-1");
    cluster.runUntil(seconds(20));
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "2 of 3 members exist; scheduling gates of others hold 2 of them back: example.com/ok"
                + " on g-0 and 1 more");

    gang("g", 1, 3);
    cluster.runUntil(seconds(40));
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.HELD_BY_OTHER_GATES);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "scheduling gates of others hold members back: example.com/ok on g-0 and 1 more");
  }

  private void held(String name) {
    cluster.create(
        aPod("dlrover", name)
            .gpus(1)
            .gang("g", 3)
            .selecting("set", "gpu")
            .createdAt(cluster.now())
            .gatedBy("example.com/ok")
            .build());
  }
}
