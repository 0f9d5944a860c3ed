package io.muster.extender.core.decision.scheduling;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.plan.Snapshot;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What searches may cost at one time, whoever waits: in plans, and in pods that are set aside. */
final class SearchSliceTest {

  private static final int NODES = 2_000;
  private static final int GANGS = 400;

  /** Of nodes, so many in a slice. */
  private static final int PLANS = 10;

  private final ClusterState cluster =
      new ClusterState(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  private final GangPlans plans = mock(GangPlans.class);
  private final BackfillReservations backfills =
      new BackfillReservations(cluster, plans, new CapacityOnceGone(cluster, plans));
  private final QueueOrder queueOrder = new QueueOrder(cluster);
  private Instant now = Instant.EPOCH;
  private int asked;

  /** Hundreds of gangs that fit nowhere, and so many pods of others that run. */
  private void hundredsThatFitNowhereBeside(int running) {
    for (int i = 0; i < NODES; i++) {
      cluster.inventory().seen(aNode("n" + i).gpus(8).build());
    }
    for (int i = 0; i < running; i++) {
      var pod = aPod("single-" + i).gpus(1).on("n" + i).build();
      cluster.seen(pod);
      cluster.inventory().occupy(pod.key().uid(), "n" + i, pod.demand().requests());
    }
    for (int i = 0; i < GANGS; i++) {
      var gang = waiting("g" + i);
      gang.entry.unfitSince(Optional.of(now));
      backfills.note(gang, queueOrder);
    }
    now = now.plus(cluster.rules().waiting().backfillAfter());
  }

  private GangState waiting(String name) {
    Pod pod = aPod(name + "-0").gpus(8).gang(name, 1).build();
    var gang = cluster.gangOf(pod).orElseThrow();
    cluster.seen(pod);
    gang.memberSeen(pod, now);
    return gang;
  }

  /** Each would fit if nothing ran, as far as the first question goes. */
  private void fits(boolean ifEmpty) {
    when(plans.fits(any(), any(), any(Snapshot.class), any()))
        .thenAnswer(_ -> {
          asked++;
          return ifEmpty;
        });
    when(plans.place(any(), any(), any(Instant.class)))
        .thenAnswer(_ -> {
          asked++;
          return Optional.empty();
        });
  }

  private int plansOf(Runnable work) {
    int before = asked;
    work.run();
    return asked - before;
  }

  private void tick() {
    now = now.plusMillis(500);
    backfills.advance(queueOrder, now);
  }

  @Test
  void oneTickAsksForNoMorePlansThanASliceHasAndThoseOfTheLastGang() {
    fits(true);
    hundredsThatFitNowhereBeside(100);
    for (int i = 0; i < 100; i++) {
      assertThat(plansOf(this::tick)).isBetween(1, PLANS + 2);
    }
  }

  @Test
  void whereVeryManyRunOneTickLooksForThePlacesOfOneGang() {
    fits(true);
    hundredsThatFitNowhereBeside(NODES);
    for (int i = 0; i < 20; i++) {
      assertThat(plansOf(this::tick))
          .as("empty, without 16, without 256, without all")
          .isEqualTo(4);
    }
  }

  @Test
  void whatNoEmptyNodeCouldHoldCostsOnePlanEach() {
    fits(false);
    hundredsThatFitNowhereBeside(NODES);
    int all = 0;
    for (int i = 0; i < 55; i++) {
      int plansNow = plansOf(this::tick);
      assertThat(plansNow).isLessThanOrEqualTo(PLANS);
      all += plansNow;
    }
    assertThat(all).isEqualTo(GANGS);
  }

  @Test
  void betweenTwoTicksNothingIsAsked() {
    fits(true);
    hundredsThatFitNowhereBeside(100);
    tick();
    assertThat(plansOf(() -> backfills.advance(queueOrder, now.plusMillis(499)))).isZero();
  }

  /** Whoever has been looked into is not at once again, so that the next have their turn. */
  @Test
  void eachOfThemHasItsTurn() {
    var seen = new ArrayList<GangState>();
    when(plans.fits(any(), any(), any(Snapshot.class), any()))
        .thenAnswer(question -> {
          seen.add(question.getArgument(0));
          return false;
        });
    hundredsThatFitNowhereBeside(100);
    for (int i = 0; i < 50; i++) {
      tick();
    }
    assertThat(seen).hasSize(GANGS).doesNotHaveDuplicates();
  }

  @Test
  void itIsSpentByPlansAndByPodsThatAreSetAside() {
    var slice = new SearchSlice(NODES - 1);
    assertThat(slice.plansLeft()).isEqualTo(PLANS);
    slice.planned(4);
    assertThat(slice.plansLeft()).isEqualTo(6);
    slice.setAside(1_000);
    assertThat(slice.plansLeft()).isEqualTo(1);
    assertThat(slice.isSpent()).isFalse();
    slice.setAside(200);
    assertThat(slice.isSpent()).isTrue();
    assertThat(slice.plansLeft()).isZero();
  }

  @Test
  void nothingIsLeftOfOneThatWasEnded() {
    var slice = new SearchSlice(1);
    slice.end();
    assertThat(slice.isSpent()).isTrue();
  }
}
