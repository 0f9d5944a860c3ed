package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Birth;
import io.muster.webhook.port.BirthAdvice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AdmissionEndpointTest {

  private static final Reviewer STARTS = new Reviewer(BirthAdvice.NONE);
  private static final Reviewer WAITS = new Reviewer(pod -> new Birth.Gated());

  @AfterAll
  static void stop() {
    STARTS.close();
    WAITS.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        Pods.GANG_OF_KOORDINATOR,
        Pods.GANG_WITHOUT_GPU,
        Pods.GANG_BY_LABELS,
        Pods.COPIED_MANIFEST,
        Pods.GPU_WITHOUT_GANG,
        Pods.OTHER_SCHEDULER,
        Pods.GANG_OF_VOLCANO
      })
  void aSecondCallChangesNothing(String yaml) throws Exception {
    for (var reviewer : List.of(STARTS, WAITS)) {
      var once = reviewer.admitted(pod(yaml));

      assertThat(Reviewer.patch(reviewer.review(once))).isEmpty();
    }
  }

  @Test
  void aGateGoesWhenTheGangMayStart() throws Exception {
    var gated = WAITS.admitted(pod(Pods.GANG_OF_KOORDINATOR));

    assertThat(gated.path("spec").path("schedulingGates").toString())
        .isEqualTo("[{\"name\":\"muster.io/gang\"}]");
    assertThat(steps(STARTS.review(gated))).containsExactly("remove /spec/schedulingGates/0");
  }

  @Test
  void aMemberIsStampedAndGatedWhileItsGangMustWait() throws Exception {
    var response = WAITS.review(pod(Pods.GANG_OF_KOORDINATOR));

    assertThat(response.path("uid").asText()).isEqualTo("r-1");
    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(response.path("patchType").asText()).isEqualTo("JSONPatch");
    assertThat(response.has("warnings")).isFalse();
    assertThat(steps(response))
        .containsExactly(
            "add /metadata/annotations/muster.io~1gang-dialect \"koordinator\"",
            "add /metadata/labels {}",
            "add /metadata/labels/muster.io~1member \"true\"",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
            "add /spec/schedulingGates []",
            "add /spec/schedulingGates/- {\"name\":\"muster.io/gang\"}");
  }

  @Test
  void aMemberWithoutAcceleratorGetsTheMarkerInItsFirstContainer() throws Exception {
    assertThat(steps(STARTS.review(pod(Pods.GANG_WITHOUT_GPU))))
        .containsExactly(
            "add /metadata/annotations/muster.io~1gang-dialect \"muster\"",
            "add /metadata/labels {}",
            "add /metadata/labels/muster.io~1member \"true\"",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
            "add /spec/containers/0/resources/requests/muster.io~1gang-member \"1\"",
            "add /spec/containers/0/resources/limits {}",
            "add /spec/containers/0/resources/limits/muster.io~1gang-member \"1\"");
  }

  /** Such a kube-scheduler would look for a node that offers the marker. */
  @Test
  void nobodyIsMarkedForAKubeSchedulerThatAsksAboutNobody() throws Exception {
    try (var reviewer = new Reviewer(_ -> new Birth.Gated(), false)) {
      assertThat(steps(reviewer.review(pod(Pods.GANG_WITHOUT_GPU))))
          .contains("add /spec/schedulingGates/- {\"name\":\"muster.io/gang\"}")
          .noneMatch(step -> step.contains("gang-member"));
    }
  }

  @Test
  void anAcceleratorOfAnInitContainerMakesTheMarkerNeedless() throws Exception {
    assertThat(steps(STARTS.review(pod(Pods.GANG_BY_LABELS))))
        .containsExactly(
            "add /metadata/annotations {}",
            "add /metadata/annotations/muster.io~1gang-dialect \"koordinator\"",
            "add /metadata/labels/muster.io~1member \"true\"",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
            "add /spec/initContainers/0/resources/limits {}",
            "add /spec/initContainers/0/resources/limits/nvidia.com~1gpu \"1\"");
  }

  @Test
  void whatACopiedManifestSaysIsRecomputed() throws Exception {
    assertThat(steps(STARTS.review(pod(Pods.COPIED_MANIFEST))))
        .containsExactly(
            "add /metadata/annotations/muster.io~1gang-dialect \"muster\"",
            "add /metadata/labels {}",
            "add /metadata/labels/muster.io~1member \"true\"",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
            "remove /spec/schedulingGates/1",
            "add /spec/containers/1/resources/limits {}",
            "add /spec/containers/1/resources/limits/muster.io~1gang-member \"1\"");
  }

  @Test
  void whoIsNoMemberLosesTheLabelOfOne() throws Exception {
    var pod =
        pod(
            """
            metadata: {name: p, labels: {muster.io/member: "true"}}
            spec: {schedulerName: default-scheduler, containers: [{name: main, resources: {limits: {nvidia.com/gpu: "1"}}}]}
            """);

    assertThat(steps(STARTS.review(pod))).contains("remove /metadata/labels/muster.io~1member");
  }

  @Test
  void missingParentsAreMadeOnce() throws Exception {
    var pod =
        pod(
            """
            metadata: {name: p, annotations: {muster.io/gang-name: a, muster.io/gang-min: "2"}}
            spec: {schedulerName: default-scheduler, containers: [{name: main}]}
            """);

    assertThat(steps(STARTS.review(pod)).subList(4, 9))
        .containsExactly(
            "add /spec/containers/0/resources {}",
            "add /spec/containers/0/resources/requests {}",
            "add /spec/containers/0/resources/requests/muster.io~1gang-member \"1\"",
            "add /spec/containers/0/resources/limits {}",
            "add /spec/containers/0/resources/limits/muster.io~1gang-member \"1\"");
  }

  @Test
  void aSingleGpuPodIsStampedAndGetsTheLimitItLacks() throws Exception {
    assertThat(steps(WAITS.review(pod(Pods.GPU_WITHOUT_GANG))))
        .containsExactly(
            "add /metadata/annotations {}",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
            "add /spec/containers/0/resources/limits {}",
            "add /spec/containers/0/resources/limits/nvidia.com~1gpu \"2\"");
  }

  @Test
  void aGateOfOursOnAPodWithoutGangIsTakenOff() throws Exception {
    var pod = (ObjectNode) pod(Pods.GPU_WITHOUT_GANG);
    ((ObjectNode) pod.path("spec"))
        .putArray("schedulingGates")
        .addObject()
        .put("name", "muster.io/gang");

    assertThat(steps(WAITS.review(pod))).contains("remove /spec/schedulingGates/0");
  }

  @Test
  void podsThatOthersServeStayAsTheyAre() throws Exception {
    assertThat(WAITS.review(pod(Pods.OTHER_SCHEDULER))).isEqualTo(allowedUnchanged());
  }

  /** How many they are stands in an object that the webhook does not read. */
  @Test
  void aMemberOfAPodGroupIsGatedAndGetsNoVariables() throws Exception {
    var stored = WAITS.admitted(pod(Pods.GANG_OF_VOLCANO));

    assertThat(steps(WAITS.review(pod(Pods.GANG_OF_VOLCANO))))
        .contains(
            "add /metadata/annotations/muster.io~1gang-dialect \"volcano\"",
            "add /spec/schedulingGates/- {\"name\":\"muster.io/gang\"}",
            "add /spec/containers/0/resources/requests/muster.io~1gang-member \"1\"");
    assertThat(stored.path("spec").path("containers").path(0).has("env")).isFalse();
  }

  @Test
  void podsOfTheClustersOwnGangsStayAsTheyAre() throws Exception {
    var pod = (ObjectNode) pod(Pods.GANG_OF_KOORDINATOR);
    ((ObjectNode) pod.path("spec")).putObject("schedulingGroup").put("podGroupName", "g");

    assertThat(WAITS.review(pod)).isEqualTo(allowedUnchanged());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name: a|gang \"ml/a\": no minimum size; set muster.io/gang-min to the fewest members that"
            + " may start",
        "name: a, muster.io/gang-min: four|gang \"ml/a\": muster.io/gang-min is \"four\"; it must"
            + " be an integer from 1 to 5000",
        "name: a, muster.io/gang-min: \"0\"|gang \"ml/a\": muster.io/gang-min is \"0\"; it must"
            + " be an integer from 1 to 5000",
        "name: a, muster.io/gang-min: \"5001\"|gang \"ml/a\": muster.io/gang-min is \"5001\"; it"
            + " must be an integer from 1 to 5000",
        "name: a, muster.io/gang-min: \"1\", muster.io/gang-groups: '[\"ml/a\",\"b/b\"]'|gang"
            + " \"ml/a\": muster.io/gang-groups names \"b/b\"; gangs that start together must be in"
            + " one namespace"
      },
      quoteCharacter = '`')
  void termsThatCannotBeHonouredAreRefusedWithTheRemedy(String annotations, String message)
      throws Exception {
    var yaml =
        "{metadata: {annotations: {muster.io/gang-"
            + annotations
            + "}}, spec: {containers: [{name: m}]}}";

    var response = STARTS.review(pod(yaml));

    assertThat(response.path("allowed").asBoolean()).isFalse();
    assertThat(response.path("status").path("code").asInt()).isEqualTo(422);
    assertThat(response.path("status").path("message").asText()).isEqualTo(message);
    assertThat(response.has("patch")).isFalse();
  }

  @Test
  void ignoredValuesAreWarnedAbout() throws Exception {
    var pod = (ObjectNode) pod(Pods.GANG_OF_KOORDINATOR);
    ((ObjectNode) pod.path("metadata").path("annotations"))
        .put("gang.scheduling.koordinator.sh/mode", "strict");

    assertThat(STARTS.review(pod).path("warnings"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "gang.scheduling.koordinator.sh/mode: \"strict\" is neither Strict nor NonStrict;"
                + " Strict is used");
  }

  @Test
  void termsWithoutANameAreWarnedAbout() throws Exception {
    var yaml = "{metadata: {annotations: {muster.io/gang-min: '2'}}, spec: {containers: []}}";

    assertThat(STARTS.review(pod(yaml)).path("warnings"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "muster.io/gang-min is set, but no gang is named: set muster.io/gang-name, or the pod"
                + " starts alone");
  }

  @Test
  void adviceSeesThePodAsItWillBe() throws Exception {
    var asked = new ArrayList<Pod>();
    BirthAdvice noting =
        pod -> {
          asked.add(pod);
          return new Birth.Free();
        };
    try (var reviewer = new Reviewer(noting)) {
      reviewer.review(pod(Pods.GANG_OF_KOORDINATOR));
    }

    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst().key().namespace()).isEqualTo("ml");
    assertThat(asked.getFirst().key().name()).isEmpty();
    assertThat(asked.getFirst().origin().createdAt())
        .isEqualTo(Instant.parse("2026-02-03T04:05:06Z"));
    assertThat(asked.getFirst().demand().requests().of("nvidia.com/gpu")).isEqualTo(1);
    assertThat(asked.getFirst().demand().tolerations())
        .as("what is injected decides where the member fits")
        .anyMatch(toleration -> toleration.key().equals("nvidia.com/gpu"));
  }

  @Test
  void failingAdviceGatesNobody() throws Exception {
    BirthAdvice failing =
        pod -> {
          throw new IllegalStateException("cold");
        };
    try (var reviewer = new Reviewer(failing)) {
      assertThat(steps(reviewer.review(pod(Pods.GANG_OF_KOORDINATOR))))
          .hasSize(4)
          .noneMatch(step -> step.contains("schedulingGates"));
    }
  }

  @Test
  void aDryRunIsAnsweredWithoutAskingForAPlace() throws Exception {
    var request = Reviewer.request(pod(Pods.GANG_OF_KOORDINATOR));
    var answer = STARTS.post(request.toString()).body();
    ((ObjectNode) request.path("request")).put("dryRun", true);

    assertThat(WAITS.post(request.toString()).body()).isEqualTo(answer);
  }

  @ParameterizedTest
  @CsvSource({"operation, UPDATE", "operation, DELETE", "subResource, binding"})
  void onlyPodsBeingCreatedAreLookedAt(String field, String value) throws Exception {
    var request = Reviewer.request(pod(Pods.GANG_OF_KOORDINATOR));
    ((ObjectNode) request.path("request")).put(field, value);

    assertThat(Reviewer.JSON.readTree(WAITS.post(request.toString()).body()).path("response"))
        .isEqualTo(allowedUnchanged());
  }

  private static ObjectNode allowedUnchanged() {
    return Reviewer.JSON.createObjectNode().put("uid", "r-1").put("allowed", true);
  }

  /** The steps that marks, gates and resources need; what else is put in, the fixtures show. */
  private static List<String> steps(JsonNode response) throws Exception {
    var steps = new ArrayList<String>();
    for (var step : Reviewer.patch(response)) {
      if (!step.path("path")
          .asText()
          .matches("/metadata/.*|/spec/schedulingGates.*|.*/resources.*")) {
        continue;
      }
      var text = step.path("op").asText() + " " + step.path("path").asText();
      var value = step.has("value") ? " " + step.path("value") : "";
      steps.add(text + value.replaceAll("@[0-9a-f]{8}", "@STAMP"));
    }
    return steps;
  }
}
