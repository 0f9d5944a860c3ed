package io.muster.webhook.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonPatch;
import io.javalin.Javalin;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.profile.Rulebook;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.AdmissionMeter;
import io.muster.webhook.port.NamespaceLabels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** A running endpoint on a free port, and an apiserver's part of the talk with it. */
final class Reviewer implements AutoCloseable {

  static final ObjectMapper JSON = new ObjectMapper();
  private static final Rulebook RULES =
      new ProfilesReading(Set.of("default-scheduler", "muster-scheduler")).defaults();

  /** Namespaces of pods that would have been refused, in order. */
  final List<String> wouldRefuse = new CopyOnWriteArrayList<>();

  private final Javalin server;
  private final HttpClient client = HttpClient.newHttpClient();

  Reviewer() {
    this(true);
  }

  Reviewer(boolean isAsked) {
    this(isAsked, NamespaceLabels.UNKNOWN);
  }

  Reviewer(boolean isAsked, NamespaceLabels namespaces) {
    this(isAsked, namespaces, Queues.NONE);
  }

  Reviewer(boolean isAsked, NamespaceLabels namespaces, Queues queues) {
    var endpoint =
        new AdmissionEndpoint(
            new PodConverter(new DialectDetector()),
            new PodAdmission.Sources(
                () -> RULES,
                KnownKinds.ALL,
                namespaces,
                isAsked,
                false,
                () -> queues,
                Optional.empty()),
            InstantSource.fixed(Instant.parse("2026-02-03T04:05:06.789Z")),
            AdmissionMeter.NONE,
            wouldRefuse::add);
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.jetty.host = "127.0.0.1";
                  config.jetty.port = 0;
                  endpoint.addTo(config);
                })
            .start();
  }

  HttpResponse<String> post(String body) throws IOException, InterruptedException {
    return postBytes(body.getBytes(StandardCharsets.UTF_8));
  }

  HttpResponse<String> postBytes(byte[] body) throws IOException, InterruptedException {
    return postTo("/mutate/pods", body);
  }

  HttpResponse<String> postTo(String path, byte[] body) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** The {@code response} about creating the pod. */
  JsonNode review(JsonNode pod) throws IOException, InterruptedException {
    return review("/mutate/pods", pod);
  }

  /** The same at another path. */
  JsonNode review(String path, JsonNode pod) throws IOException, InterruptedException {
    var body = request(pod).toString().getBytes(StandardCharsets.UTF_8);
    return JSON.readTree(postTo(path, body).body()).path("response");
  }

  /** The pod as the apiserver would store it. */
  JsonNode admitted(JsonNode pod) throws IOException, InterruptedException {
    return JsonPatch.apply(patch(review(pod)), pod);
  }

  static JsonNode patch(JsonNode response) throws IOException {
    return response.has("patch")
        ? JSON.readTree(Base64.getDecoder().decode(response.path("patch").asText()))
        : JSON.createArrayNode();
  }

  static ObjectNode request(JsonNode pod) {
    ObjectNode review =
        JSON.createObjectNode()
            .put("apiVersion", "admission.k8s.io/v1")
            .put("kind", "AdmissionReview");
    var request =
        review
            .putObject("request")
            .put("uid", "r-1")
            .put("namespace", "ml")
            .put("operation", "CREATE")
            .put("dryRun", false);
    request.putObject("kind").put("group", "").put("version", "v1").put("kind", "Pod");
    request.putObject("resource").put("group", "").put("version", "v1").put("resource", "pods");
    request.set("object", pod);
    return review;
  }

  static JsonNode pod(String yaml) {
    return Serialization.unmarshal("---\n" + yaml, JsonNode.class);
  }

  @Override
  public void close() {
    server.stop();
    client.close();
  }
}
