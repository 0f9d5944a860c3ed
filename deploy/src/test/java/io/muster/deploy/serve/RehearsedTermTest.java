package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.muster.deploy.config.Config;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangKeys;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a process does that follows another, so that it can lead at once. */
@EnableKubernetesMockClient(https = false, crud = true)
@Timeout(30)
final class RehearsedTermTest {

  private KubernetesClient client;
  private KubernetesMockServer server;

  /** A gang whose member a leader would release at once. */
  @Test
  void readsTheClusterAndWritesNothing() throws InterruptedException {
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("n1")
                .endMetadata()
                .withNewStatus()
                .addToAllocatable("nvidia.com/gpu", new Quantity("8"))
                .addToAllocatable("pods", new Quantity("110"))
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build())
        .create();
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("g-0")
                .withNamespace("ml")
                .withUid("u-0")
                .addToAnnotations(GangKeys.NAME, "g")
                .addToAnnotations(GangKeys.MIN, "1")
                .endMetadata()
                .withNewSpec()
                .addNewSchedulingGate(Pod.GATE)
                .addNewContainer()
                .withName("main")
                .withNewResources()
                .addToLimits("nvidia.com/gpu", new Quantity("1"))
                .addToRequests("nvidia.com/gpu", new Quantity("1"))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
    requests();

    LeadershipTerm.rehearse(
        Config.load(Optional.empty(), Map.of()), client, InstantSource.system());

    assertThat(requests())
        .isNotEmpty()
        .allMatch(request -> request.getMethod().equals("GET"))
        .anyMatch(request -> request.getPath().startsWith("/api/v1/pods?"));
  }

  private List<RecordedRequest> requests() throws InterruptedException {
    var all = new ArrayList<RecordedRequest>();
    var next = server.takeRequest(0, TimeUnit.SECONDS);
    while (next != null) {
      all.add(next);
      next = server.takeRequest(0, TimeUnit.SECONDS);
    }
    return all;
  }
}
