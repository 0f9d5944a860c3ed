package io.muster.extender.kube.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.core.shadow.ShadowLedger;
import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How processes add to one ConfigMap at the same time. */
@EnableKubernetesMockClient(https = false)
@Timeout(30)
final class LedgerObjectTest {

  private static final String ALL = "/api/v1/namespaces/muster-system/configmaps";
  private static final String ONE = ALL + "/" + LedgerObject.NAME;
  private static final LocalDate DAY = LocalDate.parse("2026-11-25");
  private static final OwnerReference OWNER =
      new OwnerReferenceBuilder()
          .withApiVersion("rbac.authorization.k8s.io/v1")
          .withKind("ClusterRole")
          .withName("muster")
          .withUid("u")
          .build();

  private KubernetesMockServer server;
  private KubernetesClient client;

  private static ShadowLedger refused(int pods) {
    return ShadowLedger.EMPTY.plus(DAY, Map.of("a", new ShadowCounts(0, 0, 0, 0, 0, pods)));
  }

  private static ConfigMap stored(String version, int pods) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(LedgerObject.NAME)
        .withNamespace("muster-system")
        .withResourceVersion(version)
        .endMetadata()
        .withData(LedgerJson.write(refused(pods)))
        .build();
  }

  private ConfigMap lastSent() throws InterruptedException {
    return Serialization.unmarshal(server.getLastRequest().getBody().readUtf8(), ConfigMap.class);
  }

  @Test
  void theFirstMakesItWithItsOwner() throws InterruptedException {
    server.expect().get().withPath(ONE).andReturn(404, "").once();
    server.expect().post().withPath(ALL).andReturn(201, stored("1", 2)).once();

    new LedgerObject(client, "muster-system").add(refused(2), Optional.of(OWNER));

    var sent = lastSent();
    assertThat(sent.getMetadata().getOwnerReferences()).containsExactly(OWNER);
    assertThat(LedgerJson.read(sent.getData())).isEqualTo(refused(2));
  }

  @Test
  void whoIsOvertakenAddsToWhatTheOtherHasStored() throws InterruptedException {
    server.expect().get().withPath(ONE).andReturn(200, stored("1", 2)).once();
    server.expect().put().withPath(ONE).andReturn(409, "").once();
    server.expect().get().withPath(ONE).andReturn(200, stored("2", 5)).once();
    server.expect().put().withPath(ONE).andReturn(200, stored("3", 6)).once();

    new LedgerObject(client, "muster-system").add(refused(1), Optional.empty());

    var sent = lastSent();
    assertThat(sent.getMetadata().getResourceVersion()).isEqualTo("2");
    assertThat(LedgerJson.read(sent.getData())).isEqualTo(refused(6));
  }

  @Test
  void whatIsRefusedIsNotTriedAgain() {
    server.expect().get().withPath(ONE).andReturn(200, stored("1", 2)).once();
    server.expect().put().withPath(ONE).andReturn(403, "").once();

    assertThatThrownBy(
            () -> new LedgerObject(client, "muster-system").add(refused(1), Optional.empty()))
        .isInstanceOf(KubernetesClientException.class);
    assertThat(server.getRequestCount()).isEqualTo(2);
  }
}
