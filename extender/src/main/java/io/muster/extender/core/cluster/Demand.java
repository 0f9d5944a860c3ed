package io.muster.extender.core.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pod asks of a node: its shape. Two members with equal demands are interchangeable for the
 * planner. {@code anyOfTerms} empty means no required node affinity. Immutable.
 *
 * @param volumes for each volume that is not everywhere, the terms of which one must hold
 * @param preferred nodes for which one of these does not hold are taken after all others
 */
public record Demand(
    Resources requests,
    Map<String, String> nodeSelector,
    List<NodeTerm> anyOfTerms,
    List<Toleration> tolerations,
    List<List<NodeTerm>> volumes,
    List<NodeTerm> preferred) {

  public Demand {
    nodeSelector = Map.copyOf(nodeSelector);
    anyOfTerms = List.copyOf(anyOfTerms);
    tolerations = List.copyOf(tolerations);
    volumes = volumes.stream().map(List::copyOf).toList();
    preferred = List.copyOf(preferred);
  }

  /** What a pod asks for whose volumes, if any, are everywhere, and that prefers no node. */
  public Demand(
      Resources requests,
      Map<String, String> nodeSelector,
      List<NodeTerm> anyOfTerms,
      List<Toleration> tolerations) {
    this(requests, nodeSelector, anyOfTerms, tolerations, List.of(), List.of());
  }

  /** Whether the node has the labels that are asked for by name. */
  public boolean selects(Node node) {
    return node.labels().entrySet().containsAll(nodeSelector.entrySet());
  }

  /** The same demand, on nodes with that label alone. */
  public Demand selecting(String key, String value) {
    var selector = new HashMap<>(nodeSelector);
    selector.put(key, value);
    return new Demand(requests, selector, anyOfTerms, tolerations, volumes, preferred);
  }

  /** The same demand for other amounts, that prefers no node. */
  public Demand asking(Resources amounts) {
    return new Demand(amounts, nodeSelector, anyOfTerms, tolerations, volumes, List.of());
  }

  /** The same amounts and tolerations, on any node. */
  public Demand anywhere() {
    return new Demand(requests, Map.of(), List.of(), tolerations);
  }

  /** The same demand with other required node terms. */
  public Demand within(List<NodeTerm> terms) {
    return new Demand(requests, nodeSelector, terms, tolerations, volumes, preferred);
  }

  /** The same demand with volumes where these terms say. */
  public Demand onVolumes(List<List<NodeTerm>> terms) {
    return new Demand(requests, nodeSelector, anyOfTerms, tolerations, terms, preferred);
  }

  /** The same demand that prefers nodes for which all these terms hold. */
  public Demand preferring(List<NodeTerm> terms) {
    return new Demand(requests, nodeSelector, anyOfTerms, tolerations, volumes, terms);
  }
}
