package io.muster.webhook.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Pods of every kind, through HTTP: never a 5xx, never a patch that cannot be applied. The system
 * properties {@code muster.fuzz.tries} and {@code muster.fuzz.seed} say how many and which.
 */
final class AdmissionFuzzTest {

  private static final int TRIES = Integer.getInteger("muster.fuzz.tries", 3_000);
  private static final long SEED = Long.getLong("muster.fuzz.seed", 1);

  private static final List<Reviewer> REVIEWERS =
      List.of(new Reviewer(), new Reviewer(false), new Reviewer(true, _ -> Map.of("a", "b")));

  /** Each pod that cannot be read is logged with its cause, thousands of times here. */
  @BeforeAll
  static void keepTheLogShort() {
    ((Logger) LoggerFactory.getLogger(AdmissionEndpoint.class)).setLevel(Level.OFF);
  }

  @AfterAll
  static void stop() {
    REVIEWERS.forEach(Reviewer::close);
  }

  @Test
  void everyPatchOfAPodCanBeAppliedAndASecondCallHasNothingToAdd() throws Exception {
    for (int i = 0; i < TRIES; i++) {
      var pods = new RandomPods(SEED + i);
      var reviewer = REVIEWERS.get(i % REVIEWERS.size());
      var pod = pods.pod();

      var response = reviewer.review(pod);

      assertThat(response.path("uid").asText()).as("seed %d: %s", SEED + i, pod).isEqualTo("r-1");
      if (response.path("allowed").asBoolean()) {
        var stored = applied(response, pod, "seed " + (SEED + i));
        Reviewer.JSON.treeToValue(stored, Pod.class);
        assertThat(reviewer.review(stored).has("patch"))
            .as("seed %d: %s is changed again", SEED + i, stored)
            .isFalse();
      } else {
        assertThat(response.path("status").path("code").asInt()).as("%s", pod).isEqualTo(422);
        assertThat(response.path("status").path("message").asText()).isNotBlank();
      }
    }
  }

  @Test
  void aReviewAsLongAsAnApiserverSendsIsAnsweredAndALongerOneRefused() throws Exception {
    var pod = new RandomPods(SEED).pod();
    ((ObjectNode) pod.path("metadata"))
        .putObject("annotations")
        .put("large", "x".repeat(3_000_000));
    assertThat(REVIEWERS.getFirst().review(pod).path("allowed").asBoolean()).isTrue();
    ((ObjectNode) pod.path("metadata"))
        .putObject("annotations")
        .put("large", "x".repeat(4_300_000));

    assertThat(REVIEWERS.getFirst().post(Reviewer.request(pod).toString()).statusCode())
        .isEqualTo(413);
  }

  private static JsonNode applied(JsonNode response, JsonNode pod, String what) throws IOException {
    try {
      return JsonPatch.apply(Reviewer.patch(response), pod);
    } catch (RuntimeException e) {
      throw new AssertionError(what + " gets a patch that cannot be applied: " + response, e);
    }
  }
}
