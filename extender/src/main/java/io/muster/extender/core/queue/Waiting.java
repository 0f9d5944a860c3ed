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
 * @param preemptionGrace a pod that is ended for others has so long to end at most, whatever it
 *     states
 * @param preempts whether gangs are ended for others at all
 */
public record Waiting(
    Duration backfillAfter,
    Duration longestBackfill,
    Duration ageing,
    Duration preemptAfter,
    Duration preemptionGrace,
    boolean preempts) {

  /** The defaults. */
  public static final Waiting DEFAULT =
      new Waiting(
          Duration.ofMinutes(5),
          Duration.ofHours(24),
          Duration.ofHours(12),
          Duration.ofSeconds(15),
          Duration.ofMinutes(10),
          true);

  /** The same, but that no gang is ended for another. */
  public Waiting withoutPreemption() {
    return new Waiting(
        backfillAfter, longestBackfill, ageing, preemptAfter, preemptionGrace, false);
  }

  /** The same, but that pods which are ended for others have so long to end at most. */
  public Waiting endingWithin(Duration grace) {
    return new Waiting(backfillAfter, longestBackfill, ageing, preemptAfter, grace, preempts);
  }
}
