package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javalin.Javalin;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.deploy.config.Config;
import io.muster.deploy.serve.lease.Clocks;
import io.muster.deploy.serve.lease.Leadership;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.http.AdmissionEndpoint;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.AdmissionMeter;
import io.muster.webhook.port.NamespaceLabels;
import io.muster.webhook.port.ShadowMeter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A process that has not read the cluster yet, or never can. */
final class ColdStartTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MEMBER =
      """
      {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "r",
       "namespace": "ml", "operation": "CREATE",
       "resource": {"group": "", "version": "v1", "resource": "pods"},
       "object": {"metadata": {"name": "launcher",
         "annotations": {"muster.io/gang-name": "a", "muster.io/gang-min": "2"}},
        "spec": {"containers": [{"name": "main"}]}}}}\
      """;

  @Test
  void theWebhookDoesWhatNeedsNoKnowledgeOfTheCluster() throws Exception {
    var clock = InstantSource.system();
    var config = Config.load(Optional.empty(), Map.of());
    var rules = new ProfilesReading(config.schedulers()).defaults();
    var nowhere = new ConfigBuilder().withMasterUrl("https://127.0.0.1:1").build();
    try (var timers = new ServeTimers();
        var client = new KubernetesClientBuilder().withConfig(nowhere).build();
        var leadership =
            new Leadership(
                client,
                new Leadership.Terms("muster-system", "me", Duration.ofSeconds(15)),
                Clocks.ofTheMachine(),
                timers,
                () -> true)) {
      var decisions =
          Decisions.of(
              config,
              client,
              new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
              Clocks.ofTheMachine(),
              leadership);
      var server =
          Javalin.create(
                  java -> {
                    java.startup.showJavalinBanner = false;
                    new AdmissionEndpoint(
                            decisions.translation(),
                            new PodAdmission.Sources(
                                () -> rules, KnownKinds.ALL, NamespaceLabels.UNKNOWN),
                            clock,
                            AdmissionMeter.NONE,
                            ShadowMeter.NONE)
                        .addTo(java);
                  })
              .start("127.0.0.1", 0);
      try {
        var response = review(server.port());

        assertThat(decisions.isReady()).isFalse();
        assertThat(response.path("allowed").asBoolean()).isTrue();
        var patch =
            new String(
                Base64.getDecoder().decode(response.path("patch").asText()),
                StandardCharsets.UTF_8);
        assertThat(patch)
            .contains("muster.io~1gang-dialect")
            .contains("limits/muster.io~1gang-member")
            .contains("schedulingGates")
            .doesNotContain("affinity");
      } finally {
        server.stop();
      }
    }
  }

  private static JsonNode review(int port) throws IOException, InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/mutate/pods"))
              .timeout(Duration.ofSeconds(10))
              .POST(BodyPublishers.ofString(MEMBER))
              .build();
      return JSON.readTree(http.send(request, BodyHandlers.ofString()).body()).path("response");
    }
  }
}
