package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.loss.ReleasedCapacity;
import io.muster.extender.core.decision.loss.ReplacementPlaces;
import io.muster.extender.core.decision.observe.ShadowGangs;
import io.muster.extender.core.decision.permit.PermitBarrier;
import io.muster.extender.core.decision.report.Explanations;
import io.muster.extender.core.decision.reserve.DeferredReservations;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.NodePins;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.scheduling.SchedulingCycle;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a gang that does not fit is tried again. */
final class SchedulingCycleTest {

  private static final Instant START = Instant.EPOCH;

  private final ClusterState cluster =
      new ClusterState(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  private final GangPlans plans = new GangPlans(cluster);
  private final NodePins pins = new NodePins(cluster);
  private final Reservations reservations = new Reservations(cluster, plans, pins);
  private final SchedulingCycle line = line();
  private final GangState gang = cluster.gangOf(aPod("g-0").gang("g", 1).build()).orElseThrow();

  private SchedulingCycle line() {
    var singles = new Singles(cluster, reservations);
    var barrier =
        new PermitBarrier(
            cluster,
            reservations,
            singles,
            new ShadowGangs(cluster, reservations, new Explanations(cluster, plans)));
    var replacements = new ReplacementPlaces(cluster, plans, reservations);
    return new SchedulingCycle(
        cluster,
        plans,
        reservations,
        barrier,
        new MemberFailures(
            cluster, reservations, replacements, singles, new ReleasedCapacity(cluster)),
        new DeferredReservations(cluster, plans, reservations));
  }

  @BeforeEach
  void aGangWhoseOnlyNodeHasFailedIt() {
    cluster.inventory().seen(aNode("n0").gpus(1).build());
    gang.memberSeen(aPod("g-0").gpus(1).gang("g", 1).build(), START);
    gang.setbacks.blame("n0", START);
    line.advance(START);
    assertThat(gang.isWaiting()).isTrue();
  }

  @Test
  void whenANodeThatFailedItIsForgivenAndNotBefore() {
    assertThat(line.isTimeUp(START.plusMillis(500))).isFalse();
    line.advance(START.plusSeconds(59));
    assertThat(gang.isWaiting()).isTrue();
    assertThat(line.isTimeUp(START.plusMillis(59_500))).isFalse();
    assertThat(line.isTimeUp(START.plusSeconds(60))).isTrue();

    line.advance(START.plusSeconds(60));

    assertThat(gang.reservation.places().values()).containsExactly("n0");
  }

  @Test
  void ofTwoThatWaitTheOneOfHigherPriorityGoesFirst() {
    var urgent = cluster.gangOf(aPod("h-0").gang("h", 1).build()).orElseThrow();
    urgent.memberSeen(
        aPod("h-0").gpus(1).gang("h", 1).priority(10).createdAt(START.plusSeconds(1)).build(),
        START.plusSeconds(1));

    line.advance(START.plusSeconds(60));

    assertThat(urgent.reservation.places().values()).containsExactly("n0");
    assertThat(gang.isWaiting()).isTrue();
  }

  @Test
  void onceAWhileIfItDoesNotFitThenEither() {
    cluster
        .inventory()
        .occupy("another", "n0", aPod("another").gpus(1).build().demand().requests());

    line.advance(START.plusSeconds(60));

    assertThat(gang.isWaiting()).isTrue();
    assertThat(line.isTimeUp(START.plusMillis(60_500))).isFalse();
    assertThat(line.isTimeUp(START.plusSeconds(69))).isFalse();
    assertThat(line.isTimeUp(START.plusSeconds(71))).isTrue();
  }

  @Test
  void aGangHasThePriorityOfItsHighestMemberWhoeverComesLast() {
    var mixed = cluster.gangOf(aPod("h-0").gang("h", 1).build()).orElseThrow();
    for (int i = 0; i < 2; i++) {
      var pod = aPod("h-" + i).gpus(1).gang("h", 1).priority(i == 0 ? 10 : 0);
      mixed.memberSeen(pod.createdAt(START.plusSeconds(1)).build(), START.plusSeconds(1));
    }

    line.advance(START.plusSeconds(60));

    assertThat(mixed.reservation.places().values()).containsExactly("n0");
    assertThat(gang.isWaiting()).isTrue();
  }

  @Test
  void ofTwoThatAskForTheSameTheOneThatHasWaitedTooLongGoesFirst() {
    var single = aPod("another").gpus(1).build().demand().requests();
    cluster.inventory().occupy("another", "n0", single);
    var urgent = cluster.gangOf(aPod("h-0").gang("h", 1).build()).orElseThrow();
    urgent.memberSeen(
        aPod("h-0").gpus(1).gang("h", 1).priority(10).createdAt(START.plusSeconds(1)).build(),
        START.plusSeconds(1));
    line.advance(START.plusSeconds(60));
    assertThat(gang.isWaiting() && urgent.isWaiting()).isTrue();

    cluster.inventory().release("another");
    line.advance(START.plus(cluster.rules().waiting().ageing()));

    assertThat(gang.reservation.places().values()).containsExactly("n0");
    assertThat(urgent.isWaiting()).isTrue();
  }

  @Test
  void asSoonAsItsQueueLetsIt() {
    var bounded =
        new Queue(
            "q",
            1,
            Optional.empty(),
            Optional.of(1L),
            Order.PRIORITY,
            false,
            Optional.empty(),
            Set.of());
    cluster.queues().configure(new Queues(List.of(bounded)));
    var running = aPod("running").gpus(1).queue("q").on("n9").build();
    cluster.queues().seen(running);
    cluster.inventory().seen(aNode("n1").gpus(1).build());
    var held = cluster.gangOf(aPod("h-0").gang("h", 1).build()).orElseThrow();
    held.memberSeen(aPod("h-0").gpus(1).gang("h", 1).queue("q").build(), START);
    line.advance(START.plusSeconds(60));
    assertThat(held.isWaiting()).as("there is room, and the queue is full").isTrue();

    cluster.queues().gone(running.key().uid());
    line.advance(START.plusSeconds(61));

    assertThat(held.isReserved()).isTrue();
  }
}
