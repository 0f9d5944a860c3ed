package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.NodePins;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.QueueEntry.Withheld;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a queue lets start, and whom that keeps from starting. */
final class QueueAdmissionTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  private void nodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
  }

  private static Queue queue(String name, Long quota, Long limit, String... namespaces) {
    return new Queue(
        name,
        1,
        Optional.ofNullable(quota),
        Optional.ofNullable(limit),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(namespaces));
  }

  private void gang(String name, int members, UnaryOperator<PodBuilder> how) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          how.apply(aPod("ml", name + "-" + i).gang(name, members).createdAt(cluster.now()))
              .build());
    }
  }

  private void after(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aGangStartsThoughItsQueueHasNothingLeftForThePodThatComesLater(boolean isLimit) {
    nodes(3);
    cluster.configure(new Queues(List.of(isLimit ? queue("a", null, 8L) : queue("a", 8L, null))));
    var later = aPod("ml", "first-later").gpus(1).gang("first", 1).queue("a").build();
    gang("first", 1, pod -> pod.gpus(8).queue("a").beforeOne(later));
    after(30);

    assertThat(cluster.boundOf("first")).isEqualTo(1);
    assertThat(cluster.report("first").message()).doesNotContain("room is kept");
    gang("others", 2, pod -> pod.gpus(8));
    after(30);
    assertThat(cluster.boundOf("others")).as("nothing is kept").isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  /** The one without a controller is the first of those that are alike. */
  @Test
  void whoMayNotBorrowKeepsNobodyFromBorrowingWhoAsksForTheSame() {
    nodes(2);
    cluster.configure(new Queues(List.of(queue("a", 0L, null), queue("b", 16L, null))));
    gang("running", 2, pod -> pod.gpus(8).queue("b"));
    after(10);
    gang("bare", 1, pod -> pod.gpus(8).queue("a").bare());
    after(2);
    gang("owned", 1, pod -> pod.gpus(8).queue("a"));
    after(30);
    assertThat(cluster.boundOf("owned")).isZero();

    cluster.complete("uid-running-0");
    cluster.complete("uid-running-1");
    after(90);

    assertThat(cluster.boundOf("owned")).isEqualTo(1);
    assertThat(cluster.boundOf("bare")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aGangWithoutDevicesStartsThoughItsQueueHoldsMoreThanItMay(boolean isLimit) {
    nodes(2);
    gang("running", 2, pod -> pod.gpus(8));
    after(10);
    cluster.configure(
        new Queues(List.of(isLimit ? queue("a", null, 8L, "ml") : queue("a", 8L, null, "ml"))));
    gang("light", 2, pod -> pod.gpus(0).cpuMillis(100));
    after(30);

    assertThat(cluster.boundOf("light")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  /** What needs nothing of its queue is not behind those who stay within theirs. */
  @Test
  void whoAsksForNoDevicesBorrowsNone() {
    var queues = new Queues(List.of(queue("a", 8L, null)));

    assertThat(queues.isEntitled("a", 0, _ -> 16)).isTrue();
    assertThat(queues.isEntitled("a", 1, _ -> 16)).isFalse();
  }

  @Test
  void aPlanThatTheQueueForbidsSaysSo() {
    nodes(1);
    cluster.configure(new Queues(List.of(queue("a", null, 4L))));
    gang("first", 1, pod -> pod.gpus(8).queue("a"));
    after(10);
    var state = cluster.muster().cluster();
    var gang = state.gangs().all().iterator().next();
    gang.entry.withheld(Optional.empty());

    boolean isPlanned =
        new Reservations(state, new GangPlans(state), new NodePins(state))
            .plan(gang, cluster.now());

    assertThat(isPlanned).isFalse();
    assertThat(gang.entry.withheld()).map(Withheld::reason).contains(Reason.QUOTA);
  }
}
