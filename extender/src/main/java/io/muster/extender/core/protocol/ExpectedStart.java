package io.muster.extender.core.protocol;

import io.muster.extender.core.protocol.query.StartEstimate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * When a gang that waits will probably start. Immutable.
 *
 * @param p50 if nobody else comes, and all run as long as is known of them
 * @param p90 by when nine of ten gangs have started of which that was expected; empty until enough
 *     have
 * @param after what has to end first, for users; empty if nothing has to
 */
public record ExpectedStart(Instant p50, Optional<Instant> p90, String after) {

  /** What an estimate says, to the second, with a 90th percentile where that is known. */
  public static ExpectedStart of(String namespace, StartEstimate estimate, Optional<Instant> p90) {
    return new ExpectedStart(
        estimate.start().truncatedTo(ChronoUnit.SECONDS),
        p90.map(latest -> latest.truncatedTo(ChronoUnit.SECONDS)),
        estimate.after().map(after -> after.shownIn(namespace)).orElse(""));
  }

  /** How a start compares with the first that was expected. */
  public enum Outcome {
    /** Not after the median. */
    BY_P50,
    /** Not after the 90th percentile. */
    BY_P90,
    LATER
  }
}
