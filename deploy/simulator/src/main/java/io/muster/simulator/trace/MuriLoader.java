package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** One row is one gang of GPUs, in pods of eight at most; times in milliseconds. Stateless. */
final class MuriLoader {

  private static final int GPUS_A_POD = 8;

  static final Set<String> REQUIRED = Set.of("job_id", "num_gpu", "submit_time", "duration");

  private MuriLoader() {}

  static Trace read(Path file, List<Machine> machines) {
    return trace(file.getFileName().toString(), Rows.of(file, REQUIRED), machines);
  }

  static Trace trace(String name, List<Row> rows, List<Machine> machines) {
    var jobs = new Jobs();
    for (var row : rows) {
      jobs.add(
          row,
          "job_id",
          "philly",
          row.millis("submit_time"),
          row.millis("duration"),
          parts(row.number("num_gpu", 1)));
    }
    return new Trace(name, machines, jobs.fromTheFirst(), List.of());
  }

  private static List<TraceJob.Part> parts(int gpus) {
    return Jobs.spread(Math.ceilDiv(gpus, GPUS_A_POD), gpus, 0);
  }
}
