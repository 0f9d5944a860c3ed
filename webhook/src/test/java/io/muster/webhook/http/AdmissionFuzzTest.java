package io.muster.webhook.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Pods of every kind, and reviews with anything broken in them, through HTTP: never a 5xx, never a
 * patch that cannot be applied, never a hang. The system properties {@code muster.fuzz.tries} and
 * {@code muster.fuzz.seed} say how many and which.
 */
final class AdmissionFuzzTest {

  private static final int TRIES = Integer.getInteger("muster.fuzz.tries", 3_000);
  private static final long SEED = Long.getLong("muster.fuzz.seed", 1);
  private static final Duration AT_ONCE = Duration.ofSeconds(5);
  private static final ObjectMapper STRICT =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

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
  void whateverIsBrokenInAReviewIsAnsweredAtOnce() throws Exception {
    for (int i = 0; i < TRIES; i++) {
      var pods = new RandomPods(SEED + i);
      var review = Reviewer.request(pods.pod());
      pods.breakSomewhere(review);
      var body = review.toString();

      checked(body.getBytes(UTF_8), review.path("request").path("object"), i);
      checked(pods.mangled(body), null, i);
    }
  }

  @Test
  void aReviewAsLongAsAnApiserverSendsIsAnsweredAndALongerOneRefused() throws Exception {
    var pod = new RandomPods(SEED).pod();
    ((ObjectNode) pod.path("metadata"))
        .putObject("annotations")
        .put("large", "x".repeat(3_000_000));
    var begun = System.nanoTime();
    assertThat(REVIEWERS.getFirst().review(pod).path("allowed").asBoolean()).isTrue();
    ((ObjectNode) pod.path("metadata"))
        .putObject("annotations")
        .put("large", "x".repeat(4_300_000));

    assertThat(REVIEWERS.getFirst().post(Reviewer.request(pod).toString()).statusCode())
        .isEqualTo(413);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(AT_ONCE);
  }

  private static void checked(byte[] body, JsonNode object, int i) throws Exception {
    long begun = System.nanoTime();
    var reply = REVIEWERS.get(i % REVIEWERS.size()).postBytes(body);
    var took = Duration.ofNanos(System.nanoTime() - begun);
    var what = "seed %d: %s".formatted(SEED + i, new String(body, UTF_8));

    assertThat(reply.statusCode()).as(what).isIn(200, 400);
    assertThat(took).as(what).isLessThan(AT_ONCE);
    var json = STRICT.readTree(reply.body());
    if (reply.statusCode() == 400) {
      assertThat(json.path("error").asText()).as(what).isNotBlank();
    } else if (object != null) {
      applied(json.path("response"), object, what);
    }
  }

  private static JsonNode applied(JsonNode response, JsonNode pod, String what) throws IOException {
    try {
      return JsonPatch.apply(Reviewer.patch(response), pod);
    } catch (RuntimeException e) {
      throw new AssertionError(what + " gets a patch that cannot be applied: " + response, e);
    }
  }
}
