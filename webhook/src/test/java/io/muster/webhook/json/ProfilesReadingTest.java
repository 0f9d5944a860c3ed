package io.muster.webhook.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Profiles as teams write them; what is wrong with them is said by field. */
final class ProfilesReadingTest {

  private static final ProfilesReading READING =
      new ProfilesReading(Set.of("default-scheduler", "muster-scheduler"));
  private static final String FENCE = "```yaml\n";
  private static final Path DOCUMENT = Path.of("..", "deploy", "docs", "profiles.md");

  private static List<String> problems(String yaml) {
    var refusal = catchThrowableOfType(InvalidProfilesException.class, () -> READING.read(yaml));
    assertThat(refusal).as(yaml).isNotNull();
    return refusal.problems();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{name: X}|profiles[0].name is \"X\"; it must be a word of a-z, 0-9 and -",
        "{nam: x}|profiles[0] must be a map with a name",
        "{name: x, env: {}}|profile x: env must be a list",
        "{name: x, env: [{name: A}]}|profile x: env[0] must have a name, and either value or"
            + " valueFrom",
        "{name: x, env: [{name: A, value: 1}]}|profile x: env[0].value must be text, in quotes if"
            + " it looks like a number; it must be text",
        "{name: x, env: [{name: NODE_RANK, value: '1'}]}|profile x: env[0].name is \"NODE_RANK\";"
            + " it must be a variable's name, and none of those by which gangs meet or devices are"
            + " handed out",
        "{name: x, env: [{name: A, value: a}, {name: A, value: b}]}|profile x: env[1] sets A a"
            + " second time",
        "{name: x, volumes: [{name: a}]}|profile x: volumes[0] must have a name and one source, as"
            + " core/v1 writes a volume",
        "{name: x, mounts: [{name: a, mountPath: /a}]}|profile x: mounts[0].name must be the name"
            + " of a volume of this profile",
        "{name: x, resources: {nvidia.com/gpu: 1}}|profile x: resources[\"nvidia.com/gpu\"] has a"
            + " key that must be the name of an extended resource, and no accelerator",
        "{name: x, resources: {rdma/hca: 0}}|profile x: resources[\"rdma/hca\"] is \"0\"; it must"
            + " be a whole number above 0",
        "{name: x, requestsPerDevice: {disk: 1}}|profile x: requestsPerDevice[\"disk\"] has a key"
            + " that must be cpu or memory",
        "{name: x, capabilities: [ALL]}|profile x: capabilities[0] is \"ALL\"; it must be one"
            + " capability, like IPC_LOCK",
        "{name: x, annotations: {muster.io/injected: a}}|profile x:"
            + " annotations[\"muster.io/injected\"] has a key that must be a key as labels have,"
            + " and not one of muster.io",
        "{name: x, tolerations: 'yes'}|profile x: tolerations must be true or false",
        "{name: x, terminationGracePeriodSeconds: 0}|profile x: terminationGracePeriodSeconds must"
            + " be a whole number from 1 to 3600",
        "{name: x, shmMaximum: 64Qi}|profile x: shmMaximum is \"64Qi\"; it must be a quantity above"
            + " 0 and up to 4Ti, like 64Gi",
        "{name: x, match: {}}|profile x: match must state podLabels, namespaces, nodeSelector or"
            + " resourceClaims; what every pod is to get goes into the profile default",
        "{name: default, match: {namespaces: [a]}}|profile default: match must be left out: every"
            + " pod gets this profile",
        "{name: x, match: {pods: {}}}|profile x: match.pods is not known; there are namespaces,"
            + " nodeSelector, podLabels, resourceClaims"
      })
  void whatIsWrongIsSaidByField(String profile, String problem) {
    assertThat(problems("profiles: [" + profile + "]")).contains(problem);
  }

  @Test
  void allMistakesAreToldAtOnce() {
    assertThat(problems("{profiles: [{name: x, tolerations: 1, optional: 2}], more: 3}"))
        .containsExactlyInAnyOrder(
            "more is not known; there are profiles",
            "profile x: tolerations must be true or false",
            "profile x: optional must be true or false");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "profiles: [",
        "profiles: [{name: x, name: y}]",
        "a: &a [*a]",
        "\t",
        "profiles: {}",
        "[]"
      })
  void whatIsNoDocumentIsRefused(String yaml) {
    assertThat(problems(yaml)).isNotEmpty();
  }

  @Test
  void twoProfilesOfOneNameAreRefused() {
    assertThat(problems("profiles: [{name: x}, {name: x}]"))
        .contains("profiles[1] has the name \"x\" of another profile");
  }

  @Test
  void aKeyThatIsWrittenReplacesThatOfTheBuiltInProfile() throws Exception {
    var changed = READING.read("profiles: [{name: default, shmMaximum: 1Gi}]");
    assertThat(changed.names()).isEqualTo(READING.defaults().names());
    assertThat(changed.hash()).isNotEqualTo(READING.defaults().hash());
    assertThat(READING.read("profiles: [{name: default, shmMaximum: 64Gi}]").hash())
        .as("what is written is what was there")
        .isEqualTo(READING.defaults().hash());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "profiles: []", "# nothing"})
  void aDocumentThatSaysNothingChangesNothing(String yaml) throws Exception {
    assertThat(READING.read(yaml).hash()).isEqualTo(READING.defaults().hash());
  }

  @Test
  void anotherSetOfSchedulersIsAnotherSetOfRules() {
    assertThat(new ProfilesReading(Set.of("mine")).defaults().hash())
        .isNotEqualTo(READING.defaults().hash());
  }

  @Test
  void theExampleOfTheDocumentIsReadWithoutAMistake() throws Exception {
    var document = new YAMLMapper().readTree(example()).path("data").path("profiles.yaml").asText();
    assertThat(READING.read(document).names()).contains("infiniband", "rail-only", "speech");
  }

  @Test
  void theDocumentShowsTheBuiltInProfiles() throws IOException {
    var document = Files.readString(DOCUMENT);
    int begin = document.lastIndexOf(FENCE) + FENCE.length();
    var expected = document.substring(0, begin) + ProfilesReading.builtInText() + "```\n";
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertThat(DOCUMENT).content().isEqualTo(expected);
  }

  @Test
  void anAliasIsNotTakenForItsName() {
    var yaml =
        """
        profiles:
        - name: x
          env:
          - {name: A, value: &value "=eth0"}
          - {name: B, value: *value}
        """;

    assertThat(problems(yaml))
        .containsExactly("line 5: an alias, *value: write out what it stands for");
  }

  /** The ConfigMap that the document shows first. */
  private static String example() throws IOException {
    var text = Files.readString(DOCUMENT);
    int begin = text.indexOf(FENCE) + FENCE.length();
    return text.substring(begin, text.indexOf("```", begin));
  }
}
