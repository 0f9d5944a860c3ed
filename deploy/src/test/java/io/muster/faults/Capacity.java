package io.muster.faults;

import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.sandbox.TestSpace;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** Adds up what the pods on the nodes of a test ask for. */
public final class Capacity {

  private static final String GPU = "nvidia.com/gpu";

  private Capacity() {}

  /** A sentence for each node on which pods hold more GPUs than it has. */
  public static List<String> exceeded(TestSpace space) {
    var used = new HashMap<String, Integer>();
    for (var pod : space.client().pods().inNamespace(space.namespace()).list().getItems()) {
      boolean occupies =
          pod.getSpec().getNodeName() != null
              && !List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase());
      if (occupies) {
        int gpus =
            pod.getSpec().getContainers().stream()
                .flatMap(container -> Optional.ofNullable(container.getResources()).stream())
                .flatMap(resources -> Optional.ofNullable(resources.getLimits()).stream())
                .mapToInt(limits -> number(limits.get(GPU)))
                .sum();
        used.merge(pod.getSpec().getNodeName(), gpus, Integer::sum);
      }
    }
    return space.client().nodes().withLabels(space.nodeSelector()).list().getItems().stream()
        .filter(node ->
            used.getOrDefault(node.getMetadata().getName(), 0)
                > number(node.getStatus().getAllocatable().get(GPU)))
        .map(node -> "node " + node.getMetadata().getName() + " holds more GPUs than it has")
        .toList();
  }

  private static int number(Quantity quantity) {
    return quantity == null ? 0 : quantity.getNumericalAmount().intValueExact();
  }
}
