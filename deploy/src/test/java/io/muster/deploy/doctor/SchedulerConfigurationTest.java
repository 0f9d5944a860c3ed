package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.deploy.config.Config;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SchedulerConfigurationTest {

  private static final int MANY = 101;

  /** Where Service muster-extender is reached. */
  private static final List<String> SERVICE = List.of("10.96.3.4:9443");

  private static final String ADDRESS = "scheduler.address";

  private static ObjectNode shipped(String name) {
    try {
      return (ObjectNode) new YAMLMapper().readTree(Path.of("scheduler", name).toFile());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Finding> findings(JsonNode document, int nodes, String... settings) {
    var environment =
        settings.length == 0
            ? Map.<String, String>of()
            : Map.of("MUSTER_CFG_" + settings[0], settings[1]);
    var config = Config.load(Optional.empty(), environment);
    return new SchedulerConfiguration("the file", document, config, nodes, SERVICE).findings();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shared-scheduler.yaml", "second-scheduler.yaml"})
  void whatIsShippedIsRight(String name) {
    var findings = findings(shipped(name), MANY);

    assertThat(findings).hasSizeGreaterThanOrEqualTo(5);
    assertThat(findings).noneMatch(Finding::isProblem);
  }

  /** As scheduler-config writes it: by the IP of the Service, which a static pod can reach. */
  @Test
  void anAddressWithoutMustersNameIsKnownByTheCertificate() {
    var second = shipped("second-scheduler.yaml");
    extender(second).put("urlPrefix", "https://10.96.3.4:9443/v1");

    assertThat(findings(second, MANY)).noneMatch(Finding::isProblem);
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake("extender", "asks no Muster", file -> file.remove("extenders")),
        mistake("extender", "filterVerb", file -> extender(file).remove("filterVerb")),
        mistake("extender", "bindVerb", file -> extender(file).put("bindVerb", "")),
        mistake("extender", "nodeCacheCapable", file -> extender(file).remove("nodeCacheCapable")),
        mistake("extender", "ignorable", file -> extender(file).put("ignorable", true)),
        mistake("extender", "enableHTTPS", file -> extender(file).remove("enableHTTPS")),
        mistake(
            "managed-resources",
            "every single pod",
            file -> extender(file).remove("managedResources")),
        mistake("managed-resources", "amd.com/gpu", file -> without(file, "amd.com/gpu")),
        mistake(
            "managed-resources",
            "members without devices",
            file -> without(file, "muster.io/gang-member")),
        mistake(
            "managed-resources",
            "does not count nvidia.com/gpu",
            file -> resource(file, "nvidia.com/gpu").put("ignoredByScheduler", true)),
        mistake(
            "managed-resources",
            "members without devices",
            file -> resource(file, "muster.io/gang-member").remove("ignoredByScheduler")),
        mistake("http-timeout", "5s, the default", file -> extender(file).remove("httpTimeout")),
        mistake("http-timeout", "after 20s", file -> extender(file).put("httpTimeout", "20s")),
        mistake("pod-max-backoff", "up to 60s", file -> file.put("podMaxBackoffSeconds", 60)),
        mistake(
            "node-sampling", "a sample of 101", file -> file.remove("percentageOfNodesToScore")));
  }

  private static Arguments mistake(String part, String said, Consumer<ObjectNode> made) {
    return Arguments.of(part, said, made);
  }

  private static ObjectNode extender(ObjectNode file) {
    return (ObjectNode) file.withArray("extenders").get(0);
  }

  private static ObjectNode resource(ObjectNode file, String name) {
    for (var entry : extender(file).withArray("managedResources")) {
      if (entry.path("name").asText().equals(name)) {
        return (ObjectNode) entry;
      }
    }
    throw new AssertionError(name);
  }

  private static void without(ObjectNode file, String name) {
    ArrayNode entries = extender(file).withArray("managedResources");
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).path("name").asText().equals(name)) {
        entries.remove(i);
        return;
      }
    }
    throw new AssertionError(name);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("mistakes")
  void eachMistakeIsNamedWithItsRemedy(String part, String said, Consumer<ObjectNode> made) {
    var file = shipped("shared-scheduler.yaml");
    made.accept(file);

    var problems = findings(file, MANY).stream().filter(Finding::isProblem).toList();

    assertThat(problems).hasSize(1);
    assertThat(problems.getFirst().check()).isEqualTo("scheduler." + part);
    assertThat(problems.getFirst().evidence()).startsWith("the file ").contains(said);
    assertThat(problems.getFirst().remedy()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "https://10.96.3.4:9443/v1, false",
    "https://muster-extender.muster-system:9443/v1, false",
    "https://10.96.9.9:9443/v1, true",
    "https://10.96.3.4:9444/v1, true"
  })
  void anAddressThatIsNotTheServicesIsNamed(String url, boolean isNamed) {
    var file = shipped("shared-scheduler.yaml");
    extender(file).put("urlPrefix", url);

    assertThat(findings(file, MANY).stream().map(Finding::check).toList().contains(ADDRESS))
        .isEqualTo(isNamed);
  }

  @Test
  void aSchedulerOfItsOwnHasToIgnoreTheMarker() {
    var file = shipped("second-scheduler.yaml");
    ((ObjectNode) file.withArray("profiles").get(0)).remove("pluginConfig");

    assertThat(findings(file, MANY))
        .filteredOn(Finding::isProblem)
        .extracting(Finding::check)
        .containsExactly("scheduler.managed-resources");
  }

  @Test
  void aSmallClusterIsNotSampled() {
    var file = shipped("shared-scheduler.yaml");
    file.remove("percentageOfNodesToScore");

    assertThat(findings(file, MANY - 1)).noneMatch(Finding::isProblem);
  }

  @Test
  void aSchedulerOfOthersIsNoneOfMustersBusiness() {
    var file = shipped("shared-scheduler.yaml");
    file.remove("extenders");

    assertThat(findings(file, MANY, "SCHEDULERS", "muster-scheduler"))
        .singleElement()
        .returns(Finding.Outcome.OK, Finding::outcome);
  }

  @Test
  void nobodyNeedAskWhereMembersAreTied() {
    var file = shipped("shared-scheduler.yaml");
    file.remove("extenders");

    assertThat(findings(file, MANY, "PLACEMENT_MODE", "affinity")).noneMatch(Finding::isProblem);
  }

  @Test
  void anotherDocumentIsNoConfiguration() {
    assertThat(findings(new YAMLMapper().createObjectNode().put("kind", "Pod"), 1))
        .singleElement()
        .matches(Finding::isProblem);
  }
}
