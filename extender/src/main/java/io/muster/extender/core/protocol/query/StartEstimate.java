package io.muster.extender.core.protocol.query;

import java.time.Instant;
import java.util.Optional;

/**
 * When a gang that waits would start if nobody else came, and all ran as long as is known of them.
 * Immutable.
 *
 * @param after what has to end first, the last of it; empty: nothing has to
 * @param slowest the same if what nobody knows the run time of never ended; not before the start
 */
public record StartEstimate(Instant start, Optional<After> after, Instant slowest) {

  /** Of one for which all that matters is known. */
  public StartEstimate(Instant start, Optional<After> after) {
    this(start, after, start);
  }

  /** The same where it starts by then if what nobody knows the run time of never ends. */
  public StartEstimate withSlowest(Instant slowest) {
    return new StartEstimate(start, after, slowest.isAfter(start) ? slowest : start);
  }

  /**
   * What has to end first.
   *
   * @param name of the gang, or "pod " and that of a pod, with its namespace
   */
  public record After(String name, RunTime runTime) {

    /** For users of a namespace, who may not know what is in another one. */
    public String shownIn(String namespace) {
      boolean isOwn = name.substring(name.indexOf(' ') + 1).startsWith(namespace + "/");
      var shown = isOwn ? name : "one of another namespace";
      return "after %s, %s".formatted(shown, runTime.sentence());
    }
  }
}
