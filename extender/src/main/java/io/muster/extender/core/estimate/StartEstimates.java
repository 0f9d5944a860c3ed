package io.muster.extender.core.estimate;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.query.StartEstimate;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * When gangs that wait would start: the decisions are made ahead, on a copy, in virtual time. What
 * runs ends when it is expected to; what would start then starts; and so on. The same copy leads to
 * the same estimates. Stateless; safe for concurrent use.
 *
 * <p>Not foreseen: gangs that come later, failures, and gangs that are preempted and wait again.
 */
public final class StartEstimates {

  /** Those that come first in line. */
  public static final int MOST_GANGS = 1_000;

  private StartEstimates() {}

  /**
   * Those of the first {@value #MOST_GANGS} gangs in line, and of those that start at once. A gang
   * without one starts only after something of which nobody knows how long it runs, or later than
   * the time allowed was enough to find out.
   *
   * @param mayGoOn is asked before each step
   * @param faults is told of steps that failed; they concern one gang each, and the rest goes on
   */
  public static Map<GangId, StartEstimate> of(
      ClusterCopy copy, BooleanSupplier mayGoOn, Consumer<Effect.Fault> faults) {
    return new RunAhead(copy, faults).run(mayGoOn);
  }
}
