package io.muster.simulator.world;

import io.muster.controller.core.elastic.ByTerms;
import io.muster.controller.core.elastic.EdlPolicy;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.core.elastic.GangPolicy;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.SegmentRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Settings of Muster for a replay in which all gangs are in one queue. Stateless. */
public final class PolicyNames {

  /** Published policies know no ageing: whoever is long may wait for ever. */
  public static final Duration NO_AGEING = Duration.ofDays(36_500);

  private static final double CPU_LOAD = 0.97;
  private static final Duration LONGEST_TICK = Duration.ofMinutes(10);

  private PolicyNames() {}

  /** One queue of that order, whose gangs end each other by it where the order knows how. */
  public static Queues oneQueue(Order order) {
    if (order == Order.PRIORITY) {
      return Queues.NONE;
    }
    return new Queues(
        List.of(
            new Queue(
                Queues.DEFAULT,
                1,
                Optional.empty(),
                Optional.empty(),
                order,
                true,
                Optional.empty(),
                Set.of())));
  }

  /** As live, but that gangs age after so long; jobs share room by policy {@code gang}. */
  public static Setup setup(Queues queues, Duration ageing, Costs costs, boolean hints) {
    var live = Waiting.DEFAULT;
    var waiting =
        new Waiting(
            live.backfillAfter(),
            live.longestBackfill(),
            ageing,
            live.preemptAfter(),
            live.preemptionGrace(),
            live.preempts());
    var rules = new Rules(PlacementMode.AFFINITY, NodePinPolicy.NEVER, waiting);
    return new Setup(
        queues,
        rules,
        Deadlines.DEFAULT,
        costs,
        hints,
        LONGEST_TICK,
        SegmentRule.NONE,
        PolicyNames::wholeGangsFirst);
  }

  /** Sizes of elastic jobs by policy {@code gang}, set as by default. */
  public static Elasticity wholeGangsFirst() {
    return new GangPolicy(GangPolicy.HeadRoom.WITHOUT_DEVICES);
  }

  /** Sizes of elastic jobs by policy {@code edl}, set as by default. */
  public static Elasticity loadOfTheCpu() {
    return ByTerms.sharingBy(new EdlPolicy(CPU_LOAD));
  }
}
