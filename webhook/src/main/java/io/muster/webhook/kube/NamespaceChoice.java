package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirementBuilder;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.dialect.OwnerInference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which namespaces an object of the registration is for. Never the system's, never Muster's own,
 * which a webhook that is down must not keep down, and none that has opted out. Immutable.
 */
record NamespaceChoice(String ownNamespace) {

  private static final List<String> SYSTEM =
      List.of("kube-system", "kube-public", "kube-node-lease");

  LabelSelector enrolledAs(Enrolment... enrolments) {
    return with("In", enrolments);
  }

  /** Also where the label is missing or says something else. */
  LabelSelector notEnrolledAs(Enrolment... enrolments) {
    return with("NotIn", enrolments);
  }

  /** The same without, or only with, those that have gangs inferred from owners. */
  static LabelSelector inferring(boolean infers, LabelSelector chosen) {
    return new LabelSelectorBuilder(chosen)
        .addToMatchExpressions(
            requirement(OwnerInference.LABEL, infers ? "In" : "NotIn", List.of("true")))
        .build();
  }

  private LabelSelector with(String operator, Enrolment... enrolments) {
    var excluded = new ArrayList<>(SYSTEM);
    excluded.add(ownNamespace);
    return new LabelSelectorBuilder()
        .withMatchExpressions(
            requirement(Registration.INJECTION_LABEL, "NotIn", List.of("disabled")),
            requirement("kubernetes.io/metadata.name", "NotIn", excluded),
            requirement(
                Enrolment.LABEL,
                operator,
                Arrays.stream(enrolments).map(Enrolment::value).toList()))
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
