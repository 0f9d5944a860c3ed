package io.muster.chart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A row of the table of metrics. Immutable.
 *
 * @param series names under which Prometheus has it
 * @param labels values by name
 * @param alert what the row says of one
 */
record MetricRow(String name, Set<String> series, Map<String, Set<String>> labels, String alert) {

  private static final Path DOCUMENT = Path.of("docs/metrics.md");

  static List<MetricRow> all() {
    try (var lines = Files.lines(DOCUMENT)) {
      return lines.filter(line -> line.startsWith("| `muster_")).map(MetricRow::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MetricRow read(String line) {
    var cells = line.split(" \\| ", -1);
    var name = cells[0].replaceAll("[| `]", "");
    var suffixes =
        switch (cells[1]) {
          case "histogram" -> Stream.of("_bucket", "_count", "_sum", "_max");
          case "summary" -> Stream.of("_count", "_sum", "_max");
          default -> Stream.of("");
        };
    var labels = new TreeMap<String, Set<String>>();
    if (!cells[3].equals("-")) {
      for (var label : cells[3].split("; ", -1)) {
        var parts = label.split(": ", -1);
        labels.put(parts[0].replace("`", ""), Set.of(parts[1].split(", ")));
      }
    }
    return new MetricRow(
        name,
        suffixes.map(suffix -> name + suffix).collect(Collectors.toSet()),
        labels,
        cells[5].replaceFirst(" \\|$", ""));
  }

  Set<String> labelNames() {
    var names = new TreeSet<>(labels.keySet());
    if (series.contains(name + "_bucket")) {
      names.add("le");
    }
    return names;
  }
}
