package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Makes and removes the fake nodes of a sandbox. Safe for concurrent use. */
public final class Nodes {

  private static final String DOWN = "sandbox.muster.io/down";
  private static final int PARALLEL = 16;
  private static final Duration EDITED = Duration.ofSeconds(10);
  private static final Duration LEAST_LIMIT = Duration.ofSeconds(30);

  private final KubernetesClient client;

  Nodes(KubernetesClient client) {
    this.client = client;
  }

  /** Makes the nodes and returns their names when all are Ready and free of start-up taints. */
  public List<String> add(NodeRequest request) {
    var nodes = request.nodes();
    each(nodes, node -> client.nodes().resource(node).create());
    var names = nodes.stream().map(node -> node.getMetadata().getName()).toList();
    // kube-controller-manager untaints about 100 nodes/s on 2 idle cores; a quarter of that must
    // do.
    var limit = LEAST_LIMIT.plusMillis(40L * nodes.size());
    Await.until(
        nodes.size() + " nodes to be Ready",
        limit,
        () -> ready(request.labels()).containsAll(names));
    return names;
  }

  /** Removes these nodes; pods bound to them are left to the controllers. */
  public void remove(Collection<String> names) {
    each(names, name -> client.nodes().withName(name).delete());
  }

  /** Removes the nodes that carry all these labels. */
  public void remove(Map<String, String> labels) {
    if (labels.isEmpty()) {
      throw new IllegalArgumentException("without a label this would remove every node");
    }
    client.nodes().withLabels(labels).delete();
  }

  /** Makes a node stop being Ready, as if its kubelet had gone silent. */
  public void takeDown(String name) {
    edit(name, annotations -> annotations.put(DOWN, "true"));
  }

  /** Undoes {@link #takeDown}. */
  public void bringUp(String name) {
    edit(name, annotations -> annotations.remove(DOWN));
  }

  /** Tries again where a controller has changed the node in between. */
  private void edit(String name, Consumer<Map<String, String>> change) {
    Await.until(
        "node " + name + " to be edited",
        EDITED,
        () -> {
          try {
            client
                .nodes()
                .withName(name)
                .edit(node -> {
                  change.accept(node.getMetadata().getAnnotations());
                  return node;
                });
            return true;
          } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
              throw e;
            }
            return false;
          }
        });
  }

  /** The names of nodes that carry these labels and take pods. */
  public Set<String> ready(Map<String, String> labels) {
    return client.nodes().withLabels(labels).list().getItems().stream()
        .filter(Nodes::isReady)
        .map(node -> node.getMetadata().getName())
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static boolean isReady(Node node) {
    return node.getStatus().getConditions().stream()
            .anyMatch(condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"))
        && node.getSpec().getTaints().stream()
            .noneMatch(taint -> taint.getKey().equals("node.kubernetes.io/not-ready"));
  }

  private static <T> void each(Collection<T> items, Consumer<T> action) {
    try (var pool = Executors.newFixedThreadPool(PARALLEL)) {
      List<? extends Future<?>> all =
          items.stream().map(item -> pool.submit(() -> action.accept(item))).toList();
      for (Future<?> one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new SandboxException("The nodes cannot be changed: " + e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The change of nodes was interrupted.", e);
    }
  }
}
