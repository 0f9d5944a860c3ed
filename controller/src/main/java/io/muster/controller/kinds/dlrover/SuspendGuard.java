package io.muster.controller.kinds.dlrover;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidationBuilder;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kube.ClusterObjects;
import java.util.List;
import java.util.Map;

/**
 * Has the apiserver refuse workers of a job that is suspended: DLRover's master checks that a
 * moment late, and simply tries again later. A policy, so that it holds whether or not Muster runs;
 * it says what the field means, and stays with the CRDs.
 */
final class SuspendGuard {

  static final String NAME = "suspended-elasticjobs.elastic.iml.github.io";

  private SuspendGuard() {}

  static List<HasMetadata> objects() {
    var metadata = new ObjectMeta();
    metadata.setName(NAME);
    metadata.setLabels(Map.of(ClusterObjects.MANAGED_BY, ClusterObjects.OWNER));
    return List.of(
        new ValidatingAdmissionPolicyBuilder()
            .withMetadata(metadata)
            .withNewSpec()
            .withFailurePolicy("Fail")
            .withNewParamKind()
            .withApiVersion(ElasticJob.GROUP + "/" + ElasticJob.VERSION)
            .withKind("ElasticJob")
            .endParamKind()
            .withNewMatchConstraints()
            .withObjectSelector(workers())
            .addNewResourceRule()
            .withApiGroups("")
            .withApiVersions("v1")
            .withOperations("CREATE")
            .withResources("pods")
            .endResourceRule()
            .endMatchConstraints()
            .withValidations(
                new ValidationBuilder()
                    .withExpression(
                        "params.metadata.name != object.metadata.labels['%s']"
                                .formatted(DlroverNames.JOB_LABEL)
                            + " || !has(params.spec.suspend) || !params.spec.suspend")
                    .withMessageExpression(
                        "'ElasticJob ' + params.metadata.name + ' is suspended: its workers are"
                            + " made once spec.suspend is false'")
                    .withReason("Forbidden")
                    .build())
            .endSpec()
            .build(),
        new ValidatingAdmissionPolicyBindingBuilder()
            .withMetadata(metadata)
            .withNewSpec()
            .withPolicyName(NAME)
            .withValidationActions("Deny")
            .withNewParamRef()
            .withNewSelector()
            .endSelector()
            .withParameterNotFoundAction("Allow")
            .endParamRef()
            .endSpec()
            .build());
  }

  /**
   * By labels, so that other pods cost the apiserver nothing: it would evaluate a condition for
   * each pod and each ElasticJob of the namespace.
   */
  private static LabelSelector workers() {
    return new LabelSelectorBuilder()
        .addToMatchExpressions(
            new LabelSelectorRequirement(DlroverNames.JOB_LABEL, "Exists", List.of()),
            new LabelSelectorRequirement(DlroverNames.ROLE_LABEL, "Exists", List.of()),
            new LabelSelectorRequirement(
                DlroverNames.ROLE_LABEL, "NotIn", List.of(ElasticJob.MASTER)))
        .build();
  }
}
