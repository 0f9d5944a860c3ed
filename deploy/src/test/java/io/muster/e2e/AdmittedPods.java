package io.muster.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.sandbox.Layout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The pods on which injection is checked, and how they are compared once an apiserver had them. */
final class AdmittedPods {

  private static final Path FOLDER =
      Layout.current().deploy().getParent().resolve("webhook/src/test/resources/injection");
  private static final ObjectMapper JSON = new ObjectMapper();

  private AdmittedPods() {}

  static String profiles() {
    return read(FOLDER.resolve("profiles.yaml"));
  }

  /** Names of the fixtures. */
  static List<String> names() {
    try (var folders = Files.list(FOLDER)) {
      return folders
          .filter(Files::isDirectory)
          .map(folder -> folder.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ObjectNode pod(String name) {
    return Serialization.unmarshal(
        "---\n" + read(FOLDER.resolve(name).resolve("pod.yaml")), ObjectNode.class);
  }

  /** What the refusal says, where the fixture is refused; else empty text. */
  static String refusal(String name) {
    var file = FOLDER.resolve(name).resolve("denied.txt");
    return Files.exists(file) ? read(file).strip().replaceFirst("^\\d+ ", "") : "";
  }

  /** The pod as the apiserver would store it in that namespace. */
  static ObjectNode rehearsed(KubernetesClient client, ObjectNode pod, String namespace) {
    var sent = JSON.convertValue(inNamespace(pod, namespace), Pod.class);
    var stored = client.pods().inNamespace(namespace).resource(sent).dryRun(true).create();
    return JSON.valueToTree(stored);
  }

  static ObjectNode inNamespace(ObjectNode pod, String namespace) {
    var moved = pod.deepCopy();
    moved.withObject("/metadata").put("namespace", namespace);
    return moved;
  }

  /**
   * Marks and spec, as text that is alike wherever what users and Muster say is: without what the
   * apiserver computes after everybody else.
   */
  static String comparable(JsonNode pod) {
    var spec = (ObjectNode) pod.path("spec").deepCopy();
    spec.remove(List.of("priority", "preemptionPolicy", "schedulingGates"));
    spec.findParents("fieldRef")
        .forEach(parent -> ((ObjectNode) parent.path("fieldRef")).put("apiVersion", "v1"));
    var marks = JSON.createObjectNode();
    marks.set("labels", pod.path("metadata").path("labels"));
    marks.set("annotations", pod.path("metadata").path("annotations"));
    return Serialization.asYaml(sorted(marks)) + Serialization.asYaml(sorted(spec));
  }

  private static JsonNode sorted(JsonNode node) {
    if (node.isObject()) {
      var sorted = JSON.createObjectNode();
      node.properties().stream()
          .sorted(Map.Entry.comparingByKey())
          .filter(entry -> !(entry.getValue().isContainerNode() && entry.getValue().isEmpty()))
          .filter(entry -> !entry.getValue().isMissingNode() && !entry.getValue().isNull())
          .forEach(entry -> sorted.set(entry.getKey(), sorted(entry.getValue())));
      return sorted;
    }
    if (node.isArray()) {
      var items = JSON.createArrayNode();
      node.forEach(item -> items.add(sorted(item)));
      return items;
    }
    return node;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
