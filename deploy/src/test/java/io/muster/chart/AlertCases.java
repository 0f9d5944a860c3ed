package io.muster.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The series with which each alert fires and does not, as promtool takes them. Immutable. */
record AlertCases(JsonNode byAlert) {

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Path FILE = Path.of("src/test/resources/alerts/series.yml");
  private static final String ASKED_AT = "30m";
  private static final String ZEROS = "0x90";

  static AlertCases read() throws IOException {
    return new AlertCases(YAML.readTree(FILE.toFile()));
  }

  /** Names of the alerts that have both. */
  Set<String> alerts() {
    var names = new TreeSet<String>();
    byAlert
        .properties()
        .forEach(entry -> {
          if (!entry.getValue().path("fires").isEmpty()
              && !entry.getValue().path("not").isEmpty()) {
            names.add(entry.getKey());
          }
        });
    return names;
  }

  /** All that are given to any alert. */
  List<String> series() {
    return byAlert
        .valueStream()
        .flatMap(stated -> Stream.of(stated.path("fires"), stated.path("not")))
        .flatMap(side -> side.propertyStream().map(Map.Entry::getKey))
        .toList();
  }

  /**
   * A file for {@code promtool test rules}: two tests of each alert.
   *
   * @param rules the file that has them
   * @param alerts what it says, by name
   */
  String document(Path rules, Map<String, JsonNode> alerts) throws IOException {
    var document = YAML.createObjectNode();
    document.putArray("rule_files").add(rules.toAbsolutePath().toString());
    document.put("evaluation_interval", "1m");
    var tests = document.putArray("tests");
    for (var entry : byAlert.properties()) {
      var name = entry.getKey();
      var stated = entry.getValue();
      ask(tests.addObject(), name, stated, "not");
      ask(tests.addObject(), name, stated, "fires")
          .addObject()
          .<ObjectNode>set("exp_labels", labels(alerts.get(name), stated))
          .set("exp_annotations", alerts.get(name).path("annotations"));
    }
    return YAML.writeValueAsString(document);
  }

  private static JsonNode labels(JsonNode alert, JsonNode stated) {
    var labels = (ObjectNode) alert.path("labels").deepCopy();
    stated
        .path("labels")
        .properties()
        .forEach(label -> labels.set(label.getKey(), label.getValue()));
    return labels;
  }

  /** A test with the series of that side; returns its alerts, which are none yet. */
  private static ArrayNode ask(ObjectNode test, String name, JsonNode stated, String side) {
    test.put("name", name + " " + side).put("interval", "1m");
    var series = test.putArray("input_series");
    boolean isSame = stated.path("followers").asText().equals("same");
    for (var given : stated.path(side).properties()) {
      var values = given.getValue().asText();
      series.addObject().put("series", of("leader", given.getKey())).put("values", values);
      series
          .addObject()
          .put("series", of("follower", given.getKey()))
          .put("values", isSame ? values : ZEROS);
    }
    return test.putArray("alert_rule_test")
        .addObject()
        .put("eval_time", stated.path("at").asText(ASKED_AT))
        .put("alertname", name)
        .putArray("exp_alerts");
  }

  private static String of(String pod, String series) {
    var label = "pod=\"" + pod + "\"";
    return series.endsWith("}")
        ? series.replace("}", "," + label + "}")
        : series + "{" + label + "}";
  }
}
