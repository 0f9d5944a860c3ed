package io.muster.webhook.core;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Markings;
import java.util.List;
import java.util.Map;

/**
 * A pod that asks to be stored: what it means, and what is written in it where it may be patched.
 * Immutable.
 *
 * @param hostNetwork whether it uses its node's network
 * @param gates names of its scheduling gates, in their order
 */
public record PodFacts(
    Pod pod,
    Markings markings,
    List<String> gates,
    boolean hostNetwork,
    AffinityFacts affinity,
    List<ContainerFacts> initContainers,
    List<ContainerFacts> containers) {

  public PodFacts {
    gates = List.copyOf(gates);
    initContainers = List.copyOf(initContainers);
    containers = List.copyOf(containers);
  }

  /** Which objects of the pod's affinity are there, whatever is in them. */
  public record AffinityFacts(boolean isThere, boolean hasNodeAffinity) {}

  /**
   * One container.
   *
   * @param hasResources whether the object {@code resources} is there at all
   * @param requests quantities as they are written
   * @param limits quantities as they are written
   */
  public record ContainerFacts(
      boolean hasResources, Map<String, String> requests, Map<String, String> limits) {
    public ContainerFacts {
      requests = Map.copyOf(requests);
      limits = Map.copyOf(limits);
    }
  }
}
