package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kube.Marks;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.webhook.kube.NvlinkFeed;
import java.util.List;
import java.util.Objects;

/**
 * Whether gangs can share NVLink over nodes here: ComputeDomains are served, nodes say in which
 * clique they are, and have channels. Pure.
 *
 * @param served whether the API server serves ComputeDomains
 * @param nodes those with a clique
 */
record NvlinkDomains(boolean served, List<Node> nodes, List<ResourceSlice> slices) {

  private static final String CHECK = "devices.nvlink";
  private static final String DRIVER = "compute-domain.nvidia.com";
  private static final String WAITS =
      "; until then gangs with muster.io/nvlink-domain: required wait";

  /** Reads them. */
  static List<Finding> findings(KubernetesClient client, List<Node> nodes) {
    boolean served = NvlinkFeed.servesDomains(client);
    return new NvlinkDomains(
            served,
            nodes.stream()
                .filter(node -> Marks.labels(node).containsKey(NvlinkDomain.LEVEL))
                .toList(),
            served && client.supports(ResourceSlice.class)
                ? client.resources(ResourceSlice.class).list().getItems()
                : List.of())
        .findings();
  }

  List<Finding> findings() {
    if (!served && nodes.isEmpty()) {
      return List.of();
    }
    if (!served) {
      return List.of(
          Finding.cannotTell(
              CHECK,
              "%d nodes have %s, and the cluster has no ComputeDomains"
                  .formatted(nodes.size(), NvlinkDomain.LEVEL),
              "install NVIDIA's DRA driver" + WAITS));
    }
    if (nodes.isEmpty()) {
      return List.of(
          Finding.cannotTell(
              CHECK,
              "the cluster has ComputeDomains, and no node has " + NvlinkDomain.LEVEL,
              "check GPU feature discovery on nodes with NVLink over nodes" + WAITS));
    }
    long cliques =
        nodes.stream()
            .map(node -> node.getMetadata().getLabels().get(NvlinkDomain.LEVEL))
            .distinct()
            .count();
    var names = nodes.stream().map(node -> node.getMetadata().getName()).toList();
    long channels =
        slices.stream()
            .map(ResourceSlice::getSpec)
            .filter(spec -> DRIVER.equals(spec.getDriver()))
            .map(spec -> spec.getNodeName())
            .filter(Objects::nonNull)
            .distinct()
            .filter(names::contains)
            .count();
    var evidence =
        "%d nodes are in %d NVLink cliques, %d of them have channels"
            .formatted(nodes.size(), cliques, channels);
    return List.of(
        channels < nodes.size()
            ? Finding.problem(
                CHECK,
                evidence,
                "check that NVIDIA's DRA driver for ComputeDomains runs on the others; no member that claims a channel goes to them")
            : Finding.ok(CHECK, evidence));
  }
}
