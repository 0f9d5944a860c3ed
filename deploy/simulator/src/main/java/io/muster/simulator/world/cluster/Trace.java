package io.muster.simulator.world.cluster;

import java.time.Duration;
import java.util.ArrayList;
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
   * So many such traces at once on the same nodes, each begun at another moment, of jobs so many
   * times as large and keep their size, in pods that fit the nodes.
   *
   * @param faster all times are divided by it
   */
  public Trace scaled(int times, int copies, int faster) {
    int gpusOfPod = Math.max(1, machines.stream().mapToInt(Machine::gpus).max().orElse(0));
    var scaled = new ArrayList<TraceJob>();
    long span = span().toMillis() / faster + 1;
    for (int copy = 0; copy < copies; copy++) {
      long shift = span / copies * copy;
      for (var job : jobs) {
        var submit = Duration.ofMillis((job.submit().toMillis() / faster + shift) % span);
        scaled.add(
            job.scaled("%s-%d".formatted(job.id(), copy), times, gpusOfPod, faster)
                .submittedAt(submit));
      }
    }
    var all = new ArrayList<>(notes);
    all.add(
        "scaled: %d times the GPUs, %d such jobs for each, at other times, in 1/%d of the time"
            .formatted(times, copies, faster));
    return new Trace(name, machines, scaled, all);
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
