package io.muster.extender.core.queue;

import java.time.Duration;

/**
 * How long gangs wait before something is done for them. Immutable.
 *
 * @param backfillAfter the first in line that does not fit gets a backfill reservation after this
 *     long
 * @param longestBackfill a backfill reservation that has led to nothing ends after this long; its
 *     gang gets the next one no sooner than after as long again
 * @param ageing a gang that has waited this long goes before all priorities
 * @param preemptAfter a gang that does not fit ends others of lower priority after this long, so
 *     that elastic jobs can make room first
 * @param preempts whether gangs are ended for others at all
 */
public record Waiting(
    Duration backfillAfter,
    Duration longestBackfill,
    Duration ageing,
    Duration preemptAfter,
    boolean preempts) {

  /** The defaults. */
  public static final Waiting DEFAULT =
      new Waiting(
          Duration.ofMinutes(5),
          Duration.ofHours(24),
          Duration.ofHours(12),
          Duration.ofSeconds(15),
          true);
}
