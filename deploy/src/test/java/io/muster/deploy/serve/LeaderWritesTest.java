package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.extender.port.Tenure;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class LeaderWritesTest {

  private static final Instant END = Instant.parse("2026-01-01T00:00:15Z");

  private final Tenure tenure =
      new Tenure() {
        @Override
        public Instant heldUntil() {
          return END;
        }

        @Override
        public boolean followsAnother() {
          return false;
        }
      };
  private Instant now = END.minusSeconds(1);
  private KubernetesClient client;
  private KubernetesClient leader;

  @BeforeEach
  void open() {
    leader =
        new KubernetesClientBuilder()
            .withConfig(client.getConfiguration())
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
        .hasMessageContaining("does not lead");
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
