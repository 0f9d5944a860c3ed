package io.muster.kit;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
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
    apply(client, pod, "Exec", Map.of("execs", List.of(local(folder, enterFlags))));
  }

  /** Where {@code sh} runs for all pods of this pod's namespace that have no place of their own. */
  static void reachOthersBySh(
      KubernetesClient client, Pod pod, Path folder, List<String> enterFlags) {
    var namespace = pod.getMetadata().getNamespace();
    client
        .resource(
            object(
                "ClusterExec",
                new ObjectMetaBuilder().withName(namespace).build(),
                Map.of(
                    "selector",
                    Map.of("matchNamespaces", List.of(namespace)),
                    "execs",
                    List.of(local(folder, enterFlags)))))
        .forceConflicts()
        .serverSideApply();
  }

  private static Map<String, Object> local(Path folder, List<String> enterFlags) {
    return Map.of(
        "local",
        Map.of(
            "workDir",
            folder.toString(),
            "envs",
            List.of(
                Map.of("name", "KIT_SET", "value", folder.toString()),
                Map.of("name", "KIT_ENTER", "value", String.join(" ", enterFlags)))));
  }

  /** Where the log of this pod's containers lies. */
  static void serveLog(KubernetesClient client, Pod pod, Path file) {
    apply(client, pod, "Logs", Map.of("logs", List.of(Map.of("logsFile", file.toString()))));
  }

  private static void apply(
      KubernetesClient client, Pod pod, String kind, Map<String, Object> spec) {
    var metadata =
        new ObjectMetaBuilder()
            .withName(pod.getMetadata().getName())
            .withNamespace(pod.getMetadata().getNamespace())
            .withOwnerReferences(
                new OwnerReferenceBuilder()
                    .withApiVersion("v1")
                    .withKind("Pod")
                    .withName(pod.getMetadata().getName())
                    .withUid(pod.getMetadata().getUid())
                    .build())
            .build();
    client.resource(object(kind, metadata, spec)).forceConflicts().serverSideApply();
  }

  private static GenericKubernetesResource object(
      String kind, ObjectMeta metadata, Map<String, Object> spec) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("kwok.x-k8s.io/v1alpha1")
        .withKind(kind)
        .withMetadata(metadata)
        .addToAdditionalProperties("spec", spec)
        .build();
  }
}
