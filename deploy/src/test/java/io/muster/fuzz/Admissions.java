package io.muster.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.http.AdmissionEndpoint;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.AdmissionMeter;
import io.muster.webhook.port.NamespaceLabels;
import io.muster.webhook.port.ShadowMeter;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reviews of pods, as the API server sends them to the webhook. */
final class Admissions {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String UID = "705ab4f5-6393-11e8-b7cc-42010a800002";

  private final List<JsonNode> pods = Corpus.pods();
  private final Endpoint webhook = new Endpoint(config -> endpoint().addTo(config));

  private static AdmissionEndpoint endpoint() {
    var rules = new ProfilesReading(Set.of("default-scheduler", "muster-scheduler")).defaults();
    return new AdmissionEndpoint(
        new PodConverter(new DialectDetector()),
        new PodAdmission.Sources(
            () -> rules,
            KnownKinds.ALL,
            NamespaceLabels.UNKNOWN,
            true,
            false,
            () -> Queues.NONE,
            Optional.empty()),
        InstantSource.fixed(Instant.parse("2026-02-03T04:05:06Z")),
        AdmissionMeter.NONE,
        ShadowMeter.NONE);
  }

  void check(long seed) {
    var mutator = new Mutator(seed);
    var review = review(mutator.oneOf(pods));
    JsonNode broken = review;
    if (mutator.chance(95)) {
      review.withObject("/request").set("object", mutator.broken(review.at("/request/object")));
    } else {
      broken = mutator.broken(review);
    }
    boolean isTorn = mutator.chance(10);
    var body = isTorn ? mutator.torn(broken) : broken.toString().getBytes(UTF_8);
    var path = mutator.chance(90) ? PodAdmission.PATH : "/shadow/pods";
    var answer = post(path, body);
    var json = read(answer.body());
    var what = new String(body, UTF_8);
    assertThat(answer.status()).as(what).isIn(200, 400);
    if (answer.status() == 400) {
      var sentence = json.path("error").asText();
      if (isTorn) {
        assertThat(sentence).as(what).isNotBlank();
      } else {
        var fields = new HashSet<>(mutator.touched());
        if (fields.contains("object")) {
          fields.addAll(Set.of("metadata", "spec"));
        }
        Refusals.checkNames(fields, sentence);
      }
    } else {
      check(json, isTorn ? null : broken, mutator);
    }
  }

  private static void check(JsonNode answer, JsonNode review, Mutator mutator) {
    assertThat(answer.path("apiVersion").asText()).isEqualTo("admission.k8s.io/v1");
    assertThat(answer.path("kind").asText()).isEqualTo("AdmissionReview");
    var response = answer.path("response");
    assertThat(response.path("allowed").isBoolean()).isTrue();
    if (review == null) {
      return;
    }
    assertThat(response.path("uid").asText()).isEqualTo(review.at("/request/uid").asText());
    if (!response.path("allowed").asBoolean()) {
      assertThat(response.at("/status/code").asInt()).as("%s", response).isEqualTo(422);
      assertThat(response.at("/status/message").asText()).isNotBlank();
    } else if (response.has("patch")) {
      var pod = review.at("/request/object");
      try {
        var patch = JSON.readTree(Base64.getDecoder().decode(response.path("patch").asText()));
        var patched = JsonPatch.apply(patch, pod);
        if (isPod(pod)) {
          JSON.treeToValue(patched, Pod.class);
        }
      } catch (IOException | RuntimeException e) {
        throw new AssertionError(mutator.touched() + ": no patch for " + pod, e);
      }
    }
  }

  private static boolean isPod(JsonNode object) {
    try {
      JSON.treeToValue(object, Pod.class);
      return true;
    } catch (JacksonException _) {
      return false;
    }
  }

  private Endpoint.Answer post(String path, byte[] body) {
    try {
      var answer = webhook.post(path, body);
      // The time that a body may take is up where the machine stands still.
      return answer.status() == 408 ? webhook.post(path, body) : answer;
    } catch (Exception e) {
      throw new AssertionError(new String(body, UTF_8), e);
    }
  }

  private static JsonNode read(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException e) {
      throw new AssertionError(new String(body, UTF_8), e);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static ObjectNode review(JsonNode pod) {
    ObjectNode review =
        JSON.createObjectNode()
            .put("apiVersion", "admission.k8s.io/v1")
            .put("kind", "AdmissionReview");
    var request =
        review
            .putObject("request")
            .put("uid", UID)
            .put("namespace", "ml")
            .put("operation", "CREATE")
            .put("dryRun", false);
    request.putObject("kind").put("group", "").put("version", "v1").put("kind", "Pod");
    request.putObject("resource").put("group", "").put("version", "v1").put("resource", "pods");
    request.set("object", pod.deepCopy());
    return review;
  }
}
