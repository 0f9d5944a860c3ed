package io.muster.extender.core.cluster;

import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes that Muster tied a pod to: the planned one first, then spare ones. kube-scheduler looks
 * at no others. Written as required node affinity on the field {@code metadata.name}, one term a
 * node, since the API takes one name a term and terms are alternatives; each of a pod's own terms
 * is kept once for each node, and one that matches nothing as it is. Immutable.
 *
 * @param token names the place that was handed out with it
 */
public record NodePin(String token, List<String> nodes) {

  private static final String FIELD = "metadata.name";

  public NodePin {
    nodes = List.copyOf(nodes);
    if (token.isEmpty() || nodes.isEmpty()) {
      throw new IllegalArgumentException("a pin names its place and at least one node");
    }
  }

  /** The node that the pod was planned for. */
  public String planned() {
    return nodes.getFirst();
  }

  /** The demand, tied to these nodes. */
  public Demand tie(Demand demand) {
    var own = demand.anyOfTerms().isEmpty() ? List.of(noTerm()) : demand.anyOfTerms();
    var tied = new ArrayList<NodeTerm>(own.size() * nodes.size());
    for (var node : nodes) {
      for (var term : own) {
        tied.add(term.equals(noTerm()) && !demand.anyOfTerms().isEmpty() ? term : on(node, term));
      }
    }
    return demand.within(tied);
  }

  /** The demand as it was before it was tied. */
  public Demand untie(Demand demand) {
    var own = new LinkedHashSet<NodeTerm>();
    for (var term : demand.anyOfTerms()) {
      var fields = new ArrayList<>(term.fields());
      fields.removeIf(this::isOurs);
      own.add(new NodeTerm(term.labels(), fields));
    }
    own.remove(noTerm());
    return demand.within(List.copyOf(own));
  }

  /** As it is written in the pod's annotation. */
  public String text() {
    return token + ":" + String.join(",", nodes);
  }

  /** Reads what {@link #text} wrote; empty for anything else. */
  public static Optional<NodePin> parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 1 || colon == text.length() - 1) {
      return Optional.empty();
    }
    var nodes = List.of(text.substring(colon + 1).split(",", -1));
    return nodes.contains("")
        ? Optional.empty()
        : Optional.of(new NodePin(text.substring(0, colon), nodes));
  }

  private static NodeTerm on(String node, NodeTerm term) {
    var fields = new ArrayList<>(term.fields());
    fields.add(name(node));
    return new NodeTerm(term.labels(), fields);
  }

  private boolean isOurs(Requirement requirement) {
    return requirement.key().equals(FIELD)
        && requirement.operator() == Operator.IN
        && requirement.values().size() == 1
        && nodes.containsAll(requirement.values());
  }

  private static Requirement name(String node) {
    return new Requirement(FIELD, Operator.IN, Set.of(node));
  }

  private static NodeTerm noTerm() {
    return new NodeTerm(List.of(), List.of());
  }
}
