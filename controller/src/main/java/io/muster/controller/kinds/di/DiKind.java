package io.muster.controller.kinds.di;

import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobSpec;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.coordinator.CoordinatorGeneration;
import io.muster.controller.kinds.di.coordinator.CoordinatorNames;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kinds.di.job.JobFrame;
import io.muster.controller.kinds.di.task.TaskGeneration;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.KnownOperator;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.SizedJob;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** DI-orchestrator's DIJob, of both generations. Safe for concurrent use. */
public final class DiKind extends JobKind<DIJob, DIJobStatus, JobMemory> {

  /** DI-orchestrator, and its server under another name. */
  private static final KnownOperator OPERATOR =
      new KnownOperator(
          Set.of("di-operator", "di-orchestrator"),
          Set.of("--di-server-url", "--agconfig-name"),
          Optional.of("12841a5d.opendilab.org"));

  private static final Facts<DIJob, JobMemory> FACTS =
      new Facts<>(
          "di",
          DIJob.class,
          JobMemory::new,
          JobFrame::state,
          List.of(PodLabel.of(DiNames.JOB_LABEL), PodLabel.of(CoordinatorNames.JOB_LABEL)),
          OPERATOR);

  private final Generation tasks;
  private final Generation coordinated;
  private final JobAccess access;
  private final GangReports reports;

  /**
   * Begins nothing yet.
   *
   * @param reports of the gangs that the jobs' pods are
   */
  public DiKind(DiAddresses addresses, JobAccess access, GangReports reports) {
    super(FACTS);
    this.tasks = new TaskGeneration(addresses);
    this.coordinated = new CoordinatorGeneration(addresses, new Aggregators(access.client()));
    this.access = access;
    this.reports = reports;
  }

  @Override
  public DIJob completed(DIJob job) {
    if (job.getSpec() == null) {
      job.setSpec(DIJobSpec.NOTHING);
    }
    return job;
  }

  @Override
  public ReconciledDIJob reconcile(ReconciledJob.Seen<DIJob, JobMemory> seen) {
    var generation = seen.job().getSpec().coordinator() != null ? coordinated : tasks;
    return new ReconciledDIJob(seen, access, generation, reports);
  }

  @Override
  public Optional<SizedJob> sized(DIJob job, JobWatch<DIJob> watch) {
    boolean isRunning =
        job.getSpec() != null
            && job.getSpec().tasks() != null
            && job.getStatus() != null
            && !Ownership.isAnothers(job, job.getStatus())
            && "Running".equals(job.getStatus().phase());
    return isRunning ? Optional.of(new SizedDIJob(job, watch.pods(job), access)) : Optional.empty();
  }
}
