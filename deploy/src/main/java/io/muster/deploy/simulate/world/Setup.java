package io.muster.deploy.simulate.world;

import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;

/**
 * How Muster is set, and what is assumed of the jobs. Immutable.
 *
 * @param hints whether jobs say how long they run
 * @param longestTick while gangs wait and nothing happens the time between two looks at the clock
 *     doubles up to this
 */
public record Setup(
    Queues queues,
    Rules rules,
    Deadlines deadlines,
    Costs costs,
    boolean hints,
    Duration longestTick) {}
