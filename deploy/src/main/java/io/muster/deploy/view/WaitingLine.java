package io.muster.deploy.view;

import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The gangs that wait, for people and for programs. Immutable. */
record WaitingLine(List<Row> rows) {

  private static final int OUTPUT_VERSION = 1;
  private static final String COLUMNS = "%-8s %-40s %-16s %7s %7s %8s %-20s %s";

  /**
   * One gang.
   *
   * @param queue empty where only the gang's own object can be read, as with devices
   * @param since when it was created; empty if nobody has stored that
   */
  record Row(
      GangId gang,
      Optional<String> queue,
      int members,
      Optional<Long> devices,
      Optional<Instant> since,
      GangReport report) {

    Row expecting(ExpectedStart start) {
      return new Row(
          gang,
          queue,
          members,
          devices,
          since,
          report.inQueue(report.position(), Optional.of(start)));
    }
  }

  WaitingLine {
    rows = List.copyOf(rows);
  }

  /** As a Muster would see it that starts now. */
  static WaitingLine of(Replay replay) {
    var rows = new ArrayList<Row>();
    var starts = ForeseenStarts.of(replay);
    for (var gang : replay.queued()) {
      var told = replay.report(gang.gang()).orElse(gang.report());
      rows.add(
          new Row(
              gang.gang(),
              Optional.of(gang.queue()),
              gang.members(),
              Optional.of(gang.devices()),
              Optional.of(gang.since()),
              told.inQueue(gang.position(), Optional.ofNullable(starts.get(gang.gang())))));
    }
    return new WaitingLine(rows);
  }

  /** The same, with what the running Muster expects where it has told that. */
  WaitingLine expecting(List<Row> told) {
    var starts = new HashMap<GangId, ExpectedStart>();
    told.forEach(
        row -> row.report().expectedStart().ifPresent(start -> starts.put(row.gang(), start)));
    return new WaitingLine(
        rows.stream()
            .map(row -> Optional.ofNullable(starts.get(row.gang())).map(row::expecting).orElse(row))
            .toList());
  }

  /** As the running Muster has last told it, those with a position first. */
  static WaitingLine told(List<Row> gangs) {
    return new WaitingLine(
        gangs.stream()
            .filter(row -> row.report().phase() == Phase.WAITING)
            .sorted(
                Comparator.comparing((Row row) -> row.report().position().orElse(Integer.MAX_VALUE))
                    .thenComparing(Row::gang))
            .toList());
  }

  /** Only those of a namespace, and of a queue. */
  WaitingLine of(Optional<String> namespace, Optional<String> queue) {
    return new WaitingLine(
        rows.stream()
            .filter(row -> namespace.map(row.gang().namespace()::equals).orElse(true))
            .filter(
                row -> queue.map(name -> row.queue().filter(name::equals).isPresent()).orElse(true))
            .toList());
  }

  /** A table, and under each gang what would let it start. */
  List<String> lines(Instant now) {
    var lines = new ArrayList<String>();
    lines.add(
        COLUMNS.formatted(
            "POSITION", "GANG", "QUEUE", "MEMBERS", "DEVICES", "WAITING", "EXPECTED", "WHY"));
    for (var row : rows) {
      lines.add(
          COLUMNS.formatted(
              row.report().position().map(Object::toString).orElse("-"),
              row.gang(),
              row.queue().orElse("-"),
              row.members(),
              row.devices().map(Object::toString).orElse("-"),
              row.since().map(at -> Fitting.Fit.age(at, now)).orElse("-"),
              row.report().expectedStart().map(start -> start.p50().toString()).orElse("-"),
              row.report().message()));
      row.report()
          .expectedStart()
          .filter(start -> !start.after().isEmpty() || start.p90().isPresent())
          .ifPresent(start -> lines.add("         " + ForeseenStarts.sentence(start)));
      if (!row.report().remedy().isEmpty()) {
        lines.add("         -> " + row.report().remedy());
      }
    }
    return lines;
  }

  /** The same as JSON. */
  Map<String, Object> document() {
    var document = new LinkedHashMap<String, Object>();
    document.put("version", OUTPUT_VERSION);
    document.put("gangs", rows.stream().map(WaitingLine::document).toList());
    return document;
  }

  private static Map<String, Object> document(ExpectedStart start) {
    var expected = new LinkedHashMap<String, Object>();
    expected.put("p50", start.p50().toString());
    start.p90().ifPresent(latest -> expected.put("p90", latest.toString()));
    expected.put("after", start.after());
    return expected;
  }

  private static Map<String, Object> document(Row row) {
    var gang = new LinkedHashMap<String, Object>();
    row.report().position().ifPresent(position -> gang.put("position", position));
    gang.put("namespace", row.gang().namespace());
    gang.put("name", row.gang().name());
    row.queue().ifPresent(queue -> gang.put("queue", queue));
    gang.put("members", row.members());
    row.devices().ifPresent(devices -> gang.put("devices", devices));
    row.since().ifPresent(at -> gang.put("since", at.toString()));
    row.report().expectedStart().ifPresent(start -> gang.put("expectedStart", document(start)));
    gang.put("reason", row.report().reason().code());
    gang.put("message", row.report().message());
    gang.put("remedy", row.report().remedy());
    return gang;
  }
}
