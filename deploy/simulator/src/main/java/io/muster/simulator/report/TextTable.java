package io.muster.simulator.report;

import io.muster.simulator.world.Figures;
import io.muster.simulator.world.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows of cells in columns as wide as they need be; and a result as such a row. Stateless. */
public final class TextTable {

  private static final double HOUR = 3600;
  private static final double PERCENT = 100;

  private static final List<String> HEADINGS =
      List.of(
          "policy",
          "jobs",
          "JCT mean h",
          "p50 h",
          "p99 h",
          "wait mean h",
          "p99 h",
          "makespan h",
          "used %",
          "fragmented %",
          "occupancy %",
          "segments",
          "broken",
          "Jain",
          "worst tenant",
          "incomplete GPU s",
          "wasted %",
          "preempted",
          "resizes",
          "left");

  private TextTable() {}

  /** Results one below the other. */
  public static String of(List<Result> results) {
    var rows = new ArrayList<List<String>>();
    rows.add(HEADINGS);
    results.forEach(result -> rows.add(row(result)));
    return aligned(rows);
  }

  static List<String> headings() {
    return HEADINGS;
  }

  static List<String> row(Result result) {
    var figures = Figures.of(result);
    return List.of(
        result.policy(),
        Long.toString(figures.jobs()),
        number(figures.meanCompletion() / HOUR),
        number(figures.medianCompletion() / HOUR),
        number(figures.p99Completion() / HOUR),
        number(figures.meanWait() / HOUR),
        number(figures.p99Wait() / HOUR),
        number(figures.makespan() / HOUR),
        number(figures.utilisation() * PERCENT),
        number(figures.fragmented() * PERCENT),
        String.format(Locale.ROOT, "%.2f", figures.occupancy() * PERCENT),
        Long.toString(figures.segments()),
        Long.toString(figures.brokenSegments()),
        String.format(Locale.ROOT, "%.3f", figures.jain()),
        number(figures.worstTenant()),
        String.format(Locale.ROOT, "%.0f", figures.incompleteGpuSeconds()),
        String.format(Locale.ROOT, "%.2f", figures.wasted() * PERCENT),
        Long.toString(figures.preemptions()),
        Long.toString(figures.resizes()),
        Long.toString(figures.unfinished() + figures.impossible()));
  }

  /** Three digits or so: short times are told in hundredths of an hour. */
  public static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
  }

  /** The first column to the left, all others to the right. */
  public static String aligned(List<List<String>> rows) {
    int columns = rows.getFirst().size();
    var widths = new int[columns];
    for (var row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    var text = new StringBuilder();
    for (var row : rows) {
      var line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        var pad = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? row.get(i) + pad : "  " + pad + row.get(i));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }
}
