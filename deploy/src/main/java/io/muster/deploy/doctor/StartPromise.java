package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.kube.gang.NativePodGroups;
import io.muster.webhook.kube.PodGroupFeed;
import java.util.List;
import java.util.Optional;

/**
 * What holds of gangs that start, where kube-scheduler does not ask Muster: whether it binds enough
 * members together or none, or each by itself. Pure.
 *
 * @param version of the PodGroups that the API server serves; empty if it serves none
 * @param groups how many PodGroups Muster has made
 * @param scheduled of how many of them kube-scheduler has told something
 */
record StartPromise(PlacementMode mode, Optional<String> version, int groups, int scheduled) {

  private static final String CHECK = "promise";

  /** Reads it. */
  static List<Finding> findings(KubernetesClient client, PlacementMode mode) {
    var version =
        mode == PlacementMode.NATIVE ? PodGroupFeed.version(client) : Optional.<String>empty();
    var groups = version.map(served -> groups(client, served)).orElse(List.of());
    return new StartPromise(
            mode,
            version,
            groups.size(),
            (int) groups.stream().filter(StartPromise::isTold).count())
        .findings();
  }

  private static List<GenericKubernetesResource> groups(KubernetesClient client, String version) {
    var kind =
        new ResourceDefinitionContext.Builder()
            .withGroup(NativePodGroups.GROUP)
            .withVersion(version)
            .withKind("PodGroup")
            .withPlural(NativePodGroups.PLURAL)
            .withNamespaced(true)
            .build();
    return client
        .genericKubernetesResources(kind)
        .inAnyNamespace()
        .withLabel(NativePodGroups.MANAGED_BY, NativePodGroups.MUSTER)
        .list()
        .getItems();
  }

  /** Only a kube-scheduler with its gang scheduling on sets conditions. */
  private static boolean isTold(GenericKubernetesResource group) {
    return group.get("status", "conditions") instanceof List<?> conditions && !conditions.isEmpty();
  }

  List<Finding> findings() {
    return switch (mode) {
      case EXTENDER -> List.of();
      case AFFINITY ->
          List.of(
              Finding.ok(
                  CHECK, "placementMode affinity: all places are checked before a gang starts"));
      case NATIVE -> List.of(ofNative());
    };
  }

  private Finding ofNative() {
    if (version.isEmpty()) {
      return Finding.problem(
          CHECK,
          "placementMode is native, and the API server serves no %s PodGroup: gangs start as with"
                  .formatted(NativePodGroups.GROUP)
              + " affinity",
          "turn the cluster's gang scheduling on (feature gate GenericWorkload, in Kubernetes 1.36"
              + " GangScheduling too) and have PodGroups served, or set placementMode affinity");
    }
    var served = "PodGroups are served (%s), Muster has made %d".formatted(version.get(), groups);
    return scheduled > 0
        ? Finding.ok(CHECK, served + ": kube-scheduler binds gangs whole or not at all")
        : Finding.cannotTell(
            CHECK,
            served + ", and kube-scheduler has told of none of them",
            "start a gang; if this stays, turn feature gate GenericWorkload on in kube-scheduler, and"
                + " GangScheduling in Kubernetes 1.36");
  }
}
