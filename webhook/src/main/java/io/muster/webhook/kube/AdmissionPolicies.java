package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.NamedRuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.NamedRuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.Variable;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.VariableBuilder;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.dialect.DialectKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the apiserver checks by itself, after every webhook and without asking anybody: a member is
 * stored with what kube-scheduler needs to see of it, no user sends a pod with devices past its
 * scheduler, and what a pod says about its gang, its queue and how it wants to wait stays as it
 * was. Immutable.
 */
record AdmissionPolicies(NamespaceChoice namespaces, List<String> always, boolean areAsking) {

  static final String COMPLETE = "muster-members-come-complete";
  static final String LASTING = "muster-members-stay-as-made";
  static final String PLACED = "muster-pods-name-no-node";

  static final List<String> NAMES = List.of(COMPLETE, LASTING, PLACED);

  /**
   * The right that {@link #LASTING} asks about: who may {@code mark} pods of {@code muster.io} may
   * change Muster's keys.
   */
  private static final String MAY_MARK =
      "authorizer.group('muster.io').resource('pods').check('mark').allowed()";

  /** Whoever may bind the pods of the namespace may as well say where they go at once. */
  private static final String MAY_BIND =
      "authorizer.group('').resource('pods').subresource('binding')"
          + ".namespace(request.namespace).check('create').allowed()";

  /** What Muster has written, and by what a pod gets before others or at their cost. */
  private static final Set<String> OWN_ANNOTATIONS =
      Set.of(
          GangKeys.INJECTED,
          GangKeys.PINNED,
          GangKeys.CONTROLLED,
          GangKeys.QUEUE,
          GangKeys.PREEMPTIBLE,
          GangKeys.RUN_TIME,
          GangKeys.RUN_TIME_LIMIT,
          GangKeys.CHECKPOINT);

  private static final Set<String> OWN_LABELS = Set.of(GangKeys.MEMBER, GangKeys.ENOUGH);

  /**
   * Muster's keys on every pod; those of other ecosystems on members, of which Muster has read
   * them.
   */
  private static final String KEPT_ANNOTATIONS =
      kept(
          MatchExpressions.anyOf("k", OWN_ANNOTATIONS, Set.of(GangKeys.PREFIX)),
          MatchExpressions.anyOf(
              "k",
              both(DialectKeys.ANNOTATIONS, DialectKeys.ANNOTATIONS_OF_TERMS),
              DialectKeys.ANNOTATION_PREFIXES));

  private static final String KEPT_LABELS =
      kept(
          MatchExpressions.anyOf("k", OWN_LABELS, Set.of()),
          MatchExpressions.anyOf(
              "k", both(DialectKeys.LABELS, DialectKeys.LABELS_OF_TERMS), Set.of()));

  private static String kept(String always, String ofMembers) {
    return "%s || (variables.isMember && (%s))".formatted(always, ofMembers);
  }

  private static Set<String> both(Set<String> some, Set<String> others) {
    var all = new TreeSet<>(some);
    all.addAll(others);
    return all;
  }

  List<HasMetadata> objects() {
    return List.of(
        complete(), binding(COMPLETE), lasting(), binding(LASTING), placed(), binding(PLACED));
  }

  private ValidatingAdmissionPolicy complete() {
    return refusal(
        COMPLETE,
        MatchExpressions.all("member-without-resource", brokenMember()),
        ("a member of a gang would be scheduled without its gang: Muster gave it the"
                + " resource %s and another admission plugin took it away; let that"
                + " plugin leave the resource in place")
            .formatted(Accelerators.MARKER));
  }

  private static ValidatingAdmissionPolicy placed() {
    return refusal(
        PLACED,
        MatchExpressions.all("names-its-node", pastItsScheduler()),
        "spec.nodeName sends a pod past its scheduler, which may not be done with a pod that asks"
            + " for devices or is a member of a gang: leave it out, and choose nodes by"
            + " spec.nodeSelector or node affinity on kubernetes.io/hostname; whoever may create"
            + " pods/binding in the namespace may set it, on pods that no controller makes");
  }

