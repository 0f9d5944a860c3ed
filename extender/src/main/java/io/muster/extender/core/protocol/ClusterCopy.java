package io.muster.extender.core.protocol;

import io.muster.extender.core.protocol.query.LearnedRuns;
import java.time.Instant;
import java.util.List;

/**
 * What decisions go by at one moment, to run ahead on elsewhere. Immutable.
 *
 * @param events as they are told at a start
 * @param runTimes how long gangs have run
 */
public record ClusterCopy(
    Instant takenAt, Rules rules, Deadlines deadlines, List<Event> events, LearnedRuns runTimes) {

  public ClusterCopy {
    events = List.copyOf(events);
  }

  /** One of which nothing is known but what the API server stores. */
  public static ClusterCopy of(ClusterView view) {
    return new ClusterCopy(
        view.takenAt(), view.rules(), view.deadlines(), view.events(), LearnedRuns.NONE);
  }
}
