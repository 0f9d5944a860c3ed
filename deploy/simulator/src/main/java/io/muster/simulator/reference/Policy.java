package io.muster.simulator.reference;

import java.util.List;

/** In which order jobs are served, and whether those that run give way. Immutable. */
public sealed interface Policy {

  /** Jobs start as they came, nobody passes anybody, nobody is ended. */
  record Fifo() implements Policy {}

  /**
   * The least remaining time x devices first; whoever comes later in that order gives way at once
   * (SRSF in Gu et al., Tiresias, NSDI 2019).
   */
  record ShortestService() implements Policy {}

  /**
   * Two-dimensional least attained service in its discrete form (Gu et al., Tiresias, NSDI 2019): a
   * job falls to the next queue with each threshold that its time x devices passes; upper queues go
   * first, and within a queue those go first that started first.
   *
   * @param thresholdSeconds device seconds, ascending
   */
  record LeastAttained(List<Long> thresholdSeconds) implements Policy {
    public LeastAttained {
      thresholdSeconds = List.copyOf(thresholdSeconds);
    }
  }
}
