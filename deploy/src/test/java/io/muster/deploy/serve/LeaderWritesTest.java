package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.port.LeaderLease;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EnableKubernetesMockClient(https = false, crud = true)
@Timeout(30)
final class LeaderWritesTest {

  private static final Instant END = Instant.parse("2026-01-01T00:00:15Z");

  private final LeaderLease tenure =
      new LeaderLease() {
        @Override
        public Instant heldUntil() {
          return END;
        }

        @Override
        public boolean followsAnother() {
          return false;
        }
      };
  private volatile Instant now = END.minusSeconds(1);
  private KubernetesMockServer server;
  private KubernetesClient client;
  private KubernetesClient leader;

  @BeforeEach
  void open() {
    leader =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(client.getConfiguration())
                    .withRequestRetryBackoffLimit(2)
                    .build())
            .withHttpClientBuilderConsumer(http ->
                http.addOrReplaceInterceptor(
                    LeaderWrites.NAME, new LeaderWrites(tenure, () -> now)))
            .build();
  }

  @AfterEach
  void close() {
    leader.close();
  }

  @Test
  void aProcessThatLeadsWrites() {
    leader.resource(configMap("a")).create();
    assertThat(stored("a")).isNotNull();
  }

  @Test
  void oneWhoseLeaseIsOverReadsAndWritesNothing() {
    leader.resource(configMap("a")).create();
    now = END;

    assertThatThrownBy(() -> leader.resource(configMap("b")).create())
        .isInstanceOf(KubernetesClientException.class)
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() ->
            leader
                .resource(stored("a"))
                .edit(map -> new ConfigMapBuilder(map).addToData("k", "v").build()))
        .isInstanceOf(KubernetesClientException.class);
    assertThatThrownBy(() -> leader.resource(configMap("a")).delete())
        .isInstanceOf(KubernetesClientException.class);

    assertThat(stored("b")).isNull();
    assertThat(stored("a").getData()).isNullOrEmpty();
    assertThat(leader.configMaps().inNamespace("ml").list().getItems()).hasSize(1);
  }

  @Test
  void aTryIsNotRepeatedByOneWhoseLeaseHasEndedMeanwhile() {
    // The server never answers 503 again: a second try that were sent would succeed.
    server
        .expect()
        .post()
        .withPath("/api/v1/namespaces/ml/configmaps")
        .andReply(
            503,
            request -> {
              now = END;
              return new Status();
            })
        .once();

    assertThatThrownBy(() -> leader.resource(configMap("a")).create())
        .isInstanceOf(KubernetesClientException.class)
        .hasCauseInstanceOf(IOException.class);
    assertThat(stored("a")).isNull();
  }

  @Test
  void aTryIsRepeatedByOneThatLeadsStill() {
    server
        .expect()
        .post()
        .withPath("/api/v1/namespaces/ml/configmaps")
        .andReturn(503, new Status())
        .once();

    leader.resource(configMap("a")).create();
    assertThat(stored("a")).isNotNull();
  }

  private ConfigMap stored(String name) {
    return client.configMaps().inNamespace("ml").withName(name).get();
  }

  private static ConfigMap configMap(String name) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName(name)
        .endMetadata()
        .build();
  }
}
