package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * Whether the webhook answers that the API server asks about members of gangs. It asks where the
 * Muster before was until the next one leads, which may wait for the lease of one that was killed.
 */
record AskedAboutPods(KubernetesClient client) {

  private static final String NAMESPACE = "default";

  /** True as well where it asks nobody. */
  boolean isAnswered() {
    try {
      client.pods().inNamespace(NAMESPACE).resource(member()).dryRun().create();
      return true;
    } catch (KubernetesClientException e) {
      return !e.getMessage().contains("failed calling webhook");
    }
  }

  private static Pod member() {
    return new PodBuilder()
        .withNewMetadata()
        .withName("asked-about")
        .withNamespace(NAMESPACE)
        .addToAnnotations("gang.scheduling.koordinator.sh/name", "asked-about")
        .addToAnnotations("gang.scheduling.koordinator.sh/min-available", "1")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withImage("any")
        .endContainer()
        .endSpec()
        .build();
  }
}
