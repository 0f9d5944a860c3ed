package io.muster.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A dashboard of the chart. Immutable.
 *
 * @param name of its file, without the ending
 */
record Dashboard(String name, JsonNode json) {

  private static final Path FOLDER = ChartRendering.CHART.resolve("files/dashboards");

  /**
   * What one panel shows.
   *
   * @param queries in PromQL, with Grafana's variables
   */
  record Panel(String title, String description, List<String> queries) {}

  static List<Dashboard> all() {
    try (var files = Files.list(FOLDER)) {
      return files.sorted().map(Dashboard::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Dashboard read(Path file) {
    try {
      return new Dashboard(
          file.getFileName().toString().replace(".json", ""),
          new JsonMapper().readTree(file.toFile()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Panel> panels() {
    return json.path("panels")
        .valueStream()
        .map(panel ->
            new Panel(
                panel.path("title").asText(),
                panel.path("description").asText(),
                panel.path("targets").valueStream().map(one -> one.path("expr").asText()).toList()))
        .toList();
  }
}
