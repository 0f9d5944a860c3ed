package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.chart.PolicyModel.Address;
import io.muster.chart.PolicyModel.Caller;
import io.muster.chart.PolicyModel.PlayedPod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Who may reach which port by the chart's NetworkPolicy. There is no network here that enforces
 * one: a model reads the rules that are rendered.
 */
final class NetworkPolicyIT {

  private static final Path PORTS = ChartRendering.CHART.resolve("files/ports.yaml");
  private static final String MONITORED =
      "networkPolicy={\"enabled\":true,\"apiserverCidrs\":[\"10.0.0.0/28\",\"fd00:1::/64\"],"
          + "\"schedulerCidrs\":[\"10.0.1.0/28\",\"fd00:2::/120\"],\"monitoringNamespace\":\"monitoring\"}";

  /** Everybody who might call, by name. */
  private static final Map<String, Caller> CALLERS = callers();

  private static Map<String, Caller> callers() {
    var all = new LinkedHashMap<String, Caller>();
    all.put("apiserver", new Address("10.0.0.3"));
    all.put("apiserver-v6", new Address("fd00:1::9"));
    all.put("scheduler", new Address("10.0.1.15"));
    all.put("scheduler-v6", new Address("fd00:2::ff"));
    // Next to them, and in the other family with the same bytes at the start.
    all.put("beyond", new Address("10.0.1.16"));
    all.put("beyond-v6", new Address("fd00:2::100"));
    all.put("other-family", new Address("a00:0:1::"));
    all.put("internet", new Address("203.0.113.7"));
    all.put("second-scheduler", ofChart("scheduler", "muster-system"));
    all.put("uninstall", ofChart("uninstall", "muster-system"));
    all.put("doctor", ofChart("doctor", "muster-system"));
    all.put("disguised", ofChart("scheduler", "team-a"));
    all.put("neighbour", new PlayedPod("muster-system", Map.of("app", "other")));
    all.put("prometheus", new PlayedPod("monitoring", Map.of()));
    all.put("coordinator", new PlayedPod("team-a", Map.of()));
    return all;
  }

