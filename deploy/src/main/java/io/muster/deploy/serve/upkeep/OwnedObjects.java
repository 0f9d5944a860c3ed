package io.muster.deploy.serve.upkeep;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * The Secrets and the Lease of this Muster, which go with its installation. Confined to its owner's
 * thread.
 */
final class OwnedObjects {

  private static final Duration BETWEEN_LOOKS = Duration.ofMinutes(1);

  private final KubernetesClient client;
  private final String namespace;
  private final List<String> secrets;
  private final InstantSource clock;
  private Optional<OwnerReference> adopted = Optional.empty();
  private Instant adoptedAt = Instant.MIN;

  /**
   * @param secrets names of those that Muster makes
   */
  OwnedObjects(
      KubernetesClient client, String namespace, List<String> secrets, InstantSource clock) {
    this.client = client;
    this.namespace = namespace;
    this.secrets = List.copyOf(secrets);
    this.clock = clock;
  }

  /**
   * Names their owner, where that has not been done. Looks at them once in a while, since a Secret
   * that was deleted is made anew without one.
   *
   * @throws KubernetesClientException if that fails; to be tried again
   */
  void adopt(OwnerReference owner) {
    var now = clock.instant();
    if (adopted.equals(Optional.of(owner)) && now.isBefore(adoptedAt.plus(BETWEEN_LOOKS))) {
      return;
    }
    for (var name : secrets) {
      adopt(client.secrets().inNamespace(namespace).withName(name), owner);
    }
    var lease = client.leases().inNamespace(namespace).withName("muster");
    if (lacks(Optional.ofNullable(lease.get()), owner)) {
      lease.patch(PatchContext.of(PatchType.JSON_MERGE), ownedBy(owner));
    }
    adopted = Optional.of(owner);
    adoptedAt = now;
  }

  /** By an update: Muster may not patch Secrets. */
  private void adopt(Resource<Secret> resource, OwnerReference owner) {
    var secret = Optional.ofNullable(resource.get());
    if (lacks(secret, owner)) {
      secret.get().getMetadata().setOwnerReferences(List.of(owner));
      var _ = client.resource(secret.get()).update();
    }
  }

  private static boolean lacks(Optional<? extends HasMetadata> object, OwnerReference owner) {
    return object
        .filter(there -> !there.getMetadata().getOwnerReferences().contains(owner))
        .isPresent();
  }

  private static String ownedBy(OwnerReference owner) {
    var json = JsonNodeFactory.instance.objectNode();
    json.putObject("metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", owner.getApiVersion())
        .put("kind", owner.getKind())
        .put("name", owner.getName())
        .put("uid", owner.getUid());
    return json.toString();
  }
}
