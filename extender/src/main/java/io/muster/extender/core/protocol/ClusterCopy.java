package io.muster.extender.core.protocol;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What decisions go by at one moment, to run ahead on elsewhere. Immutable.
 *
 * @param events as they are told at a start
 * @param runTimes how long gangs of one kin have run
 */
public record ClusterCopy(
    Instant takenAt,
    Rules rules,
    Deadlines deadlines,
    List<Event> events,
    Map<String, Duration> runTimes) {

  public ClusterCopy {
    events = List.copyOf(events);
    runTimes = Map.copyOf(runTimes);
  }

  /** One of which nothing is known but what the API server stores. */
  public static ClusterCopy of(ClusterView view) {
    return new ClusterCopy(view.takenAt(), view.rules(), view.deadlines(), view.events(), Map.of());
  }
}
