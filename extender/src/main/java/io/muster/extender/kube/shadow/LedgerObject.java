package io.muster.extender.kube.shadow;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.muster.extender.core.shadow.ShadowLedger;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The ConfigMap with what every process of Muster has counted in namespaces in shadow. Each adds
 * its own; a write that another has overtaken is made again. Safe for concurrent use.
 */
public final class LedgerObject {

  public static final String NAME = "muster-shadow";

  private static final int TRIES = 5;

  private final KubernetesClient client;
  private final String namespace;

  /**
   * @param namespace where Muster runs
   */
  public LedgerObject(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /**
   * What has been stored; empty if there is no ConfigMap.
   *
   * @throws KubernetesClientException if it cannot be read
   */
  public Optional<ShadowLedger> read() {
    return Optional.ofNullable(resource().get()).map(LedgerObject::ledger);
  }

  /**
   * Adds to what is stored. Blocks for two requests, and more where others write at the same time.
   *
   * @param owner with which the ConfigMap is to go
   * @throws KubernetesClientException if that failed. It may have been added all the same where no
   *     answer came.
   */
  public void add(ShadowLedger more, Optional<OwnerReference> owner) {
    for (int tried = 1; ; tried++) {
      try {
        addOnce(more, owner);
        return;
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_CONFLICT || tried == TRIES) {
          throw e;
        }
      }
    }
  }

  private void addOnce(ShadowLedger more, Optional<OwnerReference> owner) {
    var found = Optional.ofNullable(resource().get());
    var stored = found.map(LedgerObject::ledger).orElse(ShadowLedger.EMPTY);
    var builder =
        found
            .map(ConfigMapBuilder::new)
            .orElseGet(() ->
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName(NAME)
                    .withNamespace(namespace)
                    .addToLabels("app.kubernetes.io/managed-by", "muster")
                    .endMetadata());
    owner.ifPresent(by -> builder.editMetadata().withOwnerReferences(List.of(by)).endMetadata());
    var wanted = builder.withData(LedgerJson.write(stored.plus(more))).build();
    if (found.isPresent()) {
      var _ = client.resource(wanted).update();
    } else {
      var _ = client.resource(wanted).create();
    }
  }

  private Resource<ConfigMap> resource() {
    return client.configMaps().inNamespace(namespace).withName(NAME);
  }

  private static ShadowLedger ledger(ConfigMap stored) {
    return LedgerJson.read(Objects.requireNonNullElse(stored.getData(), Map.of()));
  }
}
