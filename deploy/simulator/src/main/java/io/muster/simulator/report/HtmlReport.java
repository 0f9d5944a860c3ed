package io.muster.simulator.report;

import io.muster.simulator.world.Result;
import io.muster.simulator.world.cluster.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Results as one page that needs nothing but itself: the table, utilisation over time, waiting
 * gangs over time, and how many jobs have ended after how long. Stateless.
 */
public final class HtmlReport {

  private static final int CDF_POINTS = 400;
  private static final double MILLIS_AN_HOUR = 3.6e6;
  private static final double PERCENT = 100;

  private HtmlReport() {}

  /** The page. */
  public static String of(Trace trace, List<Result> results) {
    var page = new StringBuilder();
    page.append(
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>Muster: %1$s</title>
        <style>
        body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 900px; color: #222 }
        table { border-collapse: collapse; font-size: 13px }
        th, td { border: 1px solid #ccc; padding: 3px 8px; text-align: right }
        th:first-child, td:first-child { text-align: left }
        svg { width: 100%%; font: 12px sans-serif } h2 { font-size: 17px; margin-bottom: 4px }
        </style></head><body>
        <h1>Replay of %1$s</h1>
        <p>%2$s</p>
        """
            .formatted(escaped(trace.name()), escaped(about(trace))));
    page.append(table(results));
    trace.notes().forEach(note -> page.append("<p>%s</p>%n".formatted(escaped(note))));
    page.append(
        overTime(
            "Utilisation",
            "% of all GPUs",
            results,
            sample -> PERCENT * sample.used() / Math.max(1, trace.gpus())));
    page.append(overTime("Waiting", "gangs", results, Result.Sample::waiting));
    page.append(completions(results));
    page.append("</body></html>").append(System.lineSeparator());
    return page.toString();
  }

  /** The trace in one sentence. */
  public static String about(Trace trace) {
    return String.format(
        Locale.ROOT,
        "%d jobs on %d nodes with %d GPUs; arrivals over %.1f hours ask for %.2f of them.",
        trace.jobs().size(),
        trace.machines().size(),
        trace.gpus(),
        hours(trace.span()),
        trace.load());
  }

  private static String table(List<Result> results) {
    var rows = new ArrayList<String>();
    rows.add(row("th", TextTable.headings()));
    results.forEach(result -> rows.add(row("td", TextTable.row(result))));
    return "<div style=\"overflow-x:auto\"><table>%s</table></div>%n"
        .formatted(String.join("", rows));
  }

  private static String row(String tag, List<String> cells) {
    return cells.stream()
        .map(cell -> "<%1$s>%2$s</%1$s>".formatted(tag, escaped(cell)))
        .collect(Collectors.joining("", "<tr>", "</tr>"));
  }

  private static String overTime(
      String title, String up, List<Result> results, ToDoubleFunction<Result.Sample> value) {
    var lines =
        results.stream()
            .map(result ->
                new Chart.Line(
                    result.policy(),
                    result.samples().stream()
                        .map(each -> new double[] {hours(each.at()), value.applyAsDouble(each)})
                        .toList()))
            .toList();
    return new Chart(title + " over time", "hours", up, lines).svg();
  }

  private static String completions(List<Result> results) {
    var lines = new ArrayList<Chart.Line>();
    for (var result : results) {
      var ended =
          result.finished().stream()
              .map(Result.Finished::completion)
              .sorted(Comparator.naturalOrder())
              .toList();
      var points = new ArrayList<double[]>();
      for (int i = 1; i <= CDF_POINTS && !ended.isEmpty(); i++) {
        int index = Math.max(0, Math.ceilDiv(i * ended.size(), CDF_POINTS) - 1);
        points.add(new double[] {hours(ended.get(index)), PERCENT * (index + 1) / ended.size()});
      }
      lines.add(new Chart.Line(result.policy(), points));
    }
    return new Chart("Job completion time", "hours after submission", "% of jobs ended", lines)
        .svg();
  }

  private static double hours(Duration time) {
    return time.toMillis() / MILLIS_AN_HOUR;
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
