package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads all nodes of a cluster, a page at a time: with its images and conditions one takes 30 KB
 * and more, and commands run in small pods.
 */
public final class EveryNode {

  private static final long PAGE = 250;

  private EveryNode() {}

  /** Shows each node once. */
  public static void of(KubernetesClient client, Consumer<Node> seen) {
    paged(client.nodes(), PAGE, seen);
  }

  /** Shows each object of a kind once. */
  static <T extends HasMetadata> void paged(
      Listable<? extends KubernetesResourceList<T>> all, long most, Consumer<T> seen) {
    var from = "";
    do {
      var page = all.list(new ListOptionsBuilder().withLimit(most).withContinue(from).build());
      page.getItems().forEach(seen);
      from = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
    } while (!from.isEmpty());
  }

  /** All of them, of each its name, its labels and what it offers; not to be written back. */
  public static List<Node> lean(KubernetesClient client) {
    var nodes = new ArrayList<Node>();
    of(client, node -> nodes.add(lean(node)));
    return nodes;
  }

  private static Node lean(Node node) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(node.getMetadata().getName())
        .withLabels(node.getMetadata().getLabels())
        .endMetadata()
        .withNewStatus()
        .withAllocatable(
            Optional.ofNullable(node.getStatus())
                .map(status -> status.getAllocatable())
                .orElse(Map.of()))
        .endStatus()
        .build();
  }
}
