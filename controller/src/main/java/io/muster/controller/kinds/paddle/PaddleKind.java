package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.core.state.JobState;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobStatus;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.KnownOperator;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.SizedJob;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** PaddlePaddle EDL's TrainingJob. Safe for concurrent use. */
public final class PaddleKind extends JobKind<PaddleJob, PaddleJobStatus, JobMemory> {

  /** PaddlePaddle's EDL controller. */
  static final KnownOperator OPERATOR =
      new KnownOperator(
          Set.of("edl-controller"),
          Set.of("-max_load_desired", "--max_load_desired"),
          Optional.empty());

  private static final Facts<PaddleJob, JobMemory> FACTS =
      new Facts<>(
          "paddle",
          PaddleJob.class,
          JobMemory::new,
          PaddleJobStatusMapper::state,
          List.of(PodLabel.of(PaddleNames.JOB_LABEL)),
          OPERATOR);

  /** No other controller has made pods of the job. */
  private static final String ALONE = "alone";

  private final JobAccess access;
  private final GangReports reports;

  /**
   * Begins nothing yet.
   *
   * @param reports of the gangs that the jobs' pods are
   */
  public PaddleKind(JobAccess access, GangReports reports) {
    super(FACTS);
    this.access = access;
    this.reports = reports;
  }

  /** The first controller of the kind said nothing of a job that it had begun: its pods do. */
  @Override
  public boolean isAnothers(PaddleJob job, JobMemory memory) {
    if (super.isAnothers(job, memory)) {
      return true;
    }
    if (state(job).phase() == JobState.Phase.NEW
        && !memory.knows(ALONE)
        && !Ownership.isHandedOver(job)) {
      if (hasPodsOfAnother(access.client(), job)) {
        return true;
      }
      memory.know(ALONE);
    }
    return false;
  }

  /** Pods by its name that belong to no job of Muster's. */
  private static boolean hasPodsOfAnother(KubernetesClient client, PaddleJob job) {
    var uid = job.getMetadata().getUid();
    return PaddleNames.ROLE_LABELS.values().stream()
        .flatMap(label ->
            client
                .pods()
                .inNamespace(job.getMetadata().getNamespace())
                .withLabel(label, job.getMetadata().getName())
                .withoutLabel(PaddleNames.JOB_LABEL)
                .list()
                .getItems()
                .stream())
        .anyMatch(pod -> !Ownership.isOwned(pod, uid) && !pod.isMarkedForDeletion());
  }

  @Override
  public ReconciledPaddleJob reconcile(ReconciledJob.Seen<PaddleJob, JobMemory> seen) {
    return new ReconciledPaddleJob(seen, access, reports);
  }

  @Override
  public Optional<SizedJob> sized(PaddleJob job, JobWatch<PaddleJob> watch) {
    return state(job).phase() == JobState.Phase.RUNNING
        ? Optional.of(new SizedPaddleJob(job, PaddleJobSize.of(job, watch.pods(job)), access))
        : Optional.empty();
  }
}
