package io.muster.extender.core.estimate;

import io.muster.extender.core.estimate.RemainingTimes.Unknown;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.query.StartEstimate;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoublePredicate;

/**
 * When gangs that wait would start: the decisions are made ahead, on a copy, in virtual time. What
 * runs ends when it is expected to; what would start then starts; and so on. The same copy leads to
 * the same estimates. Stateless; safe for concurrent use.
 *
 * <p>Where something is met of which nobody knows how long it runs, three such runs are made: in
 * one it never ends, in one it ends at once, and in one it runs as long as other gangs have. A gang
 * is told of the last, if the first two agree well enough: what nobody knows matters little to it
 * then.
 *
 * <p>Not foreseen: gangs that come later, failures, and gangs that are preempted and wait again.
 */
public final class StartEstimates {

  /** Those that come first in line. */
  public static final int MOST_GANGS = 1_000;

  /** The longer of two waits that agree is so many times the shorter at most. */
  private static final int AGREE = 3;

  /** Added to both, so that a minute more or less says little about short waits. */
  private static final Duration FLOOR = Duration.ofMinutes(1);

  private static final double A_THIRD = 1.0 / 3;

  private StartEstimates() {}

  /**
   * Those of the first {@value #MOST_GANGS} gangs in line, and of those that start at once. A gang
   * without one starts only after something of which nobody knows how long it runs, or later than
   * the time allowed was enough to find out. Each of three runs has a third of that time. Where no
   * gang has ended yet, what nobody knows the run time of is taken to run for ever.
   *
   * @param isWithin is asked before each step, with a share of the time allowed from 0 to 1:
   *     whether less than that has passed
   * @param faults is told of steps that failed; they concern one gang each, and the rest goes on
   */
  public static Map<GangId, StartEstimate> of(
      ClusterCopy copy, DoublePredicate isWithin, Consumer<Effect.Fault> faults) {
    var others = copy.runTimes().last();
    var first = new RemainingTimes(others, Unknown.FOR_EVER);
    BooleanSupplier isGuessDue = () -> first.isAnyUnknown() && !others.isEmpty();
    var never =
        new RunAhead(copy, first, faults)
            .run(() -> isWithin.test(isGuessDue.getAsBoolean() ? A_THIRD : 1));
    if (!isGuessDue.getAsBoolean()) {
      return never;
    }
    var atOnce =
        new RunAhead(copy, new RemainingTimes(others, Unknown.NO_LONGER), faults)
            .run(() -> isWithin.test(2 * A_THIRD));
    var likely =
        new RunAhead(copy, new RemainingTimes(others, Unknown.LIKE_OTHERS), faults)
            .run(() -> isWithin.test(1));
    var agreed = new LinkedHashMap<GangId, StartEstimate>();
    likely.forEach((gang, estimate) -> {
      var last = never.get(gang);
      var soonest = atOnce.get(gang);
      if (last != null && soonest != null && agree(copy.takenAt(), soonest, last)) {
        agreed.put(gang, estimate.withSlowest(last.start()));
      }
    });
    return agreed;
  }

  private static boolean agree(Instant now, StartEstimate first, StartEstimate last) {
    var soonest = Duration.between(now, first.start()).plus(FLOOR);
    var latest = Duration.between(now, last.start()).plus(FLOOR);
    return latest.compareTo(soonest.multipliedBy(AGREE)) <= 0
        && soonest.compareTo(latest.multipliedBy(AGREE)) <= 0;
  }
}
