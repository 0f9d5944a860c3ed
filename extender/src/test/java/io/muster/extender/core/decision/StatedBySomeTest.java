package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Queues;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A gang of which only some members name its queue: the first to name one decides. */
final class StatedBySomeTest extends GangScenes {

  private static PodBuilder member(String gang, int index) {
    return aPod(gang + "-" + index).gpus(1).gang(gang, 2);
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private long held() {
    return cluster.muster().cluster().queues().held().applyAsLong("q");
  }

  @Test
  void allOfItCountsInThatQueueForAnotherLeaderToo() {
    cluster.configure(
        new Queues(List.of(QueuedGangScenes.queue("q", Optional.empty(), Optional.of(2L)))));
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).build());
    }
    cluster.create(member("g", 0).createdAt(cluster.now()).build());
    cluster.create(member("g", 1).queue("q").createdAt(cluster.now()).build());
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(held()).isEqualTo(2);

    cluster.changeLeaderAfter(seconds(1));
    run(10);
    assertThat(held()).as("as for the one before").isEqualTo(2);
    cluster.create(aPod("one-more").gpus(1).queue("q").createdAt(cluster.now()).build());
    run(20);
    assertThat(cluster.pods.get("uid-one-more").isBound()).as("three of two devices").isFalse();
  }

  /** Its members were on their nodes when the first of them to name a queue was seen. */
  @Test
  void soItDoesWhereTheFirstToNameOneIsSeenLast() {
    cluster.configure(
        new Queues(List.of(QueuedGangScenes.queue("q", Optional.empty(), Optional.of(2L)))));
    cluster.addNode(aNode("n0").gpus(4).build());
    cluster.muster.deliver(new Event.PodSeen(member("g", 0).on("n0").placedBy(1).build()));
    cluster.muster.deliver(
        new Event.PodSeen(member("g", 1).queue("q").on("n0").placedBy(1).build()));
    run(5);
    assertThat(held()).isEqualTo(2);
  }
}
