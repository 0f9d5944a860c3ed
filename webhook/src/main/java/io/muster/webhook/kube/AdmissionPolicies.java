package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.NamedRuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.NamedRuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.VariableBuilder;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the apiserver checks by itself, after every webhook and without asking anybody: a member is
 * stored with what kube-scheduler needs to see of it, and what it says about its gang stays as it
 * was. Immutable.
 */
record AdmissionPolicies(NamespaceChoice namespaces, List<String> always, boolean areAsking) {

  static final String COMPLETE = "muster-members-come-complete";
  static final String LASTING = "muster-members-stay-as-made";

  /**
   * The right that {@link #LASTING} asks about: who may {@code mark} pods of {@code muster.io} may
   * change Muster's keys.
   */
  private static final String MAY_MARK =
      "authorizer.group('muster.io').resource('pods').check('mark').allowed()";

  private static final Set<String> WRITTEN_BY_MUSTER = Set.of(GangKeys.INJECTED, GangKeys.PINNED);

  List<HasMetadata> objects() {
    return List.of(complete(), binding(COMPLETE), lasting(), binding(LASTING));
  }

  private ValidatingAdmissionPolicy complete() {
    return new ValidatingAdmissionPolicyBuilder()
        .withMetadata(Registration.metadata(COMPLETE))
        .withNewSpec()
        .withFailurePolicy("Fail")
        .withNewMatchConstraints()
        .withResourceRules(pods("CREATE"))
        .endMatchConstraints()
        .withMatchConditions(MatchExpressions.all("member-without-resource", brokenMember()))
        .withValidations(
            new ValidationBuilder()
                .withExpression("false")
                .withMessage(
                    ("a member of a gang would be scheduled without its gang: Muster gave it the"
                            + " resource %s and another admission plugin took it away; let that"
                            + " plugin leave the resource in place")
                        .formatted(Accelerators.MARKER))
                .withReason("Forbidden")
                .build())
        .endSpec()
        .build();
  }

  /**
   * What is refused stands in the condition: past it the apiserver prepares the pod three times
   * more, for validations, messages and audit annotations, whether there are any or not.
   */
  private List<String> brokenMember() {
    var clauses = new ArrayList<String>();
    clauses.add(
        ("has(object.metadata.annotations) && '%s' in object.metadata.annotations"
                + " && '%s' in object.metadata.annotations")
            .formatted(GangKeys.DIALECT, GangKeys.INJECTED));
    // There even if it asks for nothing, so that one of another mode does not stay.
    clauses.add(areAsking ? "!(%s)".formatted(MatchExpressions.reachesMuster()) : "false");
    clauses.addAll(always);
    return clauses;
  }

  private ValidatingAdmissionPolicy lasting() {
    var isKept = MatchExpressions.anyOf("k", WRITTEN_BY_MUSTER, Set.of(GangKeys.PREFIX));
    return new ValidatingAdmissionPolicyBuilder()
        .withMetadata(Registration.metadata(LASTING))
        .withNewSpec()
        .withFailurePolicy("Fail")
        .withNewMatchConstraints()
        .withResourceRules(pods("UPDATE"))
        .endMatchConstraints()
        .withMatchConditions(
            MatchExpressions.all(
                "annotations-differ-and-may-not-mark",
                List.of(
                    "has(object.metadata.annotations) != has(oldObject.metadata.annotations)"
                        + " || (has(object.metadata.annotations)"
                        + " && object.metadata.annotations != oldObject.metadata.annotations)",
                    "!" + MAY_MARK)))
        .withVariables(
            new VariableBuilder()
                .withName("before")
                .withExpression(keys("oldObject", isKept))
                .build(),
            new VariableBuilder().withName("now").withExpression(keys("object", isKept)).build(),
            new VariableBuilder()
                .withName("changed")
                .withExpression(
                    "variables.before.filter(k, !(k in variables.now)"
                        + " || object.metadata.annotations[k] != oldObject.metadata.annotations[k])"
                        + " + variables.now.filter(k, !(k in variables.before))")
                .build())
        .withValidations(
            new ValidationBuilder()
                .withExpression("size(variables.changed) == 0")
                .withMessageExpression(
                    "'annotation ' + variables.changed[0] + ' cannot be changed once the pod is there:"
                        + " delete the pod and create it again'")
                .withReason("Forbidden")
                .build())
        .endSpec()
        .build();
  }

  private static String keys(String pod, String isKept) {
    return "has(%s.metadata.annotations) ? %s.metadata.annotations.filter(k, %s) : []"
        .formatted(pod, pod, isKept);
  }

  private static NamedRuleWithOperations pods(String operation) {
    return new NamedRuleWithOperationsBuilder()
        .withApiGroups("")
        .withApiVersions("v1")
        .withOperations(operation)
        .withResources("pods")
        .withScope("Namespaced")
        .build();
  }

  private HasMetadata binding(String policy) {
    return new ValidatingAdmissionPolicyBindingBuilder()
        .withMetadata(Registration.metadata(policy))
        .withNewSpec()
        .withPolicyName(policy)
        .withValidationActions("Deny")
        .withNewMatchResources()
        .withNamespaceSelector(namespaces.notEnrolledAs(Enrolment.SHADOW))
        .endMatchResources()
        .endSpec()
        .build();
  }
}
