package io.muster.simulator.trace;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Jobs with the attempts to run them; the first one that says where it ran tells the size of the
 * gang, one pod a machine, and all attempts together how long it ran. Stateless.
 */
final class PhillyLoader {

  private PhillyLoader() {}

  static Trace read(Path file, List<Machine> machines) {
    var jobs = new Jobs();
    int left = 0;
    int number = 0;
    for (var job : Rows.json(file)) {
      number++;
      var row = row(file, number, job);
      var parts = parts(job);
      var ran = ran(row, job);
      if (parts.isEmpty() || ran.isEmpty()) {
        left++;
        continue;
      }
      jobs.add(row, "jobid", row.text("vc"), row.date("submitted_time"), ran.get(), parts);
    }
    var notes =
        left == 0
            ? List.<String>of()
            : List.of(left + " jobs that never ran, or have not ended, are left out");
    return new Trace(file.getFileName().toString(), machines, jobs.fromTheFirst(), notes);
  }

  private static Row row(Path file, int number, JsonNode job) {
    return new Row(
        "%s, entry %d".formatted(file, number),
        Map.of(
            "jobid", job.path("jobid").asText(""),
            "vc", job.path("vc").asText(""),
            "submitted_time", job.path("submitted_time").asText("")));
  }

  private static List<TraceJob.Part> parts(JsonNode job) {
    for (var attempt : job.path("attempts")) {
      var parts = new ArrayList<TraceJob.Part>();
      for (var machine : attempt.path("detail")) {
        int gpus = machine.path("gpus").size();
        if (gpus > 0) {
          parts.add(new TraceJob.Part("", 1, 0, 0, gpus, Set.of()));
        }
      }
      if (!parts.isEmpty()) {
        return parts;
      }
    }
    return List.of();
  }

  /** Of all attempts; empty if none has both times. */
  private static Optional<Duration> ran(Row row, JsonNode job) {
    var sum = Duration.ZERO;
    boolean isKnown = false;
    int number = 0;
    for (var attempt : job.path("attempts")) {
      number++;
      var start = time(attempt, "start_time");
      var end = time(attempt, "end_time");
      if (start.isEmpty() || end.isEmpty()) {
        continue;
      }
      var column = "attempts[%d].".formatted(number - 1);
      var cells =
          new Row(row.where(), Map.of(column + "start_time", start, column + "end_time", end));
      var took = cells.date(column + "end_time").minus(cells.date(column + "start_time"));
      if (took.isNegative()) {
        throw cells.fault(column + "end_time", "must not be before start_time");
      }
      sum = sum.plus(took);
      isKnown = true;
    }
    return isKnown ? Optional.of(sum) : Optional.empty();
  }

  /** Some tables write None where there is no time. */
  private static String time(JsonNode attempt, String field) {
    var written = attempt.path(field).asText("");
    return written.equals("None") || written.equals("null") ? "" : written;
  }
}
