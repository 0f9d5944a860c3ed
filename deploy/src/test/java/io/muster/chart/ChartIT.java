package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.certs.Certificates;
import io.muster.certs.x509.ServerNames;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What helm says about the chart and renders of it, without a cluster. */
final class ChartIT {

  private static final Path EXPECTED = Path.of("src/test/resources/chart");
  private static final Path PUBLISHED = Path.of("install/muster.yaml");

  private static final String ABOVE =
      """
      # All that the chart installs with its own values, for gangs in mode shared. Put your image in, and apply it:
      #
      #   kubectl create namespace muster-system
      #   kubectl apply --server-side --force-conflicts -f deploy/install/muster.yaml
      #
      # Then connect kube-scheduler as docs/install.md says, and run `muster doctor`. Before you delete these
      # objects, disconnect kube-scheduler; docs/day2.md says how to release what waits.
      # Made from deploy/chart/muster without its hooks; change it there.
      """;

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .build();

  static Set<String> sets() {
    return ValueSets.all().keySet();
  }

  private static List<String> values(String set) {
    return ValueSets.all().get(set);
  }

  /** helm lint cannot be told of kinds. */
  static Stream<String> setsWithoutKindsOfOthers() {
    return sets().stream().filter(set -> !set.equals(ValueSets.CERT_MANAGER));
  }

  @ParameterizedTest
  @MethodSource("setsWithoutKindsOfOthers")
  void helmHasNothingToWarnOf(String set) {
    var arguments =
        Stream.of(
                Stream.of(
                    "lint", "--strict", "-n", "muster-system", ChartRendering.CHART.toString()),
                values(set).stream().flatMap(value -> Stream.of("--set-json", value)))
            .flatMap(part -> part)
            .toList();
    var said = Helm.findOrBuild(Layout.current()).output(arguments);
    assertThat(said)
        .contains("1 chart(s) linted, 0 chart(s) failed")
        .doesNotContain("WARNING", "ERROR", "Fail:");
  }

  /** Each object by name, with what its pods are told; one of them in full. */
  @ParameterizedTest
  @MethodSource("sets")
  void rendersWhatIsExpected(String set) {
    var text = ChartRendering.text(values(set));
    var lines =
        ChartRendering.documents(text).stream()
            .flatMap(object -> summary(object))
            .collect(Collectors.joining("\n", "", "\n"));
    Golden.holds(EXPECTED.resolve(set + ".txt"), lines);
  }

  /** Where no kube-scheduler asks Muster, pods that keep their gates still keep it at work. */
  @ParameterizedTest
  @CsvSource({
    "shared, false, uninstall --drain --deployment muster",
    "affinity, false, uninstall --drain --deployment muster --unasked",
    "shared, true, uninstall --drain --deployment muster --force",
    "affinity, true, uninstall --drain --deployment muster --unasked --force"
  })
  void onlyForceUninstallsWhateverIsLeft(String mode, boolean force, String expected) {
    var job =
        ChartRendering.objects(
                List.of(
                    "mode=\"%s\"".formatted(mode), "uninstallHook={\"force\":%s}".formatted(force)))
            .stream()
            .filter(object -> ChartRendering.name(object).endsWith("/muster-uninstall"))
            .filter(object -> object.path("kind").asText().equals("Job"))
            .findFirst()
            .orElseThrow();

    assertThat(
            ChartRendering.pod(job)
                .path("containers")
                .path(0)
                .path("args")
                .valueStream()
                .map(JsonNode::asText)
                .collect(Collectors.joining(" ")))
        .isEqualTo(expected);
  }

  /** Whoever has no helm applies it; with hooks it would uninstall itself. */
  @Test
  void theFileForKubectlIsTheChartAsItIs() {
    var arguments = new ArrayList<>(ChartRendering.template("muster-system", List.of()));
    arguments.add("--no-hooks");
    var text = Helm.findOrBuild(Layout.current()).output(arguments);
    Golden.holds(PUBLISHED, ABOVE + text.strip() + "\n");
  }

