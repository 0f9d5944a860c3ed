package io.muster.deploy.simulate.world;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * One gang of a trace: all its pods start together, run for as long, and end together. Immutable.
 *
 * @param id unique in its trace
 * @param tenant whom it belongs to; the namespace of its pods
 * @param queue the queue that it names; empty: that of its namespace
 * @param submit since the beginning of the trace
 * @param duration of undisturbed work, from the moment that all pods run
 */
public record Job(
    String id,
    String tenant,
    String queue,
    int priority,
    Duration submit,
    Duration duration,
    List<Part> parts) {

  /**
   * Pods that are alike.
   *
   * @param gpus whole devices of each pod
   * @param models of the devices that will do; empty: any
   */
  public record Part(
      String role, int pods, long cpuMillis, long memoryMib, int gpus, Set<String> models) {
    public Part {
      models = Set.copyOf(models);
      if (pods < 1 || cpuMillis < 0 || memoryMib < 0 || gpus < 0) {
        throw new IllegalArgumentException(
            "pods %d, cpu %d, memory %d, GPUs %d".formatted(pods, cpuMillis, memoryMib, gpus));
      }
    }
  }

  public Job {
    parts = List.copyOf(parts);
    if (parts.isEmpty() || submit.isNegative() || duration.isNegative()) {
      throw new IllegalArgumentException(
          "job %s: %d parts, submit %s, duration %s".formatted(id, parts.size(), submit, duration));
    }
  }

  /** Devices of all pods. */
  public long gpus() {
    return parts.stream().mapToLong(part -> (long) part.pods() * part.gpus()).sum();
  }

  /** Pods in all. */
  public int pods() {
    return parts.stream().mapToInt(Part::pods).sum();
  }
}
