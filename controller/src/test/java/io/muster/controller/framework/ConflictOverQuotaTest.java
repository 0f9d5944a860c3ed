package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kube.Ownership;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where many objects are made at once, the API server may fail to count one against the quota. */
@EnableKubernetesMockClient(https = false)
final class ConflictOverQuotaTest {

  private static final String SERVICES = "/api/v1/namespaces/u/services";

  private KubernetesMockServer server;
  private KubernetesClient client;
  private JobWrites writes;

  private final ConfigMap job =
      new ConfigMapBuilder()
          .withNewMetadata()
          .withName("mine")
          .withNamespace("u")
          .withUid("job")
          .endMetadata()
          .build();

  @BeforeEach
  void begin() {
    writes = new JobWrites(client, () -> Instant.EPOCH);
    var conflict =
        new StatusBuilder()
            .withCode(409)
            .withReason("Conflict")
            .withMessage("Operation cannot be fulfilled on resourcequotas \"q\"")
            .build();
    server.expect().post().withPath(SERVICES).andReturn(409, conflict).once();
  }

  private ObjectMeta metadata() {
    return Ownership.metadata(job, "mine-worker-0");
  }

  private Service service() {
    return new ServiceBuilder().withMetadata(metadata()).withNewSpec().endSpec().build();
  }

  @Test
  void whatIsNotThereAfterAConflictWasNotMade() {
    assertThatThrownBy(() -> writes.putOwn(job, service()))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("resourcequotas");
  }

  /** Keys and rights, which are not read: what is not made now would never be made. */
  @Test
  void whatIsNotReadIsTakenForThereOnlyWhereTheApiServerSaysSo() {
    assertThatThrownBy(() -> writes.putIfAbsent(service()))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("resourcequotas");

    var exists = new StatusBuilder().withCode(409).withReason("AlreadyExists").build();
    server.expect().post().withPath(SERVICES).andReturn(409, exists).once();
    assertThat(writes.putIfAbsent(service())).isFalse();
  }

  @Test
  void noPodIsMadeWithoutItsServiceAndBothComeLater() {
    var pod = new PodBuilder().withMetadata(metadata()).build();
    server.expect().post().withPath(SERVICES).andReturn(201, service()).always();
    server.expect().post().withPath("/api/v1/namespaces/u/pods").andReturn(201, pod).once();
    var memory = new JobMemory();

    assertThat(make(pod, memory)).isFalse();
    assertThat(memory.refusals()).isEmpty();
    assertThat(make(pod, memory)).isTrue();
  }

  private boolean make(Pod pod, JobMemory memory) {
    return writes.makePod(
        job,
        new Action.Create("worker", 0, "mine-worker-0", 1, Optional.empty(), 0, 0),
        memory,
        () -> {
          writes.putOwn(job, service());
          client.resource(pod).create();
        });
  }
}
