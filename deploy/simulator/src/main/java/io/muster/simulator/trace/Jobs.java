package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Gathers the jobs of a trace, with the first submission as its beginning. Not thread-safe. */
final class Jobs {

  private final Map<String, Row> seen = new HashMap<>();
  private final Map<String, Row> gangs = new HashMap<>();
  private final List<TraceJob> jobs = new ArrayList<>();

  /** A job of one row, whose id nobody else may have. */
  void add(
      Row row,
      String idColumn,
      String tenant,
      Duration submit,
      Duration duration,
      List<TraceJob.Part> parts) {
    var id = row.required(idColumn);
    var first = seen.putIfAbsent(id, row);
    if (first != null) {
      throw row.fault(idColumn, "\"%s\" is there already, in %s".formatted(id, first.where()));
    }
    add(row, idColumn, new TraceJob(name(id), name(tenant), "", 0, submit, duration, parts));
  }

  /** A job that begins with the row; its tenant has none other whose id is read alike. */
  void add(Row row, String idColumn, TraceJob job) {
    var first = gangs.putIfAbsent(job.tenant() + "/" + job.id(), row);
    if (first != null) {
      throw row.fault(
          idColumn,
          "\"%s\" is read as \"%s\", as is \"%s\" in %s"
              .formatted(row.text(idColumn), job.id(), first.text(idColumn), first.where()));
    }
    jobs.add(job);
  }

  /** As part of a gang's name. */
  static String name(String written) {
    return written.isEmpty() ? "default" : written.replace('/', '-').replace('#', '-');
  }

  /**
   * So many GPUs on so many pods: alike where that can be, else some with one more.
   *
   * @param cpuMillis of all pods together
   */
  static List<TraceJob.Part> spread(int pods, int gpus, long cpuMillis) {
    int more = gpus % pods;
    var parts = new ArrayList<TraceJob.Part>();
    if (more > 0) {
      parts.add(new TraceJob.Part("", more, cpuMillis / pods, 0, gpus / pods + 1, Set.of()));
    }
    parts.add(new TraceJob.Part("", pods - more, cpuMillis / pods, 0, gpus / pods, Set.of()));
    return parts;
  }

  /** All of them, by time since the first submission. */
  List<TraceJob> fromTheFirst() {
    var begin = jobs.stream().map(TraceJob::submit).min(Duration::compareTo).orElse(Duration.ZERO);
    return jobs.stream().map(job -> job.submittedAt(job.submit().minus(begin))).toList();
  }
}
