package io.muster.extender.core.cluster;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One term of a pod's required node affinity: all its requirements must hold; a term without any
 * matches nothing, as in kube-scheduler. Immutable.
 */
public record NodeTerm(List<Requirement> labels, List<Requirement> fields) {

  private static final String NAME = "metadata.name";

  public NodeTerm {
    labels = List.copyOf(labels);
    fields = List.copyOf(fields);
  }

  /** How a requirement compares. */
  public enum Operator {
    IN("In"),
    NOT_IN("NotIn"),
    EXISTS("Exists"),
    DOES_NOT_EXIST("DoesNotExist"),
    GREATER_THAN("Gt"),
    LESS_THAN("Lt");

    private final String apiName;

    Operator(String apiName) {
      this.apiName = apiName;
    }

    /** As core/v1 writes it. */
    public String apiName() {
      return apiName;
    }
  }

  /** One comparison of a label, or of the field {@code metadata.name}; values in their order. */
  public record Requirement(String key, Operator operator, Set<String> values) {
    public Requirement {
      values = Collections.unmodifiableSet(new LinkedHashSet<>(values));
    }

    /** Whether it holds for something with these labels. */
    boolean holdsFor(Map<String, String> labels) {
      return holds(labels.containsKey(key), labels.getOrDefault(key, ""));
    }

    private boolean holds(boolean present, String value) {
      return switch (operator) {
        case IN -> present && values.contains(value);
        case NOT_IN -> !present || !values.contains(value);
        case EXISTS -> present;
        case DOES_NOT_EXIST -> !present;
        case GREATER_THAN -> present && compare(value) > 0;
        case LESS_THAN -> present && compare(value) < 0;
      };
    }

    /** Fields know but the name of the node, and that it is, or is not, one value. */
    private boolean holdsForField(Node node) {
      return isOfName() && holds(true, node.name());
    }

    private boolean isOfName() {
      return key.equals(NAME)
          && values.size() == 1
          && (operator == Operator.IN || operator == Operator.NOT_IN);
    }

    /** Sign of value minus bound; 0 where either is not a whole number, so that neither holds. */
    private int compare(String value) {
      if (values.size() != 1) {
        return 0;
      }
      try {
        return Long.compare(Long.parseLong(value), Long.parseLong(values.iterator().next()));
      } catch (NumberFormatException _) {
        return 0;
      }
    }
  }

  /** Whether the node satisfies every requirement of this term. */
  public boolean matches(Node node) {
    if (labels.isEmpty() && fields.isEmpty()) {
      return false;
    }
    return labels.stream().allMatch(r -> r.holdsFor(node.labels()))
        && fields.stream().allMatch(r -> r.holdsForField(node));
  }

  /** The only node on which this term can hold, if it names one. */
  public Optional<String> onlyNode() {
    return fields.stream()
        .filter(r -> r.isOfName() && r.operator() == Operator.IN)
        .map(r -> r.values().iterator().next())
        .findFirst();
  }
}
