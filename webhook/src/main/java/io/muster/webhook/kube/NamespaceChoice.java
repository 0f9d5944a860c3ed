package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirementBuilder;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.dialect.OwnerInference;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which namespaces an object of the registration is for. Never the system's, never Muster's own,
 * which a webhook that is down must not keep down, and none that has opted out. Immutable.
 *
 * @param fallback how namespaces are enrolled whose label is missing or says something else
 */
record NamespaceChoice(String ownNamespace, Enrolment fallback) {

  private static final List<String> SYSTEM =
      List.of("kube-system", "kube-public", "kube-node-lease");

  LabelSelector enrolledAs(Enrolment first, Enrolment... others) {
    var chosen = EnumSet.of(first, others);
    return chosen.contains(fallback)
        ? with("NotIn", EnumSet.complementOf(chosen))
        : with("In", chosen);
  }

  /** The same without, or only with, those that have gangs inferred from owners. */
  static LabelSelector inferring(boolean infers, LabelSelector chosen) {
    return new LabelSelectorBuilder(chosen)
        .addToMatchExpressions(
            requirement(OwnerInference.LABEL, infers ? "In" : "NotIn", List.of("true")))
        .build();
  }

  /** Those of them that have the cluster's own gangs wait in a queue. */
  static LabelSelector queueing(LabelSelector chosen) {
    return new LabelSelectorBuilder(chosen)
        .addNewMatchExpression()
        .withKey(GangKeys.QUEUE)
        .withOperator("Exists")
        .endMatchExpression()
        .build();
  }

  private LabelSelector with(String operator, Set<Enrolment> enrolments) {
    var excluded = new ArrayList<>(SYSTEM);
    excluded.add(ownNamespace);
    return new LabelSelectorBuilder()
        .withMatchExpressions(
            requirement(Registration.INJECTION_LABEL, "NotIn", List.of("disabled")),
            requirement("kubernetes.io/metadata.name", "NotIn", excluded),
            requirement(
                Enrolment.LABEL, operator, enrolments.stream().map(Enrolment::value).toList()))
        .build();
  }

  private static LabelSelectorRequirement requirement(
      String key, String operator, List<String> values) {
    return new LabelSelectorRequirementBuilder()
        .withKey(key)
        .withOperator(operator)
        .withValues(values)
        .build();
  }
}
