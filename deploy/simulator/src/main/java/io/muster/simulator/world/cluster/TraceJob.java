package io.muster.simulator.world.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One gang of a trace: all its pods start together, run for as long, and end together; of an
 * elastic one more may come while it runs. Immutable.
 *
 * @param id unique in its trace
 * @param tenant whom it belongs to; the namespace of its pods
 * @param queue the queue that it names; empty: that of its namespace
 * @param submit since the beginning of the trace
 * @param duration of undisturbed work with the pods that start together, from the moment that all
 *     of them run
 * @param elastic how it may grow; empty: it keeps its size
 */
public record TraceJob(
    String id,
    String tenant,
    String queue,
    int priority,
    Duration submit,
    Duration duration,
    List<Part> parts,
    Optional<Elastic> elastic) {

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

    /** In pods that are alike, with what each has of everything but devices. */
    private Part scaled(int times, int gpusOfPod) {
      long all = (long) times * pods * gpus;
      int more = gpus == 0 ? times * pods : Math.toIntExact(Math.ceilDiv(all, gpusOfPod));
      int each = gpus == 0 ? 0 : Math.toIntExact(Math.ceilDiv(all, more));
      return new Part(role, more, cpuMillis, memoryMib, each, models);
    }
  }

  /**
   * One part may have more pods while there is room: its workers.
   *
   * @param part which one
   * @param most pods that it may have
   */
  public record Elastic(int part, int most, Speed speed) {}

  public TraceJob {
    parts = List.copyOf(parts);
    if (parts.isEmpty() || submit.isNegative() || duration.isNegative()) {
      throw new IllegalArgumentException(
          "job %s: %d parts, submit %s, duration %s".formatted(id, parts.size(), submit, duration));
    }
    for (var growth : elastic.stream().toList()) {
      if (growth.most() < parts.get(growth.part()).pods()) {
        throw new IllegalArgumentException(
            "job %s: at most %d pods of part %d".formatted(id, growth.most(), growth.part()));
      }
    }
  }

  /** A job that keeps its size. */
  public TraceJob(
      String id,
      String tenant,
      String queue,
      int priority,
      Duration submit,
      Duration duration,
      List<Part> parts) {
    this(id, tenant, queue, priority, submit, duration, parts, Optional.empty());
  }

  /** The same, submitted at another time. */
  public TraceJob submittedAt(Duration other) {
    return new TraceJob(id, tenant, queue, priority, other, duration, parts, elastic);
  }

  /** One like it of so many times the devices, in pods of at most so many, that runs faster. */
  TraceJob scaled(String otherId, int times, int gpusOfPod, int faster) {
    var larger = parts.stream().map(part -> part.scaled(times, gpusOfPod)).toList();
    return new TraceJob(
        otherId, tenant, queue, priority, submit, duration.dividedBy(faster), larger);
  }

  /** Devices of all pods that start together. */
  public long gpus() {
    return parts.stream().mapToLong(part -> (long) part.pods() * part.gpus()).sum();
  }

  /** Pods that start together. */
  public int pods() {
    return parts.stream().mapToInt(Part::pods).sum();
  }
}
