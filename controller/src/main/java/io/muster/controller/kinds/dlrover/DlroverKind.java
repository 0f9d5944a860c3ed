package io.muster.controller.kinds.dlrover;

import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.muster.controller.core.state.JobState;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ElasticJobStatus;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.api.ScalePlanSpec;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kinds.dlrover.plan.OrphanedPlans;
import io.muster.controller.kinds.dlrover.plan.PlanRequests;
import io.muster.controller.kinds.dlrover.pod.MasterPod;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.WouldStart;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.pod.KnownOperator;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.SizedJob;
import io.muster.controller.port.StartAdvice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** DLRover's ElasticJob with its ScalePlans. Safe for concurrent use. */
public final class DlroverKind extends JobKind<ElasticJob, ElasticJobStatus, JobMemory> {

  /** DLRover's ElasticJob operator. */
  private static final KnownOperator OPERATOR =
      new KnownOperator(
          Set.of("elasticjob-controller", "dlrover-controller"),
          Set.of("--master-image"),
          Optional.of("dlrover-elasticjob"));

  private static final Facts<ElasticJob, JobMemory> FACTS =
      new Facts<>(
          "dlrover",
          ElasticJob.class,
          JobMemory::new,
          ElasticJobStatusMapper::state,
          List.of(PodLabel.of(DlroverNames.JOB_LABEL)),
          OPERATOR);

  private static final Set<JobState.Phase> RUNNING =
      Set.of(JobState.Phase.RUNNING, JobState.Phase.SCALING);

  final Mode defaultMode;
  final JobAccess access;
  final Placement placement;
  final WouldStart wouldStart;
  final MasterPod masters;
  final PlanRequests requests;

  /**
   * How the kind is run.
   *
   * @param masterImage of masters, for jobs that bring none of their own
   * @param mode of jobs that name none
   */
  public record Settings(String masterImage, Mode mode) {}

  /**
   * What is known of nodes and gangs.
   *
   * @param nodes which of them will go; closed by the caller
   * @param start of those who place the jobs' pods
   * @param reports of the gangs that the jobs' pods are
   */
  public record Placement(LeavingNodes nodes, StartAdvice start, GangReports reports) {}

  public DlroverKind(Settings settings, JobAccess access, Placement placement) {
    super(FACTS);
    this.defaultMode = settings.mode();
    this.access = access;
    this.placement = placement;
    this.wouldStart = new WouldStart(placement.start());
    this.masters = new MasterPod(settings.masterImage());
    this.requests = new PlanRequests(access);
  }

  @Override
  public List<Watched<?>> watched() {
    return List.of(
        new Watched<>(
            ScalePlan.class,
            plan -> Optional.ofNullable(plan.getSpec()).map(ScalePlanSpec::ownerJob)));
  }

  @Override
  public Optional<LeavingNodes> nodes() {
    return Optional.of(placement.nodes());
  }

  @Override
  public Map<String, Reconciler<?>> otherReconcilers() {
    return Map.of("scaleplans", new OrphanedPlans(access.client(), access.clock()));
  }

  @Override
  public ReconciledElasticJob reconcile(ReconciledJob.Seen<ElasticJob, JobMemory> seen) {
    return new ReconciledElasticJob(seen, this);
  }

  @Override
  public Optional<SizedJob> sized(ElasticJob job, JobWatch<ElasticJob> watch) {
    if (Ownership.isAnothers(job, job.getStatus())) {
      return Optional.empty();
    }
    var size = ElasticJobSize.of(job, watch);
    return RUNNING.contains(size.state().phase())
        ? Optional.of(new SizedElasticJob(size, access, requests))
        : Optional.empty();
  }
}
