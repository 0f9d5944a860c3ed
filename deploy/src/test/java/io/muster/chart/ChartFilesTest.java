package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.deploy.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the chart holds beside templates is what the rest of the project has. Run with {@code
 * -Dmuster.golden.update=true} to copy it anew.
 */
final class ChartFilesTest {

  private static final Path CHART = Path.of("chart/muster");
  private static final Pattern KEY = Pattern.compile("( *)([\\w./-]+|\"[^\"]*\"):.*");

  @ParameterizedTest
  @ValueSource(strings = {"rbac", "crds"})
  void rightsAndDefinitionsAreThoseOfTheProject(String folder) throws IOException {
    try (var files = Files.list(Path.of(folder))) {
      var names = files.map(file -> file.getFileName().toString()).sorted().toList();
      for (var name : names) {
        Golden.holds(
            CHART.resolve("files").resolve(folder).resolve(name),
            Files.readString(Path.of(folder, name)));
      }
      try (var copies = Files.list(CHART.resolve("files").resolve(folder))) {
        assertThat(copies.map(file -> file.getFileName().toString()))
            .containsAll(names)
            .hasSameSizeAs(names);
      }
    }
  }

  @Test
  void theSecondSchedulersConfigurationIsThatOfTheProject() throws IOException {
    Golden.holds(
        CHART.resolve("files/second-scheduler.yaml"),
        Files.readString(Path.of("scheduler/second-scheduler.yaml")));
  }

  @Test
  void aPodThatEndsAnswersUntilTheNodesLeadElsewhere() throws IOException {
    try (var documents =
        new YAMLMapper()
            .readerFor(JsonNode.class)
            .<JsonNode>readValues(Path.of("install/muster.yaml").toFile())) {
      var pod =
          documents.readAll().stream()
              .filter(object -> object.path("kind").asText().equals("Deployment"))
              .map(object -> object.path("spec").path("template").path("spec"))
              .findFirst()
              .orElseThrow();
      int sleep = pod.at("/containers/0/lifecycle/preStop/sleep/seconds").asInt();
      assertThat(sleep).isGreaterThanOrEqualTo(5);
      assertThat(pod.path("terminationGracePeriodSeconds").asInt()).isGreaterThan(30 + sleep);
    }
  }

  @Test
  void theSchemaKnowsTheSettingsThatTheProgramKnows() throws IOException {
    var json = new JsonMapper();
    var schema = (ObjectNode) json.readTree(CHART.resolve("values.schema.json").toFile());
    var settings = schema.withObject("/properties/settings").putObject("properties");
    for (var setting : Setting.values()) {
      describe(setting, settings.putObject(setting.key()));
    }
    var printer =
        new DefaultPrettyPrinter(
                Separators.createDefaultInstance()
                    .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                    .withObjectEmptySeparator("")
                    .withArrayEmptySeparator(""))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"));
    Golden.holds(
        CHART.resolve("values.schema.json"),
        json.writer(printer).writeValueAsString(schema) + "\n");
  }

  private static void describe(Setting setting, ObjectNode schema) {
    switch (setting.takes()) {
      case Setting.Takes.Text _ -> schema.put("type", "string");
      case Setting.Takes.Numbers(var least, var most, _) ->
          schema.put("type", "integer").put("minimum", least).put("maximum", most);
      case Setting.Takes.Choice(var all) when all.contains("true") -> schema.put("type", "boolean");
      case Setting.Takes.Choice(var all) -> all.forEach(schema.withArray("enum")::add);
    }
  }

  @Test
  void everyValueIsInTheSchemaAndNoOtherIs() throws IOException {
    var values = new YAMLMapper().readTree(CHART.resolve("values.yaml").toFile());
    var schema = new JsonMapper().readTree(CHART.resolve("values.schema.json").toFile());
    var open = new ArrayList<String>();
    compare("", values, schema, open);
    // What Kubernetes or another document of Muster's describes, and a parent chart's values.
    assertThat(open)
        .containsExactlyInAnyOrder(
            "global",
            "affinity.nodeAffinity",
            "affinity.podAffinity",
            "affinity.podAntiAffinity",
            "nodeSelector",
            "podLabels",
            "podAnnotations",
            "monitoring.labels",
            "schedulerFiles.nodeSelector");
  }

  private static void compare(String path, JsonNode value, JsonNode schema, List<String> open) {
    // What a container asks for need not be said.
    if (!schema.path("type").asText().equals("object") || path.endsWith("resources")) {
      return;
    }
    if (!schema.path("additionalProperties").isBoolean()) {
      open.add(path);
      return;
    }
    assertThat(schema.path("additionalProperties").asBoolean()).as(path).isFalse();
    value
        .fieldNames()
        .forEachRemaining(
            key -> assertThat(schema.path("properties").has(key)).as(path + "." + key).isTrue());
    schema
        .path("properties")
        .properties()
        .forEach(entry -> {
          var below = path.isEmpty() ? entry.getKey() : path + "." + entry.getKey();
          // Where the default is empty any of the keys may be given.
          assertThat(value.isEmpty() || value.has(entry.getKey()) || below.equals("global"))
              .as("a default of " + below)
              .isTrue();
          compare(below, value.path(entry.getKey()), entry.getValue(), open);
        });
  }

  /** On the line above it, or above the line of the key that holds it alone. */
  @Test
  void everyValueHasAComment() throws IOException {
    var lines = Files.readAllLines(CHART.resolve("values.yaml"));
    var bare = new ArrayList<String>();
    for (int i = 0; i < lines.size(); i++) {
      var key = KEY.matcher(lines.get(i));
      if (key.matches() && !isExplained(lines, i, key.group(1).length())) {
        bare.add(lines.get(i));
      }
    }
    assertThat(bare).isEmpty();
  }

  /** A run of keys shares the comment above its first one. */
  private static boolean isExplained(List<String> lines, int at, int indent) {
    for (int i = at - 1; i >= 0; i--) {
      var line = lines.get(i);
      if (line.isBlank()) {
        return false;
      }
      if (line.strip().startsWith("#")) {
        return true;
      }
      if (line.length() - line.stripLeading().length() > indent) {
        return false;
      }
    }
    return false;
  }

  @Test
  void theChartIsOfTheProgramsVersion() throws IOException {
    var chart = new YAMLMapper().readTree(CHART.resolve("Chart.yaml").toFile());
    var pom = Files.readString(Path.of("../pom.xml"));
    var version = Pattern.compile("<version>([^<]+)</version>").matcher(pom);
    assertThat(version.find()).isTrue();
    assertThat(chart.path("appVersion").asText()).isEqualTo(version.group(1));
  }

  @Test
  void thePageForInstallationsWithoutInternetNamesEverySettingWithAnImage() throws IOException {
    var page = Files.readString(Path.of("docs/air-gap.md"));
    var named =
        Arrays.stream(Setting.values())
            .map(Setting::key)
            .filter(key -> key.endsWith("Image"))
            .toList();

    assertThat(named)
        .hasSizeGreaterThan(2)
        .allMatch(key -> page.contains("`settings." + key + "`"));
  }
}
