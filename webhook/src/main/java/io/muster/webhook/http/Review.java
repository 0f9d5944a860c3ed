package io.muster.webhook.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.webhook.core.Admission;
import io.muster.webhook.json.PatchJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** An AdmissionReview of {@code admission.k8s.io/v1}: the request, and how it is answered. */
record Review(String uid, String namespace, JsonNode request) {

  private static final String API_VERSION = "admission.k8s.io/v1";
  private static final String KIND = "AdmissionReview";
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final ObjectReader READER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .readerFor(JsonNode.class);

  static Review parse(byte[] body) throws JsonProcessingException, MalformedReviewException {
    var review = tree(body);
    if (!API_VERSION.equals(review.path("apiVersion").textValue())
        || !KIND.equals(review.path("kind").textValue())) {
      throw new MalformedReviewException(
          "apiVersion and kind are not those of an AdmissionReview of admission.k8s.io/v1");
    }
    var request = review.path("request");
    var uid = Optional.ofNullable(request.path("uid").textValue()).orElse("");
    if (!request.isObject() || uid.isEmpty()) {
      throw new MalformedReviewException("request.uid is missing, or is no string");
    }
    return new Review(uid, request.path("namespace").asText(), request);
  }

  private static JsonNode tree(byte[] body) throws JsonProcessingException {
    try {
      return READER.readTree(body);
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new AssertionError("reading an array does no I/O", e);
    }
  }

  /** Whether a pod itself is created, not bound, resized or read. */
  boolean isAboutNewPod() {
    var resource = request.path("resource");
    return request.path("operation").asText().equals("CREATE")
        && resource.path("group").asText().isEmpty()
        && resource.path("resource").asText().equals("pods")
        && request.path("subResource").asText().isEmpty();
  }

  boolean isDryRun() {
    return request.path("dryRun").asBoolean();
  }

  JsonNode object() {
    return request.path("object");
  }

  JsonNode answer(Admission admission) {
    var response = NODES.objectNode().put("uid", uid);
    switch (admission) {
      case Admission.Allowed allowed -> {
        response.put("allowed", true);
        if (!allowed.edits().isEmpty()) {
          response.put("patchType", "JSONPatch");
          response.put("patch", base64(PatchJson.of(allowed.patch())));
        }
        if (!allowed.warnings().isEmpty()) {
          var warnings = response.putArray("warnings");
          allowed.warnings().forEach(warnings::add);
        }
      }
      case Admission.Denied denied -> {
        response.put("allowed", false);
        response.putObject("status").put("code", denied.code()).put("message", denied.message());
      }
    }
    ObjectNode review = NODES.objectNode().put("apiVersion", API_VERSION).put("kind", KIND);
    return review.set("response", response);
  }

  private static String base64(JsonNode json) {
    return Base64.getEncoder().encodeToString(json.toString().getBytes(StandardCharsets.UTF_8));
  }
}
