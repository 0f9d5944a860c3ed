package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A gang behind others is told which of them the capacity is kept for that it would fit in. */
final class KeptForWhomTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(
          1,
          new Rules(
              PlacementMode.EXTENDER,
              NodePinPolicy.NEVER,
              new Waiting(
                  Duration.ofSeconds(20),
                  Duration.ofHours(4),
                  Duration.ofHours(12),
                  Duration.ofSeconds(15),
                  Duration.ofMinutes(10),
                  true)));

  private void gang(String name, int members, String set, UnaryOperator<PodBuilder> how) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          how.apply(
                  aPod("ml", name + "-" + i)
                      .gpus(8)
                      .gang(name, members)
                      .selecting("set", set)
                      .createdAt(cluster.now()))
              .build());
    }
  }

  private void after(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  @Test
  void ofTwoReservationsTheOneInTheWayIsNamed() {
    cluster.gracesAreUsedUp = true;
    for (int i = 0; i < 2; i++) {
      cluster.addNode(aNode("a" + i).gpus(8).label("set", "a").build());
      cluster.addNode(aNode("b" + i).gpus(8).label("set", "b").build());
    }
    gang("stays", 1, "a", pod -> pod.bare());
    gang("ends", 1, "b", pod -> pod.grace(Duration.ofMinutes(5)));
    after(10);
    gang("first", 2, "a", pod -> pod);
    after(40);
    assertThat(cluster.report("first").message()).contains("kept for it: 8 of 16 devices");
    gang("second", 2, "b", pod -> pod.priority(100));
    after(30);
    assertThat(cluster.report("second").reason().code()).isEqualTo("Preempting");

    gang("third", 1, "b", pod -> pod);
    after(20);

    assertThat(cluster.report("third").message())
        .contains("there is room, and it is kept for gang ml/second");
  }
}
