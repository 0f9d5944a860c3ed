package io.muster.simulator.world.cluster;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * What a replay starts from: the nodes, and the jobs by their submission. Immutable.
 *
 * @param notes what the reader of a result must know about how the trace was read
 */
public record Trace(String name, List<Machine> machines, List<TraceJob> jobs, List<String> notes) {

  public Trace {
    machines = List.copyOf(machines);
    jobs =
        jobs.stream()
            .sorted(Comparator.comparing(TraceJob::submit).thenComparing(TraceJob::id))
            .toList();
    notes = List.copyOf(notes);
  }

  /** Devices of all nodes. */
  public long gpus() {
    return machines.stream().mapToLong(Machine::gpus).sum();
  }

  /** The same jobs on other nodes. */
  public Trace on(List<Machine> others) {
    return new Trace(name, others, jobs, notes);
  }

  /**
   * Work that is asked for, in shares of what the nodes could do between first and last arrival.
   */
  public double load() {
    if (jobs.isEmpty() || gpus() == 0) {
      return 0;
    }
    double asked =
        jobs.stream().mapToDouble(job -> (double) job.gpus() * job.duration().toMillis()).sum();
    long span = jobs.getLast().submit().minus(jobs.getFirst().submit()).toMillis();
    return asked / Math.max(1, (double) span * gpus());
  }

  /** From the first arrival to the last. */
  public Duration span() {
    return jobs.isEmpty() ? Duration.ZERO : jobs.getLast().submit().minus(jobs.getFirst().submit());
  }
}
