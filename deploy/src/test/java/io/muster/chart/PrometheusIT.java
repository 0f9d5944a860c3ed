package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Promtool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus makes of the alerts and dashboards of the chart. */
@Tag("long")
final class PrometheusIT {

  private static final YAMLMapper YAML = new YAMLMapper();

  @TempDir private Path folder;

  private static Promtool promtool;

  @BeforeAll
  static void build() {
    promtool = Promtool.findOrBuild(Layout.current());
  }

  /** The rules as the chart renders them, alone in a file. */
  private Path rules(String... values) throws IOException {
    var rule =
        ChartRendering.objects(List.of(values)).stream()
            .filter(object -> object.path("kind").asText().equals("PrometheusRule"))
            .findFirst()
            .orElseThrow();
    return Files.writeString(
        folder.resolve("rules.yml"), YAML.writeValueAsString(rule.path("spec")));
  }

  @Test
  void theRulesAreRead() throws IOException {
    var file =
        rules(
            "monitoring={\"rules\":true}",
            "settings={\"repairTimeoutSeconds\":61,\"reservationTimeoutSeconds\":86400}");
    var checked = promtool.run("check", "rules", "--lint=all", "--lint-fatal", file.toString());

    assertThat(checked.exitCode()).as(checked.output()).isZero();
    assertThat(checked.output())
        .contains("SUCCESS: %d rules found".formatted(AlertCases.read().alerts().size()));
  }

  @Test
  void eachAlertFiresWhenItShouldAndNotWhenItShouldNot() throws IOException {
    var file = rules("monitoring={\"rules\":true}");
    var alerts =
        YAML.readTree(file.toFile())
            .path("groups")
            .path(0)
            .path("rules")
            .valueStream()
            .collect(
                Collectors.toMap(
                    rule -> rule.path("alert").asText(), Function.<JsonNode>identity()));
    var cases =
        Files.writeString(folder.resolve("cases.yml"), AlertCases.read().document(file, alerts));

    var tested = promtool.run("test", "rules", cases.toString());

    assertThat(tested.exitCode()).as(tested.output()).isZero();
    assertThat(tested.output()).contains("SUCCESS");
  }

  /** They are read as rules are, which have the same language but for Grafana's variables. */
  @Test
  void theQueriesOfTheDashboardsAreRead() throws IOException {
    var document = YAML.createObjectNode();
    var group = document.putArray("groups").addObject().put("name", "dashboards");
    var read = group.putArray("rules");
    for (var panel : Dashboard.all().stream().flatMap(one -> one.panels().stream()).toList()) {
      for (var query : panel.queries()) {
        read.addObject()
            .put("record", "panel:%d".formatted(read.size()))
            .put("expr", query.replace("$__rate_interval", "5m"));
      }
    }
    var file = Files.writeString(folder.resolve("queries.yml"), YAML.writeValueAsString(document));

    var checked = promtool.run("check", "rules", file.toString());

    assertThat(checked.exitCode()).as(checked.output()).isZero();
    assertThat(checked.output()).contains("SUCCESS: %d rules found".formatted(read.size()));
  }
}