  private static Stream<String> summary(JsonNode object) {
    var annotations = object.path("metadata").path("annotations");
    var name =
        ChartRendering.name(object)
            + (annotations.has("helm.sh/hook")
                ? " hook " + annotations.path("helm.sh/hook").asText()
                : "")
            + (annotations.has("helm.sh/resource-policy") ? " kept" : "");
    var pod = ChartRendering.pod(object);
    var containers =
        pod.path("containers").findParents("image").stream()
            .map(container ->
                "  %s: %s"
                    .formatted(
                        container.path("image").asText(),
                        Stream.of("command", "args")
                            .flatMap(key -> container.path(key).valueStream())
                            .map(JsonNode::asText)
                            .collect(Collectors.joining(" "))));
    var settings =
        object.path("data").path("muster.yaml").asText().lines().map(line -> "  " + line);
    return Stream.of(Stream.of(name), containers, settings).flatMap(part -> part);
  }

  /** But for the namespace, and the mark that keeps what belongs to users. */
  @ParameterizedTest
  @MethodSource("namespaces")
  void rightsAndDefinitionsSayWhatTheirFilesSay(String namespace) throws IOException {
    var text =
        Helm.findOrBuild(Layout.current())
            .output(ChartRendering.template(namespace, ValueSets.ALL_RIGHTS));
    var rendered = byName(ChartRendering.documents(text));
    int compared = 0;
    for (var file : files()) {
      for (var stated : ChartRendering.documents(Files.readString(file))) {
        if (ChartRendering.name(stated).equals("Namespace muster-system")) {
          continue;
        }
        var wanted =
            YAML.readTree(YAML.writeValueAsString(stated).replace("muster-system", namespace));
        var found = rendered.get(ChartRendering.name(wanted));
        assertThat(found).as(ChartRendering.name(wanted)).isNotNull();
        assertThat(withoutKeep(found)).isEqualTo(wanted);
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(30);
    assertThat(text.contains("muster-system")).isEqualTo(namespace.equals("muster-system"));
  }

  static List<String> namespaces() {
    return List.of("muster-system", "gangs");
  }

  private static List<Path> files() throws IOException {
    try (var rights = Files.list(Path.of("rbac"));
        var definitions = Files.list(Path.of("crds"))) {
      return Stream.concat(rights, definitions).sorted().toList();
    }
  }

  private static Map<String, JsonNode> byName(List<JsonNode> objects) {
    var found = new TreeMap<String, JsonNode>();
    objects.forEach(object -> assertThat(found.put(ChartRendering.name(object), object)).isNull());
    return found;
  }

  private static JsonNode withoutKeep(JsonNode object) {
    var copy = (ObjectNode) object.deepCopy();
    var metadata = (ObjectNode) copy.path("metadata");
    if (metadata.path("annotations").has("helm.sh/resource-policy")) {
      assertThat(object.path("kind").asText()).isIn("CustomResourceDefinition", "Namespace");
      ((ObjectNode) metadata.path("annotations")).remove("helm.sh/resource-policy");
      if (metadata.path("annotations").isEmpty()) {
        metadata.remove("annotations");
      }
    }
    return copy;
  }

  @Test
  void theSecondSchedulerIsConfiguredAsTheProjectSays() throws IOException {
    var map =
        byName(ChartRendering.objects(values("second")))
            .get("ConfigMap muster-system/muster-scheduler");
    var found = YAML.readTree(map.path("data").path("config.yaml").asText());

    var wanted = (ObjectNode) YAML.readTree(Path.of("scheduler/second-scheduler.yaml").toFile());
    ((ObjectNode) wanted.path("clientConnection")).remove("kubeconfig");
    assertThat(found).isEqualTo(wanted);
  }

  /** Else it would keep its Lease elsewhere, or give up calls that Muster still delays. */
  @Test
  void theSecondSchedulerIsOfTheNamespaceAndTheSettingsThatAreGiven() throws IOException {
    var settings = "{\"schedulerHttpTimeoutSeconds\":60,\"schedulerPodMaxBackoffSeconds\":5}";
    var values = List.of("mode=\"second\"", "settings=" + settings);
    var namespace = "my-muster-system";
    var text =
        Helm.findOrBuild(Layout.current()).output(ChartRendering.template(namespace, values));
    var map =
        byName(ChartRendering.documents(text)).get("ConfigMap " + namespace + "/muster-scheduler");
    var found = YAML.readTree(map.path("data").path("config.yaml").asText());

    assertThat(found.at("/leaderElection/resourceNamespace").asText()).isEqualTo(namespace);
    assertThat(found.at("/extenders/0/urlPrefix").asText())
        .isEqualTo("https://muster-extender.my-muster-system.svc:9443/v1");
    assertThat(found.at("/extenders/0/httpTimeout").asText()).isEqualTo("60s");
    assertThat(found.path("podMaxBackoffSeconds").asInt()).isEqualTo(5);
  }

  /** Those that Muster puts into a certificate of its own, but for the loopback addresses. */
  @Test
  void certManagerIsAskedForTheNamesUnderWhichMusterIsCalled() {
    var rendered = byName(ChartRendering.objects(values(ValueSets.CERT_MANAGER)));
    var server = rendered.get("Certificate muster-system/muster").path("spec");
    var wanted =
        ServerNames.ofService("muster-extender", "muster-system")
            .and(ServerNames.ofService("muster-webhook", "muster-system"))
            .and(ServerNames.of("muster.example.org"));
    assertThat(server.path("dnsNames").valueStream().map(JsonNode::asText))
        .containsExactlyInAnyOrderElementsOf(wanted.dns());
    assertThat(server.path("ipAddresses").valueStream().map(JsonNode::asText))
        .containsExactly("10.0.0.9", "fd00::9");
    assertThat(server.path("usages").valueStream().map(JsonNode::asText)).contains("server auth");

    var client = rendered.get("Certificate muster-system/muster-scheduler-client").path("spec");
    assertThat(client.path("commonName").asText()).isEqualTo(Certificates.SCHEDULER_CLIENT_NAME);
    assertThat(client.path("usages").valueStream().map(JsonNode::asText)).contains("client auth");
    assertThat(client.path("issuerRef")).isEqualTo(server.path("issuerRef"));
  }

  /**
   * Where there are no more nodes than replicas, a port of a node is free once its pod has ended.
   */
  @ParameterizedTest
  @CsvSource({
    "false, 2, 1, 0",
    "true, 2, 0, 1",
    "true, 3, 0, 1",
    "true, 1, 0, 1",
    "false, 1, 1, 0"
  })
  void anUpdateFindsRoomForPortsOfTheNode(
      boolean isOfTheHost, int replicas, int surge, int unavailable) {
    var deployment =
        byName(
                ChartRendering.objects(
                    List.of(
                        "hostNetwork=" + isOfTheHost, "replicas=" + replicas, "allowSingle=true")))
            .get("Deployment muster-system/muster");
    var rolling = deployment.at("/spec/strategy/rollingUpdate");
    assertThat(rolling.path("maxSurge").asInt(-1)).isEqualTo(surge);
    assertThat(rolling.path("maxUnavailable").asInt(-1)).isEqualTo(unavailable);
  }

  @Test
  void theJvmIsStartedAsTheImageSaysWithTheHeapOfTheValues() throws IOException {
    var container =
        ChartRendering.pod(
                byName(ChartRendering.objects(List.of())).get("Deployment muster-system/muster"))
            .path("containers")
            .path(0);
    var given =
        container.path("env").findParents("value").stream()
            .filter(one -> one.path("name").asText().equals("JDK_JAVA_OPTIONS"))
            .map(one -> one.path("value").asText())
            .findFirst()
            .orElseThrow();
    assertThat(given).isEqualTo("@/opt/muster/jvm.options -Xmn48m -Xmx384m");
    assertThat(Files.readAllLines(Path.of("jvm.options"))).contains("-Xmn48m", "-Xmx384m");
  }

  /** But for the settings that the values give: those are what the alerts wait for. */
  @Test
  void theAlertsAreThoseOfTheFileWithTheSettingsThatAreGiven() throws IOException {
    var rule = "PrometheusRule muster-system/muster";
    var on = "monitoring={\"rules\":true,\"labels\":{\"release\":\"prometheus\"}}";
    var file = Files.readString(ChartRendering.CHART.resolve("files/alerts.yml"));

    var found = byName(ChartRendering.objects(List.of(on))).get(rule);
    assertThat(found.path("metadata").path("labels").path("release").asText())
        .isEqualTo("prometheus");
    assertThat(found.path("spec")).isEqualTo(YAML.readTree(file));

    var settings =
        "settings={\"repairTimeoutSeconds\":61,\"reservationTimeoutSeconds\":86400,\"preemption\":false}";
    assertThat(byName(ChartRendering.objects(List.of(on, settings))).get(rule).path("spec"))
        .isEqualTo(
            YAML.readTree(
                file.replace("for: 30s # repair", "for: 61s # repair")
                    .replace("> 120 # reservation", "> 86400 # reservation")));
    assertThat(byName(ChartRendering.objects(List.of()))).doesNotContainKey(rule);
  }

  @Test
  void theDashboardsAreThoseOfTheFiles() throws IOException {
    var found = byName(ChartRendering.objects(List.of("monitoring={\"dashboards\":true}")));
    var json = new JsonMapper();
    for (var dashboard : Dashboard.all()) {
      var map = found.get("ConfigMap muster-system/muster-dashboard-" + dashboard.name());
      assertThat(map.path("metadata").path("labels").path("grafana_dashboard").asText())
          .isEqualTo("1");
      assertThat(map.path("data")).hasSize(1);
      assertThat(
              json.readTree(map.path("data").path("muster-" + dashboard.name() + ".json").asText()))
          .isEqualTo(dashboard.json());
    }
    assertThat(ChartRendering.text(List.of())).doesNotContain("dashboard");
  }

  @Test
  void theDashboardsLinkToTheBoardWhoseAddressIsKnown() throws IOException {
    var address = "https://board.example.org/?a=1&b=2#/line";
    var found =
        byName(
            ChartRendering.objects(
                List.of(
                    "monitoring={\"dashboards\":true}",
                    "board={\"url\":\"%s\"}".formatted(address))));
    for (var dashboard : Dashboard.all()) {
      var map = found.get("ConfigMap muster-system/muster-dashboard-" + dashboard.name());
      var text = map.path("data").path("muster-" + dashboard.name() + ".json").asText();
      var rendered = (ObjectNode) new JsonMapper().readTree(text);
      var links = (ArrayNode) rendered.path("links");
      assertThat(links.path(0).path("type").asText()).isEqualTo("link");
      assertThat(links.path(0).path("title").asText()).isEqualTo("Board");
      assertThat(links.path(0).path("url").asText()).isEqualTo(address);
      links.remove(0);
      assertThat(rendered).as("the rest").isEqualTo(dashboard.json());
    }
  }

  /** So that a copy of the images in a registry of one's own is all that an installation needs. */
  @Test
  void everyImageComesFromTheValues() throws JsonProcessingException {
    var values =
        Stream.concat(
                Stream.of(
                    "image={\"repository\":\"registry.example.org/muster\"}",
                    "secondScheduler={\"image\":\"registry.example.org/kube-scheduler\"}"),
                values("second").stream())
            .toList();
    var images = new TreeSet<String>();
    for (var set :
        List.of(
            values,
            Stream.concat(
                    values.stream().limit(1),
                    ValueSets.EVERYTHING.stream().filter(value -> !value.startsWith("image=")))
                .toList())) {
      ChartRendering.objects(set)
          .forEach(
              object -> ChartRendering.pod(object).findValuesAsText("image").forEach(images::add));
    }
    assertThat(images).isNotEmpty().allMatch(image -> image.startsWith("registry.example.org/"));
  }
}
