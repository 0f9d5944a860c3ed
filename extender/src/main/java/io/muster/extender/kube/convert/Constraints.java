package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeNodeAffinity;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.cluster.Toleration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Where a pod may go. What this version does not know, a new operator or effect, narrows: such a
 * requirement never holds, such a toleration covers nothing.
 */
public final class Constraints {

  private static final Requirement NEVER = new Requirement("", Operator.IN, Set.of());
  private static final NodeTerm NOWHERE = new NodeTerm(List.of(), List.of());

  private Constraints() {}

  static Demand demand(Resources requests, PodSpec spec) {
    return new Demand(
            requests,
            present(spec.getNodeSelector()),
            requiredTerms(spec),
            spec.getTolerations().stream().flatMap(t -> toleration(t).stream()).toList())
        .preferring(preferredTerms(spec));
  }

  static Optional<Taint.Effect> effect(String effect) {
    return switch (text(effect)) {
      case "NoSchedule" -> Optional.of(Taint.Effect.NO_SCHEDULE);
      case "PreferNoSchedule" -> Optional.of(Taint.Effect.PREFER_NO_SCHEDULE);
      case "NoExecute" -> Optional.of(Taint.Effect.NO_EXECUTE);
      default -> Optional.empty();
    };
  }

  private static Optional<Toleration> toleration(
      io.fabric8.kubernetes.api.model.Toleration toleration) {
    var operator = text(toleration.getOperator());
    boolean exists = operator.equals("Exists");
    if (!exists && !operator.isEmpty() && !operator.equals("Equal")) {
      return Optional.empty();
    }
    var effect = effect(toleration.getEffect());
    if (effect.isEmpty() && !text(toleration.getEffect()).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Toleration(
            text(toleration.getKey()),
            exists,
            text(toleration.getValue()),
            effect,
            toleration.getTolerationSeconds() != null));
  }

  /** The alternatives of the required node affinity; one that matches nothing if it has none. */
  private static List<NodeTerm> requiredTerms(PodSpec spec) {
    return Optional.ofNullable(spec.getAffinity())
        .map(Affinity::getNodeAffinity)
        .map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution)
        .map(required -> required.getNodeSelectorTerms().stream().map(Constraints::term).toList())
        .map(terms -> terms.isEmpty() ? List.of(NOWHERE) : terms)
        .orElse(List.of());
  }

  /** What its node affinity prefers; the weights say nothing where all shall hold. */
  private static List<NodeTerm> preferredTerms(PodSpec spec) {
    return Optional.ofNullable(spec.getAffinity())
        .map(Affinity::getNodeAffinity)
        .map(NodeAffinity::getPreferredDuringSchedulingIgnoredDuringExecution)
        .map(preferred ->
            preferred.stream()
                .filter(term -> term.getPreference() != null)
                .map(term -> term(term.getPreference()))
                .toList())
        .orElse(List.of());
  }

  /** Where a volume can be used; empty if everywhere. */
  public static Optional<List<NodeTerm>> terms(PersistentVolume volume) {
    return Optional.ofNullable(volume.getSpec())
        .map(PersistentVolumeSpec::getNodeAffinity)
        .map(VolumeNodeAffinity::getRequired)
        .map(required -> required.getNodeSelectorTerms().stream().map(Constraints::term).toList());
  }

  private static NodeTerm term(NodeSelectorTerm term) {
    return new NodeTerm(
        term.getMatchExpressions().stream().map(Constraints::requirement).toList(),
        term.getMatchFields().stream().map(Constraints::requirement).toList());
  }

  private static Requirement requirement(NodeSelectorRequirement requirement) {
    return operator(text(requirement.getOperator()))
        .map(operator ->
            new Requirement(
                text(requirement.getKey()), operator, new LinkedHashSet<>(requirement.getValues())))
        .orElse(NEVER);
  }

  public static Optional<Operator> operator(String name) {
    return Arrays.stream(Operator.values())
        .filter(operator -> operator.apiName().equals(name))
        .findFirst();
  }
}
