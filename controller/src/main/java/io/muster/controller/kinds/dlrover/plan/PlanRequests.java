package io.muster.controller.kinds.dlrover.plan;

import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.PodMeta;
import io.muster.controller.kinds.dlrover.api.ReplicaResource;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.api.ScalePlanSpec;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kube.OwnResizes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes ScalePlans in the user's stead, and takes them back. Safe for concurrent use. */
public final class PlanRequests {

  private final JobAccess access;

  public PlanRequests(JobAccess access) {
    this.access = access;
  }

  /**
   * Makes a plan; what has been asked for is not asked for again.
   *
   * @param workers that the job has now, but for those that are lost for good
   */
  public void ask(ElasticJob job, int workers, Action.Ask ask) {
    var name = job.getMetadata().getName();
    var plan = new ScalePlan();
    var labels =
        new HashMap<>(Map.of(DlroverNames.JOB_LABEL, name, DlroverNames.PLAN_ORIGIN_LABEL, "auto"));
    plan.setSpec(
        switch (ask.change()) {
          case Change.Add(int count) -> {
            labels.put(PlanMapper.ADDS_LABEL, Integer.toString(count));
            yield to(name, workers + count);
          }
          case Change.AddLost(int count) -> {
            labels.put(PlanMapper.ADDS_LOST_LABEL, Integer.toString(count));
            yield to(name, workers + count);
          }
          case Change.Remove(int count) -> to(name, workers - count);
          case Change.To(int size) -> to(name, size);
          case Change.RemoveNamed(List<String> names) ->
              new ScalePlanSpec(
                  name, null, null, names.stream().map(PodMeta::new).toList(), null, null);
          case Change.Unclear _ ->
              throw new IllegalArgumentException("a plan cannot say this: " + ask);
        });
    OwnResizes.mark(plan, job, ask, labels);
    access.writes().putIfAbsent(plan);
  }

  private static ScalePlanSpec to(String job, int size) {
    return new ScalePlanSpec(
        job, Map.of(ElasticJob.WORKER, new ReplicaResource(size, null)), null, null, null, null);
  }

  /** Deletes that very plan, unless a user wrote it. */
  public void withdraw(ScalePlan plan) {
    if (PlanMapper.isAuto(plan)) {
      JobWrites.delete(access.client(), plan);
    }
  }
}
