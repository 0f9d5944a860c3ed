package io.muster.extender.core.gang;

import java.util.Map;

/** What a pod carries that may name a gang. Immutable. */
public record Markings(
    String namespace, Map<String, String> labels, Map<String, String> annotations) {
  public Markings {
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }
}
