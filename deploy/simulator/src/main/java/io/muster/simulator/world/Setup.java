package io.muster.simulator.world;

import io.muster.controller.core.elastic.Elasticity;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Queues;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.SegmentRule;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * How Muster is set, and what is assumed of the jobs. Immutable.
 *
 * @param hints whether jobs say how long they run
 * @param longestTick while gangs wait and nothing happens the time between two looks at the clock
 *     doubles up to this; and so it does between two looks at the sizes of elastic jobs
 * @param segments what members of a gang must be in one rack
 * @param elasticity who decides those sizes: a new one for each replay, since it remembers
 */
public record Setup(
    Queues queues,
    Rules rules,
    Deadlines deadlines,
    Costs costs,
    boolean hints,
    Duration longestTick,
    SegmentRule segments,
    Supplier<Elasticity> elasticity) {

  /** The same, and members come to their places that way. */
  public Setup placing(PlacementMode mode) {
    var placing = new Rules(mode, rules.pins(), rules.waiting());
    return new Setup(queues, placing, deadlines, costs, hints, longestTick, segments, elasticity);
  }

  /** The same with other sizes of elastic jobs. */
  public Setup sizedBy(Supplier<Elasticity> other) {
    return new Setup(queues, rules, deadlines, costs, hints, longestTick, segments, other);
  }

  /** The same with other segments. */
  public Setup segmentedBy(SegmentRule other) {
    return new Setup(queues, rules, deadlines, costs, hints, longestTick, other, elasticity);
  }
}
