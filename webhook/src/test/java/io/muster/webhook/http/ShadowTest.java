package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Pods of a namespace that only looks on are never changed nor refused. */
final class ShadowTest {

  private static final Reviewer REVIEWER = new Reviewer();

  @AfterAll
  static void stop() {
    REVIEWER.close();
  }

  @Test
  void aMemberIsToldWhatWouldBeWritten() throws Exception {
    assertThat(told(Pods.GANG_WITHOUT_GPU))
        .containsExactly(
            "muster, in the shadow: would write metadata.annotations, metadata.labels,"
                + " spec.containers[0].env, spec.containers[0].resources, spec.containers[1].env,"
                + " spec.schedulingGates");
  }

  @Test
  void partsAreCalledByTheirWholeNames() throws Exception {
    assertThat(
            told(
                """
                metadata:
                  managedFields: [{manager: kubectl, operation: Update, apiVersion: v1}]
                  annotations: {muster.io/gang-name: a, muster.io/gang-min: "1"}
                spec: {containers: [{name: main}]}
                """))
        .singleElement()
        .asString()
        .contains("metadata.labels, metadata.managedFields, spec.");
  }

  @Test
  void aMemberThatWouldBeRefusedIsToldWhyAndPasses() throws Exception {
    assertThat(
            told(
                """
                metadata: {annotations: {muster.io/gang-name: a}}
                spec: {containers: [{name: main}]}
                """))
        .containsExactly(
            "muster, in the shadow: this pod would be refused: gang \"ml/a\": no minimum size; set"
                + " muster.io/gang-min to the fewest members that may start");
  }

  @Test
  void podsThatWouldBeRefusedAreCountedUnlessTheyAreOnlyTried() throws Exception {
    try (var reviewer = new Reviewer()) {
      var refused =
          """
          metadata: {annotations: {muster.io/gang-name: a}}
          spec: {containers: [{name: main}]}
          """;
      var review = Reviewer.request(pod(refused));
      reviewer.postTo("/shadow/pods", review.toString().getBytes(UTF_8));
      reviewer.postTo(
          "/shadow/pods", Reviewer.request(pod(Pods.GANG_WITHOUT_GPU)).toString().getBytes(UTF_8));
      review.withObject("/request").put("dryRun", true);
      reviewer.postTo("/shadow/pods", review.toString().getBytes(UTF_8));

      assertThat(reviewer.wouldRefuse).containsExactly("ml");
    }
  }

  @Test
  void whatWouldBeLeftAloneIsNotTalkedAbout() throws Exception {
    assertThat(told(Pods.OTHER_SCHEDULER)).isEmpty();
  }

  private static List<String> told(String yaml) throws Exception {
    var body = Reviewer.request(pod(yaml)).toString().getBytes(UTF_8);
    var response =
        Reviewer.JSON.readTree(REVIEWER.postTo("/shadow/pods", body).body()).path("response");
    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(response.has("patch")).isFalse();
    return StreamSupport.stream(response.path("warnings").spliterator(), false)
        .map(JsonNode::asText)
        .toList();
  }
}
