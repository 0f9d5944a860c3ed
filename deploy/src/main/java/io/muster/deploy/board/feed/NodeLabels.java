package io.muster.deploy.board.feed;

import io.muster.extender.core.cluster.Node;
import java.util.List;
import java.util.Optional;

/**
 * The labels by which nodes stand together on the map. Immutable.
 *
 * @param block outer group: the first of these labels that a node has
 * @param rack inner group, likewise
 */
public record NodeLabels(List<String> block, List<String> rack) {

  /** Those of providers and of NVIDIA's topograph, then those of Kubernetes. */
  public static final NodeLabels USUAL =
      new NodeLabels(
          List.of(
              "topology.kubernetes.io/block",
              "cloud.provider.com/topology-block",
              "cloud.google.com/gce-topology-block",
              "network.topology.nvidia.com/spine",
              "topology.k8s.aws/network-node-layer-2",
              "topology.kubernetes.io/zone"),
          List.of(
              "topology.kubernetes.io/rack",
              "cloud.provider.com/topology-rack",
              "cloud.google.com/gce-topology-subblock",
              "nvidia.com/gpu.clique",
              "network.topology.nvidia.com/block",
              "topology.k8s.aws/network-node-layer-3"));

  public NodeLabels {
    block = List.copyOf(block);
    rack = List.copyOf(rack);
  }

  Optional<String> blockOf(Node node) {
    return first(block, node);
  }

  Optional<String> rackOf(Node node) {
    return first(rack, node);
  }

  private static Optional<String> first(List<String> keys, Node node) {
    return keys.stream()
        .flatMap(key -> Optional.ofNullable(node.labels().get(key)).stream())
        .findFirst();
  }
}
