package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.Validation;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidationBuilder;
import java.util.List;
import java.util.Map;

/**
 * Rules about objects of a kind that the apiserver itself follows, where those of the definition do
 * not reach. They stay with the definition.
 */
public final class Policies {

  private Policies() {}

  /**
   * What a policy is about.
   *
   * @param name of the policy and its binding
   * @param operations as CREATE and UPDATE
   */
  public record Scope(String name, String group, String plural, List<String> operations) {}

  /** One whose rules must hold. */
  public static List<HasMetadata> refusing(Scope scope, List<Validation> rules) {
    return of(scope, rules, "Deny");
  }

  /** One that only tells writers where its rules do not hold. */
  public static List<HasMetadata> telling(Scope scope, List<Validation> rules) {
    return of(scope, rules, "Warn");
  }

  /** A rule in CEL, with what is said where it does not hold. */
  public static Validation rule(String rule, String text) {
    return new ValidationBuilder().withExpression(rule).withMessage(text).build();
  }

  /** Of an object of the whole cluster that Muster keeps. */
  public static ObjectMeta metadata(String name) {
    var metadata = new ObjectMeta();
    metadata.setName(name);
    metadata.setLabels(Map.of(ClusterObjects.MANAGED_BY, ClusterObjects.OWNER));
    return metadata;
  }

  private static List<HasMetadata> of(Scope scope, List<Validation> rules, String action) {
    return List.of(
        new ValidatingAdmissionPolicyBuilder()
            .withMetadata(metadata(scope.name()))
            .withNewSpec()
            .withFailurePolicy("Fail")
            .withNewMatchConstraints()
            .addNewResourceRule()
            .withApiGroups(scope.group())
            .withApiVersions("*")
            .withOperations(scope.operations())
            .withResources(scope.plural())
            .endResourceRule()
            .endMatchConstraints()
            .withValidations(rules)
            .endSpec()
            .build(),
        new ValidatingAdmissionPolicyBindingBuilder()
            .withMetadata(metadata(scope.name()))
            .withNewSpec()
            .withPolicyName(scope.name())
            .withValidationActions(action)
            .endSpec()
            .build());
  }
}
