package io.muster.controller.kinds.dlrover.plan;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.api.ScalePlanStatus;
import io.muster.controller.kube.Conditions;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Says so on a ScalePlan whose job does not exist, or is being deleted; it is served when there is
 * one. Safe for concurrent use.
 */
public final class OrphanedPlans implements Reconciler<ScalePlan> {

  private final KubernetesClient client;
  private final InstantSource clock;

  public OrphanedPlans(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  @Override
  public UpdateControl<ScalePlan> reconcile(ScalePlan plan, Context<ScalePlan> context) {
    if (plan.getStatus() == null && plan.getSpec() != null) {
      unserved(plan).ifPresent(why -> tell(plan, why));
    }
    return UpdateControl.noUpdate();
  }

  private void tell(ScalePlan plan, String why) {
    var changed = client.getKubernetesSerialization().clone(plan);
    changed.setStatus(
        new ScalePlanStatus("Pending", Conditions.time(clock.instant()), null, null, null, why));
    // Whoever has written or deleted it meanwhile knows more.
    JobWrites.ignoringAbsence(() -> client.resource(changed).updateStatus());
  }

  /** Why nobody serves it now; empty if its job does. */
  private Optional<String> unserved(ScalePlan plan) {
    var owner = plan.getSpec().ownerJob();
    var job =
        owner == null
            ? null
            : client
                .resources(ElasticJob.class)
                .inNamespace(plan.getMetadata().getNamespace())
                .withName(owner)
                .get();
    if (job == null) {
      return Optional.of("there is no ElasticJob %s in this namespace yet".formatted(owner));
    }
    return job.isMarkedForDeletion()
        ? Optional.of(
            "ElasticJob %s is being deleted; the next of that name is waited for".formatted(owner))
        : Optional.empty();
  }
}
