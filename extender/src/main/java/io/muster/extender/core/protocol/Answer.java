package io.muster.extender.core.protocol;

import java.util.List;
import java.util.Map;

/** What filter says of the nodes it was offered. Immutable. */
public sealed interface Answer {

  /** The names that may take the pod, in the order offered; the rest get the constant text. */
  record Accept(List<String> nodes, String refusal) implements Answer {
    public Accept {
      nodes = List.copyOf(nodes);
    }
  }

  /** None may; the text is constant, so that a refused pod is not woken by its own message. */
  record Refuse(String refusal) implements Answer {}

  /** Scores for prioritize, 0 to 10 a node. */
  record Scores(Map<String, Integer> byNode) {
    public Scores {
      byNode = Map.copyOf(byNode);
    }
  }
}
