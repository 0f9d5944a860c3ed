package io.muster.e2e;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.sandbox.Await;
import io.muster.webhook.json.InvalidProfilesException;
import io.muster.webhook.json.ProfilesReading;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** Writes the ConfigMap of profiles and waits until Muster goes by it. */
record Profiles(KubernetesClient client) {

  static final String NAMESPACE = "muster-system";
  static final String NAME = "muster-profiles";
  private static final Duration SOON = Duration.ofSeconds(20);

  void write(String text) {
    client
        .configMaps()
        .inNamespace(NAMESPACE)
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withData(Map.of("profiles.yaml", text))
                .build())
        .serverSideApply();
  }

  void remove() {
    client.configMaps().inNamespace(NAMESPACE).withName(NAME).delete();
  }

  /** Waits until pods are stamped with the rules of this document. */
  void awaitInForce(String text, String namespace) {
    var hash = hash(text);
    Await.until("the profiles to be in force", SOON, () -> stamp(namespace).endsWith("@" + hash));
  }

  /** The stamp that a GPU pod gets now. */
  String stamp(String namespace) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("probe")
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("main")
            .withImage("probe")
            .withNewResources()
            .addToLimits("nvidia.com/gpu", new Quantity("1"))
            .endResources()
            .endContainer()
            .endSpec()
            .build();
    Pod stored = client.pods().inNamespace(namespace).resource(pod).dryRun(true).create();
    ObjectMeta metadata = stored.getMetadata();
    return metadata.getAnnotations().getOrDefault("muster.io/injected", "");
  }

  static String hash(String text) {
    try {
      return new ProfilesReading(Set.of("default-scheduler", "muster-scheduler")).read(text).hash();
    } catch (InvalidProfilesException e) {
      throw new AssertionError(e);
    }
  }
}
