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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The alerts that the chart brings are those that metrics.md names, on series that exist. */
final class AlertsTest {

  private static final Path FILE = ChartRendering.CHART.resolve("files/alerts.yml");
  private static final Path DOCUMENTS = Path.of("docs");

  /** Rows whose alert has no rule, with the reason. */
  private static final Map<String, String> WITHOUT_RULE =
      Map.of(
          "muster_bind_barrier_held", "no metric has the number of members of the largest gang",
          "muster_gangs_waiting_oldest_seconds", "the promise to users is theirs to know");

  private static final Pattern SERIES = Pattern.compile("\\b(muster_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)=(~?)\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern TIME = Pattern.compile("for (\\d+) (s|minutes?|hours?)\\b");
  private static final Pattern OF_SETTING = Pattern.compile("(?m)(\\d+)s? # (\\w+)$");

  /**
   * A row of the table of metrics.
   *
   * @param series names under which Prometheus has it
   * @param labels values by name
   */
  private record Row(
      String name, Set<String> series, Map<String, Set<String>> labels, String alert) {

    private static Row read(String line) {
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
      return new Row(
          name,
          suffixes.map(suffix -> name + suffix).collect(Collectors.toSet()),
          labels,
          cells[5].replaceFirst(" \\|$", ""));
    }

    private Set<String> labelNames() {
      var names = new TreeSet<>(labels.keySet());
      if (series.contains(name + "_bucket")) {
        names.add("le");
      }
      return names;
    }
  }

  private static List<Row> rows() throws IOException {
    try (var lines = Files.lines(DOCUMENTS.resolve("metrics.md"))) {
      return lines.filter(line -> line.startsWith("| `muster_")).map(Row::read).toList();
    }
  }

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

  private static List<MatchResult> series(JsonNode rule) {
    return SERIES.matcher(expression(rule)).results().toList();
  }

  private static boolean isOn(Row row, JsonNode rule) {
    return series(rule).stream().anyMatch(found -> row.series().contains(found.group(1)));
  }

  @Test
  void eachRowWithAnAlertHasARuleOrAReason() throws IOException {
    var rules = rules();
    var without =
        rows().stream()
            .filter(row -> !row.alert().equals("-"))
            .filter(row -> rules.stream().noneMatch(rule -> isOn(row, rule)))
            .map(Row::name)
            .toList();
    assertThat(without).containsExactlyInAnyOrderElementsOf(WITHOUT_RULE.keySet());
  }

  /** Each value and each time that a row names is in its rules. */
  @Test
  void rulesSpeakOfWhatTheirRowSpeaksOf() throws IOException {
    var rules = rules();
    for (var row : rows()) {
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
    var rows = rows();
    for (var rule : rules()) {
      var text = expression(rule);
      var used = series(rule);
      assertThat(used).as(text).isNotEmpty();
      var names = new TreeSet<String>();
      for (var found : used) {
        var row = rows.stream().filter(one -> one.series().contains(found.group(1))).findFirst();
        assertThat(row).as(found.group()).isPresent();
        names.addAll(row.orElseThrow().labelNames());
        var labels = row.orElseThrow().labels();
        MATCHER
            .matcher(found.group(2) == null ? "" : found.group(2))
            .results()
            .forEach(matcher ->
                assertThat(labels.getOrDefault(matcher.group(1), Set.of()))
                    .as(found.group())
                    .contains(matcher.group(3).split("\\|")));
      }
      GROUPING
          .matcher(text)
          .results()
          .forEach(by -> assertThat(names).as(text).contains(by.group(1).split(", ")));
    }
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
