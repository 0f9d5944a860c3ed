package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MalformedRequestsTest {

  private static final String UNCHECKED =
      "/mutate/pods/refused-until-muster-is-back/or-run-muster-release-all";

  private static final Reviewer REVIEWER = new Reviewer();

  @AfterAll
  static void stop() {
    REVIEWER.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{|the body is no JSON: line 1, column 2",
        "nonsense|the body is no JSON: line 1, column 1",
        "{} {}|the body is no JSON: line 1, column 4",
        "``|apiVersion and kind are not those of an AdmissionReview of admission.k8s.io/v1",
        "[]|apiVersion and kind are not those of an AdmissionReview of admission.k8s.io/v1",
        "{\"apiVersion\":\"admission.k8s.io/v1beta1\",\"kind\":\"AdmissionReview\"}"
            + "|apiVersion and kind are not those of an AdmissionReview of admission.k8s.io/v1",
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\"}"
            + "|request.uid is missing, or is no string",
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{}}"
            + "|request.uid is missing, or is no string",
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":7}}"
            + "|request.uid is missing, or is no string"
      })
  void whatIsNoReviewIsRefusedInOneSentence(String body, String sentence) throws Exception {
    var response = REVIEWER.post(body);

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(response.body()).isEqualTo("{\"error\":\"" + sentence + "\"}");
  }

  @Test
  void nestingWithoutEndIsRefused() throws Exception {
    assertThat(REVIEWER.post("[".repeat(200_000)).statusCode()).isEqualTo(400);
  }

  @Test
  void aRequestWithoutObjectIsRefused() throws Exception {
    var request = Reviewer.request(Reviewer.JSON.nullNode());

    var response = REVIEWER.post(request.toString());

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).isEqualTo("{\"error\":\"request.object is missing\"}");
  }

  /** As the API server writes them before it finds out that they may not be so. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{spec: {containers: null}}",
        "{metadata: {name: p}, spec: {containers: null, initContainers: null}}",
        "{metadata: {name: p}, spec: {containers: [], schedulingGates: [{name: null}]}}",
        "{metadata: {name: p}, spec: {containers: [], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: null}}}}}"
      })
  void whatIsNullIsEmpty(String pod) throws Exception {
    var sent = (ObjectNode) pod(pod);
    sent.withObject("/metadata/annotations").put("muster.io/gang-name", "g");

    var response = REVIEWER.review(sent);

    assertThat(response.path("status").path("code").asInt(200)).isNotEqualTo(500);
  }

  @Test
  void anObjectThatIsNoPodIsRefusedWithItsField() throws Exception {
    var response = REVIEWER.post(Reviewer.request(pod("{spec: {containers: 7}}")).toString());

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body())
        .isEqualTo("{\"error\":\"spec.containers has another form than the API gives it\"}");
  }

  @Test
  void aBodyBeyondTheLimitIsRefused() throws Exception {
    var pod = (ObjectNode) pod(Pods.GANG_OF_KOORDINATOR);
    ((ObjectNode) pod.path("metadata").path("annotations")).put("big", "x".repeat(3 << 20));
    assertThat(REVIEWER.post(Reviewer.request(pod).toString()).statusCode()).isEqualTo(200);

    ((ObjectNode) pod.path("metadata").path("annotations")).put("big", "x".repeat(4 << 20));
    var response = REVIEWER.post(Reviewer.request(pod).toString());

    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(response.body()).isEqualTo("{\"error\":\"the body is longer than 4 MiB\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{metadata: {name: p}, spec: {containers: [null]}} | spec.containers[0]",
        "{metadata: {name: p}, spec: {containers: []}, status: {conditions: [null]}}"
            + " | status.conditions[0]"
      })
  void aNullInAListIsRefusedWithItsField(String object, String field) throws Exception {
    var request = Reviewer.request(pod(object));

    var response = REVIEWER.post(request.toString());

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).isEqualTo("{\"error\":\"%s is null\"}", field);
  }

  @Test
  void aFaultOfOursRefusesAGangsPodWithoutDetails() throws Exception {
    try (var reviewer = new Reviewer(true, MalformedRequestsTest::fault)) {
      var response = reviewer.review(pod(Pods.GANG_OF_KOORDINATOR));

      assertThat(response.path("allowed").asBoolean()).isFalse();
      assertThat(response.path("status").path("code").asInt()).isEqualTo(500);
      assertThat(response.path("status").path("message").asText())
          .isEqualTo("Muster could not check this pod of a gang; try again");
    }
  }

  @Test
  void aFaultOfOursLetsAnyOtherPodPass() throws Exception {
    try (var reviewer = new Reviewer(true, MalformedRequestsTest::fault)) {
      var response = reviewer.review(pod("{metadata: {name: p}, spec: {containers: []}}"));

      assertThat(response.path("allowed").asBoolean()).isTrue();
      assertThat(response.has("patch")).isFalse();
    }
  }

  @Test
  void aFaultOfOursRefusesAnyPodThatMayNotBeStoredUnchecked() throws Exception {
    try (var reviewer = new Reviewer(true, MalformedRequestsTest::fault)) {
      var response =
          reviewer.review(UNCHECKED, pod("{metadata: {name: p}, spec: {containers: []}}"));

      assertThat(response.path("status").path("code").asInt()).isEqualTo(500);
      assertThat(response.path("status").path("message").asText())
          .isEqualTo("Muster could not check this pod; try again");
    }
  }

  @Test
  void aPodThatMayNotBeStoredUncheckedIsRefusedWithMoreContainersThanAreLookedInto()
      throws Exception {
    var containers = IntStream.range(0, 201).mapToObj("{name: c%d}"::formatted);
    var pod =
        pod(
            "{metadata: {name: p}, spec: {containers: [%s]}}"
                .formatted(containers.collect(Collectors.joining(","))));

    assertThat(REVIEWER.review(pod).path("allowed").asBoolean()).isTrue();
    var response = REVIEWER.review(UNCHECKED, pod);
    assertThat(response.path("status").path("code").asInt()).isEqualTo(422);
    assertThat(response.path("status").path("message").asText())
        .isEqualTo(
            "spec.containers and spec.initContainers have 201 entries in all; a pod that is not to"
                + " be without Muster's defaults may have at most 200");
  }

  private static Map<String, String> fault(String namespace) {
    throw new IllegalStateException("a fault about " + namespace);
  }
}
