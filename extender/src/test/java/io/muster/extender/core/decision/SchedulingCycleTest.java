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
import java.time.Instant;
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
}
