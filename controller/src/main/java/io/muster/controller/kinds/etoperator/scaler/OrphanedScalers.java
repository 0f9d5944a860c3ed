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

/**
 * Says so on a scaler whose job does not exist; it is served when there is one. Safe for concurrent
 * use.
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
    var selector = scaler.getSpec().selector();
    if (scaler.getStatus() == null && isOrphaned(scaler, selector)) {
      scaler.setStatus(scaler.status(null, conditions(selector), Map.of(), null, null, null));
      JobWrites.ignoringAbsence(() -> client.resource(scaler).updateStatus());
    }
  }

  private boolean isOrphaned(HasMetadata scaler, Selector selector) {
    return selector == null
        || selector.name() == null
        || client
                .resources(TrainingJob.class)
                .inNamespace(scaler.getMetadata().getNamespace())
                .withName(selector.name())
                .get()
            == null;
  }

  private List<Condition> conditions(Selector selector) {
    var conditions = new Conditions(List.of(), clock.instant());
    var problem =
        selector == null || selector.name() == null
            ? ".spec.selector.name shouldn't be empty: name the TrainingJob"
            : "there is no TrainingJob %s in this namespace yet".formatted(selector.name());
    conditions.happened("Created", NOT_FOUND, problem);
    return conditions.list();
  }
}
