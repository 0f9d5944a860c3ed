package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The table of tasks: all tasks of one job start together, each with its instances. The first start
 * counts as the submission. Stateless.
 */
final class PaiLoader {

  private static final int PERCENT = 100;
  private static final int MILLIS_A_PERCENT = 10;
  private static final int MIB_A_GB = 1024;
  private static final String ANY_MODEL = "MISC";

  private PaiLoader() {}

  static Trace read(Path file, List<Machine> machines) {
    var byJob = new LinkedHashMap<String, List<Row>>();
    for (var row :
        Rows.of(
            file,
            Set.of("job_name", "task_name", "inst_num", "start_time", "end_time", "plan_gpu"))) {
      byJob.computeIfAbsent(row.required("job_name"), _ -> new ArrayList<>()).add(row);
    }
    var jobs = new Jobs();
    int left = 0;
    int shares = 0;
    for (var rows : byJob.values()) {
      if (rows.stream().anyMatch(row -> row.isEmpty("start_time") || row.isEmpty("end_time"))) {
        left++;
        continue;
      }
      jobs.add(rows.getFirst(), "job_name", job(rows));
      shares += (int) rows.stream().filter(PaiLoader::isShare).count();
    }
    var notes = new ArrayList<String>();
    if (shares > 0) {
      notes.add(shares + " tasks ask for shares of devices; these count as whole ones");
    }
    if (left > 0) {
      notes.add(left + " jobs without a start or an end are left out");
    }
    return new Trace(file.getFileName().toString(), machines, jobs.fromTheFirst(), notes);
  }

  private static TraceJob job(List<Row> rows) {
    var begin =
        rows.stream().map(row -> row.seconds("start_time")).min(Duration::compareTo).orElseThrow();
    var end =
        rows.stream().map(row -> row.seconds("end_time")).max(Duration::compareTo).orElseThrow();
    if (end.compareTo(begin) < 0) {
      throw rows.getFirst().fault("end_time", "must not be before start_time");
    }
    return new TraceJob(
        Jobs.name(rows.getFirst().required("job_name")),
        "pai",
        "",
        0,
        begin,
        end.minus(begin),
        rows.stream().map(PaiLoader::part).toList());
  }

  private static boolean isShare(Row row) {
    return !row.isEmpty("plan_gpu") && row.amount("plan_gpu") % PERCENT != 0;
  }

  private static TraceJob.Part part(Row row) {
    double gpus = row.isEmpty("plan_gpu") ? 0 : row.amount("plan_gpu") / PERCENT;
    double memory = row.isEmpty("plan_mem") ? 0 : row.amount("plan_mem");
    double cpu = row.isEmpty("plan_cpu") ? 0 : row.amount("plan_cpu");
    var model = Optional.of(row.text("gpu_type")).filter(name -> !name.isEmpty());
    return new TraceJob.Part(
        row.text("task_name"),
        row.pods("inst_num", 1, Optional.empty()),
        Math.round(cpu * MILLIS_A_PERCENT),
        Math.round(memory * MIB_A_GB),
        (int) Math.ceil(gpus),
        model
            .filter(name -> !name.equals(ANY_MODEL) && !name.equals("CPU"))
            .map(Set::of)
            .orElse(Set.of()));
  }
}
