package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AdmissionEndpointTest {

  private static final Reviewer REVIEWER = new Reviewer();

  @AfterAll
  static void stop() {
    REVIEWER.close();
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
    var once = REVIEWER.admitted(pod(yaml));

    assertThat(Reviewer.patch(REVIEWER.review(once))).isEmpty();
  }

  @Test
  void aMemberIsStampedAndGated() throws Exception {
    var response = REVIEWER.review(pod(Pods.GANG_OF_KOORDINATOR));

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
    assertThat(steps(REVIEWER.review(pod(Pods.GANG_WITHOUT_GPU))))
        .containsExactly(
            "add /metadata/annotations/muster.io~1gang-dialect \"muster\"",
            "add /metadata/labels {}",
            "add /metadata/labels/muster.io~1member \"true\"",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
            "add /spec/schedulingGates []",
            "add /spec/schedulingGates/- {\"name\":\"muster.io/gang\"}",
            "add /spec/containers/0/resources/requests/muster.io~1gang-member \"1\"",
            "add /spec/containers/0/resources/limits {}",
            "add /spec/containers/0/resources/limits/muster.io~1gang-member \"1\"");
  }

  /** Such a kube-scheduler would look for a node that offers the marker. */
  @Test
  void nobodyIsMarkedForAKubeSchedulerThatAsksAboutNobody() throws Exception {
    try (var reviewer = new Reviewer(false)) {
      assertThat(steps(reviewer.review(pod(Pods.GANG_WITHOUT_GPU))))
          .contains("add /spec/schedulingGates/- {\"name\":\"muster.io/gang\"}")
          .noneMatch(step -> step.contains("gang-member"));
    }
  }

  @Test
  void anAcceleratorOfAnInitContainerMakesTheMarkerNeedless() throws Exception {
    assertThat(steps(REVIEWER.review(pod(Pods.GANG_BY_LABELS))))
        .containsExactly(
            "add /metadata/annotations {}",
            "add /metadata/annotations/muster.io~1gang-dialect \"koordinator\"",
            "add /metadata/labels/muster.io~1member \"true\"",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
            "add /spec/schedulingGates []",
            "add /spec/schedulingGates/- {\"name\":\"muster.io/gang\"}",
            "add /spec/initContainers/0/resources/limits {}",
            "add /spec/initContainers/0/resources/limits/nvidia.com~1gpu \"1\"");
  }

  @Test
  void whatACopiedManifestSaysIsRecomputed() throws Exception {
    assertThat(steps(REVIEWER.review(pod(Pods.COPIED_MANIFEST))))
        .containsExactly(
            "add /metadata/annotations/muster.io~1gang-dialect \"muster\"",
            "add /metadata/labels {}",
            "add /metadata/labels/muster.io~1member \"true\"",
            "add /metadata/annotations/muster.io~1injected \"default@STAMP\"",
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

    assertThat(steps(REVIEWER.review(pod))).contains("remove /metadata/labels/muster.io~1member");
  }

  /** It is Muster's; a second call has nothing left of it to decide by. */
  @Test
  void whoIsNoMemberLosesTheLabelOfAServiceWithTheNameUnderIt() throws Exception {
    var pod =
        pod(
            """
            metadata: {name: p, labels: {muster.io/gang-service: muster-a}}
            spec: {schedulerName: default-scheduler, subdomain: muster-a, containers: [{name: main, resources: {limits: {nvidia.com/gpu: "1"}}}]}
            """);

    var once = REVIEWER.admitted(pod);

    assertThat(once.at("/metadata/labels")).isEmpty();
    assertThat(once.at("/spec/subdomain").isMissingNode()).isTrue();
    assertThat(REVIEWER.admitted(once)).isEqualTo(once);
  }

  @Test
  void aSubdomainOfTheUsersStaysAtASecondCall() throws Exception {
    var pod =
        pod(
            """
            metadata: {name: p, labels: {muster.io/gang-service: muster-a}}
            spec: {schedulerName: default-scheduler, subdomain: mine, containers: [{name: main, resources: {limits: {nvidia.com/gpu: "1"}}}]}
            """);

    var once = REVIEWER.admitted(pod);

    assertThat(once.at("/spec/subdomain").asText()).isEqualTo("mine");
    assertThat(REVIEWER.admitted(once)).isEqualTo(once);
  }

  @Test
  void missingParentsAreMadeOnce() throws Exception {
    var pod =
        pod(
            """
            metadata: {name: p, annotations: {muster.io/gang-name: a, muster.io/gang-min: "2"}}
            spec: {schedulerName: default-scheduler, containers: [{name: main}]}
            """);

    assertThat(steps(REVIEWER.review(pod)).subList(6, 11))
        .containsExactly(
            "add /spec/containers/0/resources {}",
            "add /spec/containers/0/resources/requests {}",
            "add /spec/containers/0/resources/requests/muster.io~1gang-member \"1\"",
            "add /spec/containers/0/resources/limits {}",
            "add /spec/containers/0/resources/limits/muster.io~1gang-member \"1\"");
  }

  @Test
  void aSingleGpuPodIsStampedAndGetsTheLimitItLacks() throws Exception {
    assertThat(steps(REVIEWER.review(pod(Pods.GPU_WITHOUT_GANG))))
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

    assertThat(steps(REVIEWER.review(pod))).contains("remove /spec/schedulingGates/0");
  }

  @Test
  void podsThatOthersServeStayAsTheyAre() throws Exception {
    assertThat(REVIEWER.review(pod(Pods.OTHER_SCHEDULER))).isEqualTo(allowedUnchanged());
  }

  /** How many they are stands in an object that the webhook does not read. */
  @Test
  void aMemberOfAPodGroupIsGatedAndGetsNoVariables() throws Exception {
    var stored = REVIEWER.admitted(pod(Pods.GANG_OF_VOLCANO));

    assertThat(steps(REVIEWER.review(pod(Pods.GANG_OF_VOLCANO))))
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

    assertThat(REVIEWER.review(pod)).isEqualTo(allowedUnchanged());
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

    var response = REVIEWER.review(pod(yaml));

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

    assertThat(REVIEWER.review(pod).path("warnings"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "gang.scheduling.koordinator.sh/mode: \"strict\" is neither Strict nor NonStrict;"
                + " Strict is used");
  }

  @Test
  void termsWithoutANameAreWarnedAbout() throws Exception {
    var yaml = "{metadata: {annotations: {muster.io/gang-min: '2'}}, spec: {containers: []}}";

    assertThat(REVIEWER.review(pod(yaml)).path("warnings"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "muster.io/gang-min is set, but no gang is named: set muster.io/gang-name, or the pod"
                + " starts alone");
  }

  @Test
  void anAnnotationAboutGangsThatIsNotKnownIsWarnedAbout() throws Exception {
    var yaml =
        "{metadata: {annotations: {muster.io/gang-name: g, muster.io/gang-min: '2',"
            + " muster.io/gang-totl: '3'}}, spec: {containers: []}}";

    assertThat(REVIEWER.review(pod(yaml)).path("warnings"))
        .extracting(JsonNode::asText)
        .singleElement()
        .asString()
        .startsWith(
            "muster.io/gang-totl is not known and has no effect; after muster.io/gang- come name,"
                + " min, total, index");
  }

  /** In a gang or not; what is right, or written by Muster, is no slip. */
  @Test
  void anAnnotationOfMustersThatIsNotKnownIsWarnedAbout() throws Exception {
    var yaml =
        "{metadata: {annotations: {muster.io/quueue: a, muster.io/run-time: 4h,"
            + " muster.io/controlled: 'true', muster.io/inject-shm: 'false', muster.io.other/x: a,"
            + " sandbox.muster.io/run-for: 6s}}, spec: {containers: []}}";

    assertThat(REVIEWER.review(pod(yaml)).path("warnings"))
        .extracting(JsonNode::asText)
        .singleElement()
        .asString()
        .startsWith(
            "muster.io/quueue is not known and has no effect; after muster.io/ come queue,"
                + " run-time, run-time-limit, checkpoint-every");
  }

  /** Its page on the board could not be opened: browsers take dots out of an address. */
  @ParameterizedTest
  @ValueSource(strings = {".", ".."})
  void aGangOfDotsIsRefused(String name) throws Exception {
    var yaml =
        "{metadata: {annotations: {muster.io/gang-min: '2', muster.io/gang-name: '"
            + name
            + "'}}, spec: {containers: []}}";

    var response = REVIEWER.review(pod(yaml));
    assertThat(response.path("allowed").asBoolean()).isFalse();
    assertThat(response.path("status").path("message").asText())
        .endsWith("the name of a gang cannot be . or .., which no address can end with");
  }

  @Test
  void aDryRunIsAnsweredAsAnyOther() throws Exception {
    var request = Reviewer.request(pod(Pods.GANG_OF_KOORDINATOR));
    var answer = REVIEWER.post(request.toString()).body();
    ((ObjectNode) request.path("request")).put("dryRun", true);

    assertThat(REVIEWER.post(request.toString()).body()).isEqualTo(answer);
  }

  @ParameterizedTest
  @CsvSource({"operation, UPDATE", "operation, DELETE", "subResource, binding"})
  void onlyPodsBeingCreatedAreLookedAt(String field, String value) throws Exception {
    var request = Reviewer.request(pod(Pods.GANG_OF_KOORDINATOR));
    ((ObjectNode) request.path("request")).put(field, value);

    assertThat(Reviewer.JSON.readTree(REVIEWER.post(request.toString()).body()).path("response"))
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
