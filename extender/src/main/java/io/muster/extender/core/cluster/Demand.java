package io.muster.extender.core.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pod asks of a node: its shape. Two members with equal demands are interchangeable for the
 * planner. {@code anyOfTerms} empty means no required node affinity. Immutable.
 */
public record Demand(
    Resources requests,
    Map<String, String> nodeSelector,
    List<NodeTerm> anyOfTerms,
    List<Toleration> tolerations) {

  public Demand {
    nodeSelector = Map.copyOf(nodeSelector);
    anyOfTerms = List.copyOf(anyOfTerms);
    tolerations = List.copyOf(tolerations);
  }

  /** The same demand, on nodes with that label alone. */
  public Demand selecting(String key, String value) {
    var selector = new HashMap<>(nodeSelector);
    selector.put(key, value);
    return new Demand(requests, selector, anyOfTerms, tolerations);
  }

  /** The same demand with other required node terms. */
  public Demand within(List<NodeTerm> terms) {
    return new Demand(requests, nodeSelector, terms, tolerations);
  }
}
