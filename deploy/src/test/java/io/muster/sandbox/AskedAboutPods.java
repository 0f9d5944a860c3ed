package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * Whether the webhook answers that the API server asks about members of gangs. The API server
 * learns of a changed webhook by a watch, so for a moment it asks where the one before was.
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
