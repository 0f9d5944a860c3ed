package io.muster.kit;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The objects that tell KWOK about one pod's container. They have the pod's name and go when it
 * goes. Stateless; safe for concurrent use.
 */
final class KwokObjects {

  private KwokObjects() {}

  /** Where {@code sh} runs for this pod. */
  static void reachBySh(KubernetesClient client, Pod pod, Path folder, List<String> enterFlags) {
    var local =
        Map.of(
            "workDir",
            folder.toString(),
            "envs",
            List.of(
                Map.of("name", "KIT_SET", "value", folder.toString()),
                Map.of("name", "KIT_ENTER", "value", String.join(" ", enterFlags))));
    apply(client, pod, "Exec", Map.of("execs", List.of(Map.of("local", local))));
  }

  /** Where the log of this pod's containers lies. */
  static void serveLog(KubernetesClient client, Pod pod, Path file) {
    apply(client, pod, "Logs", Map.of("logs", List.of(Map.of("logsFile", file.toString()))));
  }

  private static void apply(
      KubernetesClient client, Pod pod, String kind, Map<String, Object> spec) {
    GenericKubernetesResource object =
        new GenericKubernetesResourceBuilder()
            .withApiVersion("kwok.x-k8s.io/v1alpha1")
            .withKind(kind)
            .withNewMetadata()
            .withName(pod.getMetadata().getName())
            .withNamespace(pod.getMetadata().getNamespace())
            .withOwnerReferences(
                new OwnerReferenceBuilder()
                    .withApiVersion("v1")
                    .withKind("Pod")
                    .withName(pod.getMetadata().getName())
                    .withUid(pod.getMetadata().getUid())
                    .build())
            .endMetadata()
            .addToAdditionalProperties("spec", spec)
            .build();
    client.resource(object).forceConflicts().serverSideApply();
  }
}
