package io.muster.controller.kinds.etoperator;

import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.SizedObject;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.scaler.ScalerRequests;
import java.util.Optional;

/**
 * A running TrainingJob, which with {@code scalePolicy: Auto} follows the free capacity by scalers
 * like any user's.
 */
final class SizedTrainingJob extends SizedObject<TrainingJob> {

  private final TrainingJobSize size;
  private final ScalerRequests requests;

  SizedTrainingJob(TrainingJobSize size, JobAccess access, ScalerRequests requests) {
    super(
        size.job(),
        access,
        new Size(
            size.wanted(),
            size.isAuto() ? Optional.of(size.elastic()) : Optional.empty(),
            size.leaving(),
            size.growingGangs()));
    this.size = size;
    this.requests = requests;
  }

  @Override
  public void ask(Decision decision) {
    var change =
        switch (decision) {
          case Decision.Grow grow -> new Change.Add(grow.count());
          case Decision.GiveBack giveBack -> new Change.RemoveNamed(giveBack.workers());
        };
    requests.ask(job(), new Action.Ask(size.nextName(), EtOperatorNames.WORKER, change));
    tell(decision instanceof Decision.Grow ? "AutoScaleOut" : "AutoScaleIn", decision.why());
    // The last one says when the last step was; of those before it nobody needs to know.
    size.spent().forEach(requests::withdraw);
  }
}
