package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Speed;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Muster's own format. Rows with one {@code job_id} are parts of one gang, and agree in what is
 * said of the whole. Shares of a device count as a whole one. Stateless.
 */
final class ReplayLoader {

  private static final int WHOLE = 1000;

  /** Of Kubernetes' own classes; those of users end at a thousand million. */
  private static final int HIGHEST_PRIORITY = 2_000_001_000;

  private ReplayLoader() {}

  static Trace read(Path file, List<Machine> machines) {
    var byJob = new LinkedHashMap<String, List<Row>>();
    for (var row :
        Rows.of(file, Set.of("job_id", "submit_s", "duration_s", "min_pods", "pod_gpus"))) {
      byJob.computeIfAbsent(row.required("job_id"), _ -> new ArrayList<>()).add(row);
    }
    var jobs = new Jobs();
    var counts = new Counts();
    byJob.values().forEach(rows -> jobs.add(rows.getFirst(), "job_id", job(rows, counts)));
    return new Trace(file.getFileName().toString(), machines, jobs.fromTheFirst(), counts.notes());
  }

  /** What is not replayed as it stands. */
  private static final class Counts {
    private int shares;

    /** Rows with max_pods above min_pods, but for the first one of their job. */
    private int elastic;

    List<String> notes() {
      var notes = new ArrayList<String>();
      if (shares > 0) {
        notes.add(shares + " rows ask for a share of a device; each counts as a whole one");
      }
      if (elastic > 0) {
        notes.add(
            elastic
                + " rows may grow beside another of their job that may; they run with min_pods");
      }
      return notes;
    }
  }

  private static TraceJob job(List<Row> rows, Counts counts) {
    var first = rows.getFirst();
    for (var row : rows) {
      for (var column : List.of("tenant", "queue", "priority", "submit_s", "duration_s")) {
        if (!row.text(column).equals(first.text(column))) {
          throw row.fault(
              column,
              "\"%s\" differs from \"%s\" in %s; rows of one job must agree"
                  .formatted(row.text(column), first.text(column), first.where()));
        }
      }
    }
    return new TraceJob(
        Jobs.name(first.required("job_id")),
        Jobs.name(first.text("tenant")),
        first.text("queue"),
        priority(first),
        first.seconds("submit_s"),
        first.seconds("duration_s"),
        rows.stream().map(row -> part(row, counts)).toList(),
        elastic(rows, counts));
  }

  /** The first row that may have more pods than must be says how the job grows. */
  private static Optional<TraceJob.Elastic> elastic(List<Row> rows, Counts counts) {
    var parts =
        IntStream.range(0, rows.size())
            .filter(i -> most(rows.get(i)) > least(rows.get(i)))
            .boxed()
            .toList();
    counts.elastic += Math.max(0, parts.size() - 1);
    return parts.stream()
        .findFirst()
        .map(part -> new TraceJob.Elastic(part, most(rows.get(part)), speed(rows.get(part))));
  }

  private static int least(Row row) {
    return row.pods("min_pods", 1, Optional.empty());
  }

  private static int most(Row row) {
    int least = least(row);
    int most = row.pods("max_pods", 1, Optional.of(least));
    if (most < least) {
      throw row.fault("max_pods", "must not be below min_pods, %d".formatted(least));
    }
    return most;
  }

  private static Speed speed(Row row) {
    if (row.isEmpty("serial_share")) {
      return Speed.IN_PROPORTION;
    }
    double serial = row.amount("serial_share");
    if (serial > 1) {
      throw row.fault(
          "serial_share",
          "must be from 0 to 1, the share of the work that more pods do not make faster");
    }
    return new Speed(serial);
  }

  private static int priority(Row row) {
    return row.number("priority", -1_000_000_000, HIGHEST_PRIORITY, Optional.of(0));
  }

  private static TraceJob.Part part(Row row, Counts counts) {
    int gpus = row.number("pod_gpus", 0);
    int milli = row.number("pod_gpu_milli", 0, Optional.of(WHOLE));
    if (milli > WHOLE) {
      throw row.fault("pod_gpu_milli", "must be at most 1000, thousandths of each device");
    }
    counts.shares += gpus > 0 && milli > 0 && milli < WHOLE ? 1 : 0;
    return new TraceJob.Part(
        row.text("role"),
        least(row),
        row.number("pod_cpu_milli", 0, Optional.of(0)),
        row.number("pod_mem_mib", 0, Optional.of(0)),
        gpus,
        models(row.text("gpu_models")));
  }

  /** As in {@code T4|P100}. */
  static Set<String> models(String written) {
    return Arrays.stream(written.split("\\|", -1))
        .map(String::strip)
        .filter(model -> !model.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }
}
