package io.muster.extender.core.protocol.query;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How long gangs have run that have ended. Immutable.
 *
 * @param usual the median of the last few of each kin
 * @param last the last of any kin, the oldest first
 */
public record LearnedRuns(Map<String, Duration> usual, List<Duration> last) {

  public static final LearnedRuns NONE = new LearnedRuns(Map.of(), List.of());

  public LearnedRuns {
    usual = Map.copyOf(usual);
    last = List.copyOf(last);
  }
}
