package io.muster.bench;

import java.time.Duration;

/**
 * A gang that comes and runs at stated times. Immutable.
 *
 * @param arrival since the beginning of the work
 * @param runs from the moment that all members run
 */
record TimedGang(Gang gang, Duration arrival, Duration runs) {

  TimedGang arriving(Duration at) {
    return new TimedGang(gang, at, runs);
  }

  TimedGang running(Duration time) {
    return new TimedGang(gang, arrival, time);
  }
}
