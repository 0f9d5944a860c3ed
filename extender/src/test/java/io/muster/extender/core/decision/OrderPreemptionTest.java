package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gangs of one queue that end each other by its order. */
final class OrderPreemptionTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  @BeforeEach
  void ownersMakePodsAnew() {
    cluster.ownersReplace = true;
  }

  private void queueOf(Order order, int nodes) {
    queueOf(order, nodes, Optional.empty());
  }

  private void queueOf(Order order, int nodes, Optional<Duration> ageing) {
    cluster.configure(
        new Queues(
            List.of(
                new Queue(
                    "default",
                    1,
                    Optional.empty(),
                    Optional.empty(),
                    order,
                    true,
                    Optional.empty(),
                    ageing,
                    Set.of()))));
    for (int i = 0; i < nodes; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
  }

  private void gang(String name, int members, UnaryOperator<PodBuilder> how) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          how.apply(aPod("ml", name + "-" + i).gpus(8).gang(name, members).createdAt(cluster.now()))
              .build());
    }
  }

  private static UnaryOperator<PodBuilder> running(Duration time) {
    return pod -> pod.running(time);
  }

  private void after(Duration time) {
    cluster.runUntil(cluster.sinceStart().plus(time));
  }

  private void end(String gang) {
    List.copyOf(cluster.pods.values()).stream()
        .filter(pod -> pod.key().name().startsWith(gang + "-"))
        .forEach(pod -> cluster.complete(pod.key().uid()));
  }

  private boolean runs(String gang) {
    return cluster.pods.values().stream()
        .anyMatch(pod ->
            pod.key().name().startsWith(gang + "-")
                && pod.isBound()
                && !pod.isTerminal()
                && !pod.progress().deleting());
  }

  @Test
  void ofThoseThatWouldDoTheLongestEnds() {
    queueOf(Order.SHORTEST_GANG, 2);
    gang("longest", 1, running(Duration.ofHours(10)));
    after(Duration.ofMinutes(1));
    gang("longer", 1, running(Duration.ofHours(5)));
    after(Duration.ofMinutes(15));
    gang("short", 1, running(Duration.ofHours(1)));
    after(Duration.ofMinutes(1));
    assertThat(runs("short")).isTrue();
    assertThat(runs("longer")).isTrue();
    assertThat(runs("longest")).isFalse();
  }

  @Test
  void nobodyEndsForOneThatIsHardlyShorter() {
    queueOf(Order.SHORTEST_GANG, 1);
    gang("long", 1, running(Duration.ofHours(10)));
    after(Duration.ofMinutes(15));
    gang("other", 1, running(Duration.ofMinutes(9 * 60 + 30)));
    after(Duration.ofMinutes(2));
    assertThat(runs("long")).isTrue();
  }

  @Test
  void whatItHasDoneCountsForAGangThatSavesItsWork() {
    queueOf(Order.SHORTEST_GANG, 1);
    gang("saving", 1, pod -> pod.running(Duration.ofHours(10)).saving(Duration.ofMinutes(10)));
    after(Duration.ofHours(9));
    gang("urgent", 1, running(Duration.ofMinutes(20)));
    after(Duration.ofMinutes(2));
    assertThat(runs("urgent")).isTrue();
    gang("middle", 1, running(Duration.ofHours(3)));
    after(Duration.ofMinutes(5));
    end("urgent");
    after(Duration.ofMinutes(1));
    assertThat(runs("saving")).isTrue();
    after(Duration.ofMinutes(30));
    assertThat(runs("saving")).as("1 hour is left of it, and 3 of the other").isTrue();
  }

  @Test
  void whoBeginsAnewHasAllOfItBeforeIt() {
    queueOf(Order.SHORTEST_GANG, 1);
    gang("anew", 1, running(Duration.ofHours(10)));
    after(Duration.ofHours(9));
    gang("urgent", 1, running(Duration.ofMinutes(20)));
    after(Duration.ofMinutes(2));
    gang("middle", 1, running(Duration.ofHours(3)));
    after(Duration.ofMinutes(5));
    end("urgent");
    after(Duration.ofMinutes(1));
    assertThat(runs("middle")).isTrue();
  }

  @Test
  void whoComesBackIsNotTakenToHaveRunMeanwhile() {
    queueOf(Order.SHORTEST_GANG, 1);
    gang("back", 1, running(Duration.ofHours(4)));
    after(Duration.ofMinutes(15));
    gang("first", 1, running(Duration.ofHours(3)));
    after(Duration.ofHours(2));
    end("first");
    after(Duration.ofMinutes(15));
    assertThat(runs("back")).isTrue();
    gang("second", 1, running(Duration.ofHours(3)));
    after(Duration.ofMinutes(1));
    assertThat(runs("second")).as("it has 3:45 before it again").isTrue();
  }

  @Test
  void aLargeGangLeavesDevicesToOthersWhereItsQueueMakesRoomByEnding() {
    queueOf(Order.SHORTEST_GANG, 2);
    gang("long", 1, running(Duration.ofHours(4)));
    after(Duration.ofMinutes(1));
    gang("large", 2, running(Duration.ofHours(3)));
    after(Duration.ofMinutes(10));
    gang("small", 1, running(Duration.ofHours(5)));
    after(Duration.ofMinutes(1));
    assertThat(runs("small")).isTrue();
  }

  @Test
  void whoHasWaitedLongEnoughGetsAClaimThereToo() {
    queueOf(Order.SHORTEST_GANG, 2);
    gang("long", 1, running(Duration.ofHours(40)));
    after(Duration.ofMinutes(1));
    gang("large", 2, running(Duration.ofHours(30)));
    after(Duration.ofHours(13));
    gang("small", 1, running(Duration.ofHours(35)));
    after(Duration.ofMinutes(1));
    assertThat(runs("small")).isFalse();
    assertThat(cluster.report("large").message()).contains("what comes free is kept for it");
  }

  @Test
  void aQueueMayHaveItsGangsAgeSoonerThanOthers() {
    queueOf(Order.SHORTEST_GANG, 2, Optional.of(Duration.ofHours(1)));
    gang("long", 1, running(Duration.ofHours(40)));
    after(Duration.ofMinutes(1));
    gang("large", 2, running(Duration.ofHours(30)));
    after(Duration.ofMinutes(50));
    assertThat(cluster.report("large").message()).doesNotContain("is kept for it");
    after(Duration.ofMinutes(20));
    assertThat(cluster.report("large").message()).contains("what comes free is kept for it");
  }

  @Test
  void aQueueMayHaveItsGangsNeverAge() {
    queueOf(Order.SHORTEST_GANG, 2, Optional.of(Queue.NEVER));
    gang("long", 1, running(Duration.ofHours(40)));
    after(Duration.ofMinutes(1));
    gang("large", 2, running(Duration.ofHours(30)));
    after(Duration.ofHours(13));
    gang("small", 1, running(Duration.ofHours(35)));
    after(Duration.ofMinutes(1));
    assertThat(runs("small")).isTrue();
  }

  @Test
  void whoWasGivenTenTimesAsMuchEnds() {
    queueOf(Order.LEAST_ATTAINED, 1);
    gang("old", 1, pod -> pod);
    after(Duration.ofMinutes(20));
    gang("new", 1, pod -> pod);
    after(Duration.ofMinutes(1));
    assertThat(runs("new")).as("old was given 2.7 device hours").isTrue();
    after(Duration.ofMinutes(15));
    assertThat(runs("old")).as("both were given more than one, nobody ten").isFalse();
    after(Duration.ofMinutes(70));
    assertThat(runs("old")).as("new was given more than ten").isTrue();
  }

  @Test
  void ofThoseThatWereGivenAboutAsMuchTheFirstGoesOn() {
    queueOf(Order.LEAST_ATTAINED, 1);
    gang("first", 1, pod -> pod);
    after(Duration.ofMinutes(20));
    gang("second", 1, pod -> pod);
    after(Duration.ofMinutes(20));
    gang("third", 1, pod -> pod);
    after(Duration.ofMinutes(1));
    assertThat(runs("third")).isTrue();
    end("third");
    after(Duration.ofMinutes(1));
    assertThat(runs("first")).isTrue();
  }
}
