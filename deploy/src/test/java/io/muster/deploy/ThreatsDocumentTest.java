package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What security teams read of Muster's account is what its rights are. */
final class ThreatsDocumentTest {

  private static final Path PAGE = Path.of("docs", "threats.md");
  private static final Set<String> READING = Set.of("get", "list", "watch");

  /** The page says of all kinds of jobs at once that their own objects can be written. */
  private static final Set<String> OF_JOBS =
      Set.of(
          "kai.alibabacloud.com",
          "elastic.iml.github.io",
          "diengine.opendilab.org",
          "paddlepaddle.org");

  /** Words for whatever may be done to a resource, but for reading. */
  private static final Map<String, String> WORDS =
      Map.ofEntries(
          Map.entry("pods create", "create pods"),
          Map.entry("pods patch", "change their metadata and images"),
          Map.entry("pods delete", "delete pods"),
          Map.entry("pods mark", ""),
          Map.entry("pods/status", "status"),
          Map.entry("pods/binding", "bind pods"),
          Map.entry("pods/exec", "run commands in pods"),
          Map.entry("events", "Events"),
          Map.entry("gangs", "Gangs"),
          Map.entry("gangs/status", "Gangs"),
          Map.entry("podgroups", "PodGroups"),
          Map.entry("computedomains", "ComputeDomains"),
          Map.entry("services create", "create Services"),
          Map.entry("services patch", "change and delete Services"),
          Map.entry("services delete", "delete Services"),
          Map.entry("mutatingwebhookconfigurations", "registrations for admission"),
          Map.entry("validatingadmissionpolicies", "registrations for admission"),
          Map.entry("validatingadmissionpolicybindings", "registrations for admission"),
          Map.entry("secrets", "create Secrets"),
          Map.entry("configmaps", "read and change ConfigMaps"),
          Map.entry("serviceaccounts", "accounts"),
          Map.entry("roles", "Roles"),
          Map.entry("rolebindings", "Roles"),
          Map.entry("tokenreviews", "learn whose a token is"),
          Map.entry("priorityclasses", "create PriorityClasses"));

  @ParameterizedTest
  @ValueSource(strings = {"muster.yml", "etoperator.yml", "dlrover.yml", "di.yml", "paddle.yml"})
  void saysWhatCanBeWrittenWithTheRightsOf(String file) throws IOException {
    var row =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| ") && line.contains("`" + file + "`"))
            .findFirst()
            .orElseThrow();
    var can = row.split(" \\| ", -1)[1];
    assertThat(missing(file, can)).isEmpty();
  }

  private static Set<String> missing(String file, String can) throws IOException {
    var missing = new TreeSet<String>();
    for (var rule : rules(file)) {
      // Objects of fixed names are Muster's own.
      if (rule.has("resourceNames") || OF_JOBS.contains(rule.path("apiGroups").path(0).asText())) {
        continue;
      }
      for (var resource : rule.path("resources")) {
        for (var verb : rule.path("verbs")) {
          var right = resource.asText() + " " + verb.asText();
          var words = WORDS.get(WORDS.containsKey(right) ? right : resource.asText());
          if (!READING.contains(verb.asText()) && (words == null || !can.contains(words))) {
            missing.add(right);
          }
        }
      }
    }
    return missing;
  }

  private static List<JsonNode> rules(String file) throws IOException {
    try (var documents =
        new YAMLMapper()
            .readerFor(JsonNode.class)
            .<JsonNode>readValues(Path.of("rbac", file).toFile())) {
      return documents.readAll().stream()
          .filter(document -> document.path("kind").asText().equals("ClusterRole"))
          .flatMap(document -> document.path("rules").valueStream())
          .toList();
    }
  }
}
