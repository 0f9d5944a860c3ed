package io.muster.controller.kinds.etoperator.scaler;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.muster.controller.api.Condition;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.Scaler;
import io.muster.controller.kinds.etoperator.api.ScalerStatus;
import io.muster.controller.kinds.etoperator.api.Selector;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kube.Conditions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Says so on a scaler whose job does not exist, or is being deleted; it is served when there is
 * one. Safe for concurrent use.
 */
public final class OrphanedScalers {

  /** Why one waits; until there is a job, which then says otherwise. */
  static final String NOT_FOUND = "TrainingJobNotFound";

  private final KubernetesClient client;
  private final InstantSource clock;

  public OrphanedScalers(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  /** Reconciles ScaleIns of no job. */
  public final class Ins implements Reconciler<ScaleIn> {

    @Override
    public UpdateControl<ScaleIn> reconcile(ScaleIn scaler, Context<ScaleIn> context) {
      tell(scaler);
      return UpdateControl.noUpdate();
    }
  }

  /** Reconciles ScaleOuts of no job. */
  public final class Outs implements Reconciler<ScaleOut> {

    @Override
    public UpdateControl<ScaleOut> reconcile(ScaleOut scaler, Context<ScaleOut> context) {
      tell(scaler);
      return UpdateControl.noUpdate();
    }
  }

  /** Whoever has written or deleted it meanwhile knows more. */
  private <T extends ScalerStatus> void tell(Scaler<?, T> scaler) {
    if (scaler.getStatus() == null) {
      unserved(scaler, scaler.getSpec().selector())
          .ifPresent(why -> {
            scaler.setStatus(scaler.status(null, conditions(why), Map.of(), null, null, null));
            JobWrites.ignoringAbsence(() -> client.resource(scaler).updateStatus());
          });
    }
  }

  /** Why nobody serves it now; empty if its job does. */
  private Optional<String> unserved(HasMetadata scaler, Selector selector) {
    if (selector == null || selector.name() == null) {
      return Optional.of(".spec.selector.name shouldn't be empty: name the TrainingJob");
    }
    var job =
        client
            .resources(TrainingJob.class)
            .inNamespace(scaler.getMetadata().getNamespace())
            .withName(selector.name())
            .get();
    if (job == null) {
      return Optional.of(
          "there is no TrainingJob %s in this namespace yet".formatted(selector.name()));
    }
    return job.isMarkedForDeletion()
        ? Optional.of(
            "TrainingJob %s is being deleted; the next of that name is waited for"
                .formatted(selector.name()))
        : Optional.empty();
  }

  private List<Condition> conditions(String why) {
    var conditions = new Conditions(List.of(), clock.instant());
    conditions.happened("Created", NOT_FOUND, why);
    return conditions.list();
  }
}
