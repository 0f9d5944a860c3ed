package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodAntiAffinity;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.muster.extender.core.cluster.HostPort;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Of the pods that a pod may not share a node with, those that are like it: a required term about
 * nodes that selects the pod itself, in its own namespace. What else such terms say is
 * kube-scheduler's to see to. Stateless.
 */
final class AntiAffinity {

  private static final String NODE = "kubernetes.io/hostname";

  /** Further and longer ones are left to kube-scheduler. */
  private static final int MOST_TERMS = 4;

  private static final int LONGEST = 1024;

  private AntiAffinity() {}

  static List<HostPort> of(String namespace, Map<String, String> labels, PodSpec spec) {
    return Optional.ofNullable(spec.getAffinity())
        .map(Affinity::getPodAntiAffinity)
        .map(PodAntiAffinity::getRequiredDuringSchedulingIgnoredDuringExecution)
        .orElse(List.of())
        .stream()
        .filter(term -> isOfNodes(term, namespace) && selects(term.getLabelSelector(), labels))
        .map(term -> shown(term.getLabelSelector()))
        .filter(selector -> selector.length() <= LONGEST)
        .distinct()
        .limit(MOST_TERMS)
        .map(selector -> HostPort.onlyOne(namespace, selector))
        .toList();
  }

  private static boolean isOfNodes(PodAffinityTerm term, String namespace) {
    return NODE.equals(term.getTopologyKey())
        && term.getLabelSelector() != null
        && term.getNamespaceSelector() == null
        && term.getMismatchLabelKeys().isEmpty()
        && (term.getNamespaces().isEmpty() || term.getNamespaces().contains(namespace));
  }

  private static boolean selects(LabelSelector selector, Map<String, String> labels) {
    return labels.entrySet().containsAll(present(selector.getMatchLabels()).entrySet())
        && selector.getMatchExpressions().stream().allMatch(asks -> holds(asks, labels));
  }

  private static boolean holds(LabelSelectorRequirement asks, Map<String, String> labels) {
    var value = labels.get(text(asks.getKey()));
    return switch (text(asks.getOperator())) {
      case "In" -> value != null && asks.getValues().contains(value);
      case "NotIn" -> value == null || !asks.getValues().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      default -> false;
    };
  }

  /** The same for selectors that say the same. */
  private static String shown(LabelSelector selector) {
    var asks = new TreeSet<String>();
    for (var each : selector.getMatchExpressions()) {
      var values = each.getValues().stream().map(String::valueOf).sorted().toList();
      asks.add("%s %s %s".formatted(each.getKey(), each.getOperator(), values));
    }
    return new TreeMap<>(present(selector.getMatchLabels())) + (asks.isEmpty() ? "" : " " + asks);
  }
}
