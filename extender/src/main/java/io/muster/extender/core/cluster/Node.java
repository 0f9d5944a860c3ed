package io.muster.extender.core.cluster;

import java.util.List;
import java.util.Map;

/**
 * A node as the planner sees it. {@code allocatable} is what pods may use in all, {@code podLimit}
 * how many pods may run there. Immutable.
 */
public record Node(
    String name,
    Map<String, String> labels,
    List<Taint> taints,
    Availability availability,
    Resources allocatable,
    int podLimit) {

  public Node {
    labels = Map.copyOf(labels);
    podLimit = Math.max(0, podLimit);
    taints = List.copyOf(taints);
  }

  /** Whether pods may be sent to the node now. */
  public enum Availability {
    READY,
    NOT_READY,
    CORDONED,
    /** It is being deleted, or somebody has announced that it goes. */
    LEAVING
  }

  /** Whether the kubelet is up, nobody has cordoned the node and it stays. */
  public boolean isAvailable() {
    return availability == Availability.READY;
  }
}
