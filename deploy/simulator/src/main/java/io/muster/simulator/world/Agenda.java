package io.muster.simulator.world;

import io.muster.simulator.world.cluster.RunningJob;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/** What is still to happen, by its time and then in the order of entry. Not thread-safe. */
final class Agenda {

  /** What happens. */
  enum Kind {
    ARRIVAL,
    END,
    /** All pods of a job that was ended have gone. */
    GONE,
    /** Pods that a job gave back have gone. */
    SMALLER,
    /** The protocol is told the time. */
    TICK,
    /** The sizes of elastic jobs are looked at. */
    ROUND;

    /** Whether it comes of nothing but time. */
    boolean isClock() {
      return this == TICK || this == ROUND;
    }
  }

  /**
   * Something that happens.
   *
   * @param at milliseconds since the beginning of the trace
   * @param job that it happens to; empty: to none
   * @param plan of the job for which it was entered
   */
  record Step(long at, long order, Kind kind, Optional<RunningJob> job, int plan) {}

  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::order));
  private long order;

  void add(long at, Kind kind, RunningJob job) {
    steps.add(new Step(at, order++, kind, Optional.of(job), job.plan));
  }

  void add(long at, Kind kind) {
    steps.add(new Step(at, order++, kind, Optional.empty(), 0));
  }

  boolean isEmpty() {
    return steps.isEmpty();
  }

  long next() {
    return steps.peek().at();
  }

  boolean hasAnyAt(long now) {
    return !steps.isEmpty() && steps.peek().at() == now;
  }

  Step take() {
    return steps.remove();
  }

  /** Whether nothing but time will pass. */
  boolean isQuiet() {
    return steps.stream().allMatch(step -> step.kind().isClock());
  }
}