  /**
   * Whoever makes a pod of a controller follows a template that somebody else may have written, so
   * what the controller itself may do says nothing.
   */
  private static List<String> pastItsScheduler() {
    return List.of(
        MatchExpressions.NODE_NAMED,
        MatchExpressions.GANG_OR_ACCELERATOR,
        MatchExpressions.NOT_BY_A_NODE,
        "%s || !%s".formatted(MatchExpressions.CONTROLLED, MAY_BIND));
  }

  /**
   * What is refused stands in the condition: past it the apiserver prepares the pod three times
   * more, for validations, messages and audit annotations, whether there are any or not.
   */
  private static ValidatingAdmissionPolicy refusal(
      String name, MatchCondition refused, String message) {
    return new ValidatingAdmissionPolicyBuilder()
        .withMetadata(Registration.metadata(name))
        .withNewSpec()
        .withFailurePolicy("Fail")
        .withNewMatchConstraints()
        .withResourceRules(pods("CREATE"))
        .endMatchConstraints()
        .withMatchConditions(refused)
        .withValidations(
            new ValidationBuilder()
                .withExpression("false")
                .withMessage(message)
                .withReason("Forbidden")
                .build())
        .endSpec()
        .build();
  }

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
    return new ValidatingAdmissionPolicyBuilder()
        .withMetadata(Registration.metadata(LASTING))
        .withNewSpec()
        .withFailurePolicy("Fail")
        .withNewMatchConstraints()
        .withResourceRules(pods("UPDATE"))
        .endMatchConstraints()
        .withMatchConditions(
            MatchExpressions.all(
                "markings-differ-and-may-not-mark",
                List.of(differ("annotations") + " || " + differ("labels"), "!" + MAY_MARK)))
        .withVariables(
            variable(
                "isMember",
                "has(oldObject.metadata.annotations) && '%s' in oldObject.metadata.annotations"
                    .formatted(GangKeys.DIALECT)),
            variable("before", keys("oldObject", "annotations", KEPT_ANNOTATIONS)),
            variable("now", keys("object", "annotations", KEPT_ANNOTATIONS)),
            variable("changed", changed("before", "now", "annotations")),
            variable("labelsBefore", keys("oldObject", "labels", KEPT_LABELS)),
            variable("labelsNow", keys("object", "labels", KEPT_LABELS)),
            variable("changedLabels", changed("labelsBefore", "labelsNow", "labels")))
        .withValidations(
            new ValidationBuilder()
                .withExpression(
                    "size(variables.changed) == 0 && size(variables.changedLabels) == 0")
                .withMessageExpression(
                    "(size(variables.changed) > 0 ? 'annotation ' + variables.changed[0]"
                        + " : 'label ' + variables.changedLabels[0])"
                        + " + ' cannot be changed once the pod is there:"
                        + " delete the pod and create it again'")
                .withReason("Forbidden")
                .build())
        .endSpec()
        .build();
  }

  /** Most updates change neither, and end here. */
  private static String differ(String field) {
    return ("has(object.metadata.%1$s) != has(oldObject.metadata.%1$s)"
            + " || (has(object.metadata.%1$s)"
            + " && object.metadata.%1$s != oldObject.metadata.%1$s)")
        .formatted(field);
  }

  private static Variable variable(String name, String expression) {
    return new VariableBuilder().withName(name).withExpression(expression).build();
  }

  private static String keys(String pod, String field, String isKept) {
    return "has(%1$s.metadata.%2$s) ? %1$s.metadata.%2$s.filter(k, %3$s) : []"
        .formatted(pod, field, isKept);
  }

  private static String changed(String before, String now, String field) {
    return ("variables.%1$s.filter(k, !(k in variables.%2$s)"
            + " || object.metadata.%3$s[k] != oldObject.metadata.%3$s[k])"
            + " + variables.%2$s.filter(k, !(k in variables.%1$s))")
        .formatted(before, now, field);
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
        .withNamespaceSelector(namespaces.enrolledAs(Enrolment.GANG, Enrolment.ALL))
        .endMatchResources()
        .endSpec()
        .build();
  }
}
