package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Logs of Slurm, as Helios and Acme have published them: a job has so many GPUs on so many nodes.
 * Stateless.
 */
final class SlurmLoader {

  private static final int MILLIS = 1000;

  private SlurmLoader() {}

  static Trace helios(Path file, List<Machine> machines) {
    return read(file, machines, "vc");
  }

  static Trace acme(Path file, List<Machine> machines) {
    return read(file, machines, "user");
  }

  private static Trace read(Path file, List<Machine> machines, String tenant) {
    var jobs = new Jobs();
    int left = 0;
    var required =
        Set.of("job_id", tenant, "gpu_num", "cpu_num", "node_num", "submit_time", "duration");
    for (var row : Rows.of(file, required)) {
      int gpus = row.number("gpu_num", 0);
      int nodes = row.pods("node_num", 0, Optional.empty());
      if (nodes == 0 || row.isEmpty("duration") || row.amount("duration") == 0) {
        left++;
        continue;
      }
      if (gpus > 0 && gpus < nodes) {
        throw row.fault(
            "gpu_num", "%d is less than one for each of the %d nodes".formatted(gpus, nodes));
      }
      jobs.add(
          row,
          "job_id",
          row.text(tenant),
          row.date("submit_time"),
          row.seconds("duration"),
          Jobs.spread(nodes, gpus, (long) row.number("cpu_num", 0) * MILLIS));
    }
    var notes = left == 0 ? List.<String>of() : List.of(left + " jobs that never ran are left out");
    return new Trace(file.getFileName().toString(), machines, jobs.fromTheFirst(), notes);
  }
}
