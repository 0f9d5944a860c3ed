package io.muster.controller.kinds.dlrover;

import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.SizedObject;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.plan.PlanRequests;
import java.time.Instant;
import java.util.Optional;

/**
 * A running ElasticJob, whose workers that are lost for good come back once there is capacity for
 * them, by plans like any user's.
 */
final class SizedElasticJob extends SizedObject<ElasticJob> {

  private final ElasticJobSize size;
  private final PlanRequests requests;

  SizedElasticJob(ElasticJobSize size, JobAccess access, PlanRequests requests) {
    super(
        size.job(),
        access,
        new Size(
            size.wanted(),
            size.growsBack() ? Optional.of(size.elastic()) : Optional.empty(),
            size.leaving(),
            size.growingGangs()));
    this.size = size;
    this.requests = requests;
  }

  /** Of a job that is whole, earlier tries to get workers back count no more after a while. */
  @Override
  public void settle(Instant now) {
    if (size.lost() == 0) {
      size.growBacks().past(now).forEach(requests::withdraw);
    }
  }

  @Override
  public void ask(Decision decision) {
    switch (decision) {
      case Decision.Grow grow -> growBack(grow.count());
      // Nothing is asked of a job all of whose workers have to stay.
      case Decision.GiveBack _ -> {}
    }
  }

  private void growBack(int count) {
    var name = size.growBacks().nextName();
    var ask = new Action.Ask(name, ElasticJob.WORKER, new Change.AddLost(count));
    requests.ask(job(), size.size(), ask);
    tell(
        "GrowsBack",
        "there is room for %d of %d lost workers: made again together by ScalePlan %s"
            .formatted(count, size.lost(), name));
  }
}
