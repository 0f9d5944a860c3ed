package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Pods on their own, and the nodes they ran on. Stateless. */
public final class OpenbLoader {

  private static final int WHOLE = 1000;

  private OpenbLoader() {}

  static Trace read(Path file, List<Machine> machines) {
    var jobs = new Jobs();
    int shares = 0;
    int left = 0;
    var required =
        Set.of(
            "name",
            "cpu_milli",
            "memory_mib",
            "num_gpu",
            "gpu_milli",
            "creation_time",
            "deletion_time",
            "scheduled_time");
    for (var row : Rows.of(file, required)) {
      if (row.isEmpty("scheduled_time") || row.isEmpty("deletion_time")) {
        left++;
        continue;
      }
      var ran = row.seconds("deletion_time").minus(row.seconds("scheduled_time"));
      if (ran.isNegative()) {
        throw row.fault("deletion_time", "must not be before scheduled_time");
      }
      int gpus = row.number("num_gpu", 0);
      int milli = row.number("gpu_milli", 0);
      shares += gpus > 0 && milli < WHOLE ? 1 : 0;
      var part =
          new TraceJob.Part(
              "",
              1,
              row.number("cpu_milli", 0),
              row.number("memory_mib", 0),
              gpus,
              ReplayLoader.models(row.text("gpu_spec")));
      jobs.add(row, "name", "openb", row.seconds("creation_time"), ran, List.of(part));
    }
    var notes = new ArrayList<String>();
    notes.add("no gangs are marked in this trace: every pod is a gang of one");
    if (shares > 0) {
      notes.add(shares + " pods ask for a share of a device; each counts as a whole one");
    }
    if (left > 0) {
      notes.add(left + " pods that were never scheduled, or not deleted, are left out");
    }
    return new Trace(file.getFileName().toString(), machines, jobs.fromTheFirst(), notes);
  }

  /** The nodes of such a file. */
  public static List<Machine> machines(Path file) {
    return Rows.of(file, Set.of("sn", "cpu_milli", "memory_mib", "gpu")).stream()
        .map(row ->
            new Machine(
                row.required("sn"),
                row.text("model"),
                row.number("cpu_milli", 0),
                row.number("memory_mib", 0),
                row.number("gpu", 0)))
        .toList();
  }
}
