package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Objects of the whole cluster that a kind needs and that stay where its definition stays. */
public final class ClusterObjects {

  /** Who says so in the objects. */
  public static final String OWNER = "muster";

  /** The label that says so. */
  public static final String MANAGED_BY = "app.kubernetes.io/managed-by";

  private ClusterObjects() {}

  /** Those in {@code cluster.yml} beside the class; none if there is no such file. */
  public static List<HasMetadata> beside(Class<?> type) {
    try (var objects = type.getResourceAsStream("cluster.yml")) {
      return objects == null
          ? List.of()
          : Serialization.unmarshal(objects, KubernetesList.class).getItems();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Sees to it that they are there as they should be.
   *
   * @throws KubernetesClientException if the apiserver does not take one
   */
  public static void keep(KubernetesClient client, List<HasMetadata> objects) {
    var context =
        new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(OWNER)
            .withForce(true)
            .build();
    objects.forEach(object -> client.resource(object).patch(context));
  }
}
