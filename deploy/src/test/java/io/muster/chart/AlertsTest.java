package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.deploy.config.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The alerts that the chart brings are those that metrics.md names, on series that exist. */
final class AlertsTest {

  private static final Path FILE = ChartRendering.CHART.resolve("files/alerts.yml");

  /** Rows whose alert has no rule, with the reason. */
  private static final Map<String, String> WITHOUT_RULE =
      Map.of(
          "muster_bind_barrier_held", "no metric has the number of members of the largest gang",
          "muster_gangs_waiting_oldest_seconds", "the promise to users is theirs to know");

  private static final Pattern TIME = Pattern.compile("for (\\d+) (s|minutes?|hours?)\\b");
  private static final Pattern OF_SETTING = Pattern.compile("(?m)(\\d+)s? # (\\w+)$");

  private static List<JsonNode> rules() throws IOException {
    return new YAMLMapper()
        .readTree(FILE.toFile())
        .path("groups")
        .path(0)
        .path("rules")
        .valueStream()
        .toList();
  }

  private static String expression(JsonNode rule) {
    return rule.path("expr").asText();
  }

  private static boolean isOn(MetricRow row, JsonNode rule) {
    return Selector.in(expression(rule)).stream()
        .anyMatch(found -> row.series().contains(found.name()));
  }

  @Test
  void eachRowWithAnAlertHasARuleOrAReason() throws IOException {
    var rules = rules();
    var without =
        MetricRow.all().stream()
            .filter(row -> !row.alert().equals("-"))
            .filter(row -> rules.stream().noneMatch(rule -> isOn(row, rule)))
            .map(MetricRow::name)
            .toList();
    assertThat(without).containsExactlyInAnyOrderElementsOf(WITHOUT_RULE.keySet());
  }

  /** Each value and each time that a row names is in its rules. */
  @Test
  void rulesSpeakOfWhatTheirRowSpeaksOf() throws IOException {
    var rules = rules();
    for (var row : MetricRow.all()) {
      if (row.alert().equals("-") || WITHOUT_RULE.containsKey(row.name())) {
        continue;
      }
      var own = rules.stream().filter(rule -> isOn(row, rule)).toList();
      var text = own.stream().map(AlertsTest::expression).collect(Collectors.joining("\n"));
      row.labels().values().stream()
          .flatMap(Set::stream)
          .filter(value -> row.alert().contains("`" + value + "`"))
          .forEach(
              value -> assertThat(text).as(row.name()).containsPattern("[\"|]" + value + "[\"|]"));
      TIME.matcher(row.alert())
          .results()
          .map(time -> time.group(1) + time.group(2).charAt(0))
          .forEach(time ->
              assertThat(own.stream().map(rule -> rule.path("for").asText()))
                  .as(row.name())
                  .contains(time));
    }
  }

  @Test
  void rulesUseSeriesLabelsAndValuesThatExist() throws IOException {
    var rows = MetricRow.all();
    for (var rule : rules()) {
      Selector.existIn(expression(rule), rows);
    }
  }

  /** Prometheus' own program plays them: {@code PrometheusIT}. */
  @Test
  void everyAlertHasSeriesWithWhichItFiresAndSeriesWithWhichItDoesNot() throws IOException {
    assertThat(AlertCases.read().alerts())
        .containsExactlyInAnyOrderElementsOf(
            rules().stream().map(rule -> rule.path("alert").asText()).toList());
    AlertCases.read().series().forEach(series -> Selector.existIn(series, MetricRow.all()));
  }

  @Test
  void everyRuleSaysHowBadItIsAndWhereToReadOn() throws IOException {
    var rules = rules();
    assertThat(rules.stream().map(rule -> rule.path("alert").asText()))
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("Muster[A-Za-z]+"));
    for (var rule : rules) {
      assertThat(rule.path("labels").path("severity").asText()).isIn("critical", "warning");
      assertThat(rule.path("annotations").path("summary").asText()).endsWith(".");
      var page = rule.path("annotations").path("runbook").asText().split("#", -1);
      assertThat(page[0]).startsWith("deploy/docs/");
      assertThat(anchors(Path.of("..", page[0]))).contains(page[1]);
    }
  }

  private static List<String> anchors(Path page) {
    try (var lines = Files.lines(page)) {
      return lines
          .filter(line -> line.matches("#{2,4} .*"))
          .map(line ->
              line.replaceFirst("#+ ", "")
                  .toLowerCase(Locale.ROOT)
                  .replaceAll("[^\\w -]", "")
                  .replace(' ', '-'))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void numbersOfSettingsAreTheirDefaults() throws IOException {
    var numbers = OF_SETTING.matcher(Files.readString(FILE)).results().toList();
    assertThat(numbers.stream().map(number -> number.group(2)))
        .containsExactlyInAnyOrder("repairTimeoutSeconds", "reservationTimeoutSeconds");
    for (var number : numbers) {
      var setting =
          Arrays.stream(Setting.values())
              .filter(one -> one.key().equals(number.group(2)))
              .findFirst()
              .orElseThrow();
      assertThat(number.group(1)).as(setting.key()).isEqualTo(setting.fallback());
    }
  }
}
