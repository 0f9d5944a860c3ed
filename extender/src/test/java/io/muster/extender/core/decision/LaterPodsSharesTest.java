package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much pods that ask for next to nothing may have kept for pods that come later. */
final class LaterPodsSharesTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  @BeforeEach
  void sixtyFourDevices() {
    for (int i = 0; i < 8; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    after(1);
  }

  private void after(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  /** A gang of one, which says that a pod with eight devices follows. */
  private void promising(String name) {
    var later = aPod("team-b", name + "-later").gpus(8).gang(name, 1).build();
    cluster.create(
        aPod("team-b", name + "-0")
            .cpuMillis(10)
            .gang(name, 1)
            .beforeOne(later)
            .createdAt(cluster.now())
            .build());
  }

  private void gang(String namespace, String name, int members) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod(namespace, name + "-" + i)
              .gpus(8)
              .gang(name, members)
              .createdAt(cluster.now())
              .build());
    }
  }

  private long keeping(int gangs) {
    long keeping = 0;
    for (int i = 0; i < gangs; i++) {
      keeping += cluster.report("small-" + i).message().contains("room is kept") ? 1 : 0;
    }
    return keeping;
  }

  @Test
  void aQuarterOfTheClusterIsKeptForPodsToComeAndNoMore() {
    for (int i = 0; i < 8; i++) {
      promising("small-" + i);
    }
    after(10);
    for (int i = 0; i < 8; i++) {
      assertThat(cluster.boundOf("small-" + i)).isEqualTo(1);
    }
    assertThat(keeping(8)).isEqualTo(2);
    gang("team-a", "large", 6);
    after(15);
    assertThat(cluster.boundOf("large")).isEqualTo(6);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void nothingIsKeptBeyondTheQuotaOfTheQueue() {
    cluster.configure(
        new Queues(
            List.of(
                new Queue(
                    "research",
                    1,
                    Optional.of(8L),
                    Optional.empty(),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of("team-b")),
                new Queue(
                    "speech",
                    1,
                    Optional.of(56L),
                    Optional.empty(),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of("team-a")))));
    promising("small-0");
    promising("small-1");
    after(10);
    assertThat(cluster.boundOf("small-1")).isEqualTo(1);
    assertThat(keeping(2)).isEqualTo(1);
    gang("team-a", "large", 7);
    after(15);
    assertThat(cluster.boundOf("large")).isEqualTo(7);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatWasKeptGoesWithTheGangThatEndsForAnother() {
    cluster.ownersReplace = true;
    cluster.configure(new Queues(List.of(queue("research", "team-b"), queue("speech", "team-a"))));
    var later = aPod("team-b", "small-later").gpus(8).gang("small", 1).build();
    cluster.create(
        aPod("team-b", "small-0").gpus(8).gang("small", 1).beforeOne(later).priority(-1).build());
    after(10);
    for (int i = 0; i < 4; i++) {
      cluster.create(aPod("team-b", "big-" + i).gpus(8).gang("big", 4).toBeLeftAlone().build());
    }
    after(10);
    assertThat(cluster.report("small").message()).contains("room is kept");
    assertThat(cluster.boundOf("big")).isEqualTo(4);

    gang("team-a", "owner", 3);
    after(60);
    assertThat(cluster.boundOf("owner")).isEqualTo(3);
    assertThat(cluster.boundOf("big")).isEqualTo(4);
  }

  private static Queue queue(String name, String namespace) {
    return new Queue(
        name,
        1,
        Optional.of(32L),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(namespace));
  }
}