  private static Caller ofChart(String component, String namespace) {
    return new PlayedPod(
        namespace,
        Map.of("app.kubernetes.io/name", "muster", "app.kubernetes.io/component", component));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "shared   | extender | scheduler scheduler-v6",
        "shared   | webhook  | apiserver apiserver-v6",
        "shared   | health   | prometheus uninstall",
        "second   | extender | second-scheduler",
        "second   | webhook  | apiserver apiserver-v6",
        "second   | health   | prometheus uninstall",
        "affinity | extender | ''",
        "affinity | webhook  | apiserver apiserver-v6",
        "affinity | health   | prometheus uninstall",
      })
  void thoseCallAPortWhoAreToCallIt(String mode, String port, String who) {
    var policy = policy(List.of("mode=\"%s\"".formatted(mode), MONITORED));

    assertThat(letIn(policy, port)).isEqualTo(names(who));
    assertThat(letIn(policy, "di")).isEmpty();
  }

  /** Of DIJobs: pods of all namespaces, and no address. */
  @Test
  void coordinatorsCallFromAnyNamespace() {
    var policy = policy(List.of("jobKinds={\"di\":true}", MONITORED));

    assertThat(letIn(policy, "di"))
        .isEqualTo(
            names("coordinator disguised doctor neighbour prometheus second-scheduler uninstall"));
    assertThat(letIn(policy, "extender")).isEqualTo(names("scheduler scheduler-v6"));
  }

  /** An empty list in a rule would let everybody in. */
  @Test
  void whereNobodyIsNamedNobodyIsLetIn() {
    var policy =
        policy(
            List.of(
                "mode=\"affinity\"",
                "networkPolicy={\"enabled\":true,\"apiserverCidrs\":[\"10.0.0.0/28\"]}"));

    assertThat(letIn(policy, "extender")).isEmpty();
    assertThat(letIn(policy, "health")).isEqualTo(names("uninstall"));
    assertThat(letIn(policy, "webhook")).isEqualTo(names("apiserver"));
  }

  @Test
  void itIsForMustersOwnPodsAloneAndOutgoingCallsAreFree() {
    var policy = policy(List.of(MONITORED));

    assertThat(policy.isFor((PlayedPod) ofChart("server", "muster-system"))).isTrue();
    assertThat(policy.isFor((PlayedPod) ofChart("scheduler", "muster-system"))).isFalse();
    assertThat(policy.isFor((PlayedPod) ofChart("server", "team-a"))).isFalse();
    assertThat(policy.types()).containsExactly("Ingress");
  }

  /** The names of ports in rules are those of the container. */
  @Test
  void everyPortOfAPodHasARuleAndEveryRuleAPort() {
    var values = List.of("jobKinds={\"di\":true}", MONITORED);
    var objects = ChartRendering.objects(values);
    var container =
        objects.stream()
            .filter(object -> ChartRendering.name(object).equals("Deployment muster-system/muster"))
            .map(object -> ChartRendering.pod(object).path("containers").path(0))
            .findFirst()
            .orElseThrow();

    assertThat(policy(values).ports())
        .isEqualTo(new TreeSet<>(container.path("ports").findValuesAsText("name")));
  }

  /** Whoever changes one of them changes the other. */
  @Test
  void thePageHasTheTableThatTheRulesAreMadeOf() throws IOException {
    var page = Files.readString(Path.of("docs/install.md"));
    var ports = new ArrayList<String>();
    var rules = new ArrayList<String>();
    for (var port : new YAMLMapper().readTree(PORTS.toFile())) {
      var name = "`" + port.path("name").asText() + "Port`";
      ports.add(
          "| %s | %d | %s | %s |"
              .formatted(
                  name,
                  port.path("default").asInt(),
                  port.path("protocol").asText(),
                  port.path("callers")
                      .valueStream()
                      .map(caller -> caller.path("who").asText())
                      .collect(Collectors.joining(", "))));
      for (var caller : port.path("callers")) {
        var by = letInBy(caller);
        if (!by.isEmpty()) {
          rules.add(
              "| %s%s | %s | %s |"
                  .formatted(
                      caller.path("who").asText(),
                      caller.has("mode") ? ", in mode `" + caller.path("mode").asText() + "`" : "",
                      name,
                      by));
        }
      }
    }

    assertThat(rows(page, "\\| port \\| default \\| protocol \\| callers \\|")).isEqualTo(ports);
    assertThat(rows(page, "\\| caller \\| port \\| let in by \\|")).isEqualTo(rules);
  }

  @Test
  void theTableHasTheDefaultsOfTheValues() throws IOException {
    var values = new YAMLMapper().readTree(ChartRendering.CHART.resolve("values.yaml").toFile());
    var wanted = new LinkedHashMap<String, Integer>();
    values
        .path("ports")
        .properties()
        .forEach(one -> wanted.put(one.getKey(), one.getValue().asInt()));
    var found = new LinkedHashMap<String, Integer>();
    for (var port : new YAMLMapper().readTree(PORTS.toFile())) {
      found.put(port.path("name").asText(), port.path("default").asInt());
    }
    assertThat(found).isEqualTo(wanted);
  }

  private static String letInBy(JsonNode caller) {
    for (var key : List.of("cidrs", "namespace")) {
      if (caller.has(key)) {
        return "`networkPolicy." + caller.path(key).asText() + "`";
      }
    }
    return caller.has("component") ? "its label" : caller.has("anywhere") ? "any namespace" : "";
  }

  /** Of the table below that heading. */
  private static List<String> rows(String page, String heading) {
    var table = Pattern.compile(heading + "\n\\|[-|]+\\|\n((?:\\|.*\n)+)").matcher(page);
    assertThat(table.find()).as(heading).isTrue();
    return table.group(1).lines().toList();
  }

  private static Set<String> names(String who) {
    return who.isBlank() ? new TreeSet<>() : new TreeSet<>(List.of(who.strip().split(" ")));
  }

  private static Set<String> letIn(PolicyModel policy, String port) {
    return CALLERS.entrySet().stream()
        .filter(caller -> policy.letsIn(caller.getValue(), port))
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static PolicyModel policy(List<String> values) {
    return ChartRendering.objects(values).stream()
        .filter(object -> object.path("kind").asText().equals("NetworkPolicy"))
        .map(PolicyModel::new)
        .findFirst()
        .orElseThrow();
  }
}
