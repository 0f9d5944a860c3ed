package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.Admission.Allowed;
import io.muster.webhook.core.Admission.Denied;
import io.muster.webhook.json.PatchJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a pod costs grows with its containers and variables and no faster, up to a bound. */
final class PodSizeTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST = 200;

  private static ObjectNode pod(boolean isMember, int containers, int variables) {
    var pod = JSON.createObjectNode();
    var annotations = pod.putObject("metadata").put("name", "p").putObject("annotations");
    if (isMember) {
      annotations.put("muster.io/gang-name", "a").put("muster.io/gang-min", "2");
      annotations.put("muster.io/rendezvous-profile", "torchrun-elastic");
    }
    var spec = pod.putObject("spec");
    for (int i = 0; i < containers; i++) {
      var container = spec.withArray(i % 4 == 3 ? "/initContainers" : "/containers").addObject();
      container.put("name", "c%03d".formatted(i));
      if (i % 2 == 0) {
        container.putObject("resources").putObject("limits").put("nvidia.com/gpu", 1);
      }
      for (int v = 0; v < variables; v++) {
        container.withArray("/env").addObject().put("name", "V%03d".formatted(v)).put("value", "x");
      }
    }
    return pod;
  }

  private static Allowed admitted(JsonNode pod) {
    return (Allowed) Fixture.admit(pod);
  }

  private static int bytes(JsonNode pod) {
    return PatchJson.of(admitted(pod).patch()).toString().length();
  }

  private static int steps(JsonNode pod) {
    return admitted(pod).patch().size();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4})
  void thePatchGrowsWithTheNumberOfContainers(int variables) {
    int once = steps(pod(true, 40, variables));
    int twice = steps(pod(true, 80, variables));
    int fourfold = steps(pod(true, 160, variables));

    assertThat(fourfold - twice).isEqualTo(2 * (twice - once));
    assertThat(twice - once).as("steps for 40 containers").isLessThanOrEqualTo(40 * 4);
  }

  @Test
  void thePatchGrowsAsThePodDoes() {
    int once = bytes(pod(true, 40, 4));
    int twice = bytes(pod(true, 80, 4));
    int fourfold = bytes(pod(true, 160, 4));

    // Indexes of three digits make for a few bytes more.
    assertThat(fourfold - twice).isCloseTo(2 * (twice - once), within(500));
  }

  /** The list of a container is written once, whatever becomes of it. */
  @Test
  void theVariablesOfAContainerAreOneStep() {
    var patch = PatchJson.of(admitted(pod(true, MOST, 3)).patch());

    assertThat(patch.findValuesAsText("path").stream().filter(path -> path.contains("/env")))
        .hasSize(MOST)
        .allMatch(path -> path.endsWith("/env"));
  }

  @Test
  void thePatchGrowsWithTheNumberOfVariables() {
    int once = bytes(pod(true, 4, 100));
    int twice = bytes(pod(true, 4, 200));
    int fourfold = bytes(pod(true, 4, 400));

    assertThat(fourfold - twice).isEqualTo(2 * (twice - once));
    assertThat(steps(pod(true, 4, 400))).isEqualTo(steps(pod(true, 4, 100)));
  }

  @Test
  void aMemberWithMoreContainersThanTheBoundIsRefused() {
    assertThat(Fixture.admit(pod(true, MOST, 0))).isInstanceOf(Allowed.class);
    assertThat(Fixture.admit(pod(true, MOST + 1, 0)))
        .isEqualTo(
            new Denied(
                422,
                "gang \"ml/a\": spec.containers and spec.initContainers have 201 entries in all; a"
                    + " member may have at most 200"));
  }

  @Test
  void anyOtherPodWithMoreContainersThanTheBoundPassesAsItIs() {
    assertThat(admitted(pod(false, MOST, 0)).patch()).isNotEmpty();
    var passed = admitted(pod(false, MOST + 1, 0));

    assertThat(passed.patch()).isEmpty();
    assertThat(passed.edits()).isEmpty();
    assertThat(passed.warnings())
        .containsExactly(
            "spec.containers and spec.initContainers have 201 entries in all; Muster changes no pod"
                + " with more than 200");
  }

  /** What is refused for its length is not looked into: not even what is wrong with it is found. */
  @Test
  void containersBeyondTheBoundAreNotRead() {
    var pod = pod(true, 3_000, 0);
    ((ObjectNode) pod.at("/spec/containers/0")).putArray("env").addNull();

    Admission refused = Fixture.admit(pod);

    assertThat(refused).isInstanceOf(Denied.class);
    assertThat(((Denied) refused).message()).contains("have 3000 entries in all");
  }

  /** Names that the API server refuses are longest here: it looks at them only afterwards. */
  private static ObjectNode hosted(int containers, String subdomain, String profile, int min) {
    var pod = pod(true, containers, 0);
    var annotations = (ObjectNode) pod.at("/metadata/annotations");
    annotations.put("muster.io/rendezvous-profile", profile).put("muster.io/gang-min", "" + min);
    annotations.put("muster.io/gang-index", "0");
    ((ObjectNode) pod.at("/spec")).put("hostname", "w-0").put("subdomain", subdomain);
    return pod;
  }

  @Test
  void aPodThatGetsMoreThanIsStoredOfAnyPodIsRefused() {
    assertThat(Fixture.admit(hosted(MOST, "s".repeat(63), "torchrun-static", 2)))
        .isInstanceOf(Allowed.class);
    assertThat(Fixture.admit(hosted(MOST, "s".repeat(100_000), "torchrun-static", 2)))
        .isEqualTo(
            new Denied(
                422,
                "what Muster adds to the pod's containers is longer than the 1.5 MiB that the API"
                    + " server stores of a pod; use fewer containers, or shorter names of hosts and"
                    + " jobs"));
  }

  @ParameterizedTest
  @CsvSource({"1800, 63", "5000, 3000"})
  void aListOfWorkersWithWhichNoContainerStartsIsLeftOut(int members, int subdomain) {
    var fits = hosted(4, "s".repeat(63), "tensorflow", 1_500);
    assertThat(Fixture.patched(fits, admitted(fits)).toString()).contains("TF_CONFIG");

    var pod = hosted(4, "s".repeat(subdomain), "tensorflow", members);
    assertThat(Fixture.patched(pod, admitted(pod)).toString()).doesNotContain("TF_CONFIG");
    assertThat(admitted(pod).warnings())
        .contains(
            "muster.io/rendezvous-profile tensorflow: no TF_CONFIG, since a list of "
                + members
                + " workers is longer than Linux lets a variable be (128 KiB)");
  }

  @Test
  void noWarningIsLongWhateverContainersAreCalled() {
    var pod = hosted(1, "s", "torchrun-static", 2);
    var container = (ObjectNode) pod.at("/spec/containers/0");
    container.put("name", "c".repeat(100_000));
    for (var name : new String[] {"NODE_NUM", "GANG_MIN", "PET_NNODES", "MASTER_ADDR"}) {
      container.withArray("/env").addObject().put("name", name).put("value", "mine");
    }

    assertThat(admitted(pod).warnings())
        .hasSizeGreaterThan(0)
        .allMatch(warning -> warning.length() <= 1024);
  }
}
