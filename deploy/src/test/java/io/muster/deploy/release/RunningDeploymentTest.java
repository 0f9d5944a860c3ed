package io.muster.deploy.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EnableKubernetesMockClient(https = false, crud = true)
@Timeout(30)
final class RunningDeploymentTest {

  private static final String SPACE = "muster-system";
  private static final Map<String, String> LABELS = Map.of("app.kubernetes.io/name", "muster");
  private static final String IDLE =
      "muster_extender_requests_seconds_max{outcome=\"answered\",verb=\"bind\"} 0.0\n";

  private KubernetesClient client;
  private HttpServer pod;
  private volatile String metrics = IDLE;

  @BeforeEach
  void run() throws IOException {
    pod = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    pod.createContext(
        "/metrics",
        exchange -> {
          var body = metrics.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          try (var out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    pod.start();
    client
        .resource(
            new DeploymentBuilder()
                .withNewMetadata()
                .withName("muster")
                .withNamespace(SPACE)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(LABELS)
                .endSelector()
                .endSpec()
                .build())
        .create();
    pod("muster-1", LABELS, "Running");
  }

  @AfterEach
  void stop() {
    pod.stop(0);
  }

  private void pod(String name, Map<String, String> labels, String phase) {
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(SPACE)
                .withLabels(labels)
                .endMetadata()
                .withNewStatus()
                .withPhase(phase)
                .withPodIP("127.0.0.1")
                .endStatus()
                .build())
        .create();
  }

  private RunningDeployment deployment() {
    return new RunningDeployment(client, SPACE, "muster", pod.getAddress().getPort());
  }

  @Test
  void nobodyIsLeftWithoutAnAnswerWhereNobodyAsks() throws InterruptedException {
    assertThat(deployment().asked()).isEmpty();
  }

  @Test
  void aCallOfTheLastMinutesIsTold() throws InterruptedException {
    metrics =
        IDLE + "muster_extender_requests_seconds_max{outcome=\"answered\",verb=\"filter\"} 0.004\n";

    assertThat(deployment().asked())
        .contains("kube-scheduler has asked pod muster-1 within the last minutes");
  }

  @Test
  void aProcessThatCannotBeAskedIsNoProofOfSilence() throws InterruptedException {
    var deployment = deployment();
    pod.stop(0);

    assertThat(deployment.asked())
        .hasValueSatisfying(why -> assertThat(why).startsWith("pod muster-1 does not say whether"));
  }

  @Test
  void podsOfOthersAndThoseThatDoNotRunAreNotAsked() throws InterruptedException {
    client.pods().inNamespace(SPACE).withName("muster-1").delete();
    pod("muster-2", LABELS, "Pending");
    pod("other", Map.of("app", "other"), "Running");
    pod.stop(0);

    assertThat(deployment().asked()).isEmpty();
    assertThat(deployment().isThere()).isTrue();
  }
}
