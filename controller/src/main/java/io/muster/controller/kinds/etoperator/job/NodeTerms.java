package io.muster.controller.kinds.etoperator.job;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.node.SignalTable.SpotLabel;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What a job says of the nodes of its pods, beside what its user says. */
public final class NodeTerms {

  private static final int PREFERENCE = 100;

  private NodeTerms() {}

  /** The pod goes to none of the nodes with these host names. */
  static void keepOff(PodSpec spec, Collection<String> hostnames) {
    if (hostnames.isEmpty()) {
      return;
    }
    // Not by the nodes' own names: a term that names a node cannot be tied to another.
    var elsewhere =
        new NodeSelectorRequirement(
            LeavingNodes.HOSTNAME, "NotIn", hostnames.stream().sorted().toList());
    var affinity = affinity(spec);
    var given =
        Optional.ofNullable(affinity.getNodeAffinity())
            .map(node -> node.getRequiredDuringSchedulingIgnoredDuringExecution())
            .map(required -> required.getNodeSelectorTerms())
            .filter(terms -> !terms.isEmpty())
            .orElseGet(() -> List.of(new NodeSelectorTerm()));
    // A node has to suit one of the terms, so each of them says it.
    var terms =
        given.stream()
            .map(term -> new NodeSelectorTermBuilder(term).addToMatchExpressions(elsewhere).build())
            .toList();
    spec.setAffinity(
        new AffinityBuilder(affinity)
            .editOrNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .withNodeSelectorTerms(terms)
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .build());
  }

  /** The pod goes to nodes with these labels last. */
  static void avoid(PodSpec spec, List<SpotLabel> labels) {
    if (labels.isEmpty()) {
      return;
    }
    var elsewhere =
        labels.stream()
            .map(label -> new NodeSelectorRequirement(label.key(), "NotIn", label.values()))
            .toList();
    spec.setAffinity(
        new AffinityBuilder(affinity(spec))
            .editOrNewNodeAffinity()
            .addNewPreferredDuringSchedulingIgnoredDuringExecution()
            .withNewPreference()
            .withMatchExpressions(elsewhere)
            .endPreference()
            .withWeight(PREFERENCE)
            .endPreferredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .build());
  }

  private static Affinity affinity(PodSpec spec) {
    return Objects.requireNonNullElseGet(spec.getAffinity(), Affinity::new);
  }
}
