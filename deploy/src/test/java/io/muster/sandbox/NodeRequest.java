package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Nodes to be made, all alike. Immutable.
 *
 * @param prefix nodes are named prefix-0, prefix-1 and so on
 * @param labels added to those of the shape
 */
public record NodeRequest(
    String prefix, int count, NodeShape shape, Map<String, String> labels, List<Taint> taints) {

  public NodeRequest {
    if (count < 0) {
      throw new IllegalArgumentException("count is " + count);
    }
    labels = Map.copyOf(labels);
    taints = List.copyOf(taints);
  }

  public static NodeRequest of(String prefix, int count, NodeShape shape) {
    return new NodeRequest(prefix, count, shape, Map.of(), List.of());
  }

  public NodeRequest labelled(Map<String, String> more) {
    var all = new HashMap<>(labels);
    all.putAll(more);
    return new NodeRequest(prefix, count, shape, all, taints);
  }

  public NodeRequest tainted(List<Taint> more) {
    return new NodeRequest(prefix, count, shape, labels, more);
  }

  List<Node> nodes() {
    return IntStream.range(0, count).mapToObj(i -> node(prefix + "-" + i)).toList();
  }

  private Node node(String name) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("kubernetes.io/hostname", name)
        .addToLabels("kubernetes.io/os", "linux")
        .addToLabels("kubernetes.io/arch", "amd64")
        .addToLabels(shape.labels())
        .addToLabels(labels)
        .addToAnnotations("kwok.x-k8s.io/node", "fake")
        .endMetadata()
        .withNewSpec()
        .withTaints(taints)
        .endSpec()
        .withNewStatus()
        .withCapacity(shape.capacity())
        .withAllocatable(shape.capacity())
        .endStatus()
        .build();
  }
}
