package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.Member;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobStatus;
import io.muster.controller.kinds.paddle.api.PaddleValidation;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.pod.PodAccount;
import io.muster.controller.port.GangReports;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A TrainingJob with its pods during one reconcile. */
final class ReconciledPaddleJob extends ReconciledJob<PaddleJob, PaddleJobStatus, JobMemory> {

  /** The account of its pods was made. */
  private static final String ACCOUNT = "account";

  private final JobAccess access;
  private final GangReports reports;

  ReconciledPaddleJob(Seen<PaddleJob, JobMemory> seen, JobAccess access, GangReports reports) {
    super(seen);
    this.access = access;
    this.reports = reports;
  }

  @Override
  protected List<String> problems() {
    return PaddleValidation.in(job()).stream().map(Fault::toString).toList();
  }

  @Override
  protected Job wanted(List<String> problems) {
    return PaddleJobSpecMapper.job(job(), seen().state(), problems);
  }

  @Override
  protected Optional<Member> member(Pod pod, Job wanted) {
    return PaddleJobMembers.of(pod, job().getMetadata().getUid());
  }

  @Override
  protected GangSight gang() {
    var namespace = job().getMetadata().getNamespace();
    return outcome().state().targets().isEmpty()
        ? GangSight.NONE
        : GangSight.of(
            seen().pods(),
            PaddleJobSpecMapper.startingPods(job()),
            reports.of(new GangId(Dialect.MUSTER, namespace, OwnGang.of(job()))));
  }

  @Override
  protected PaddleJobStatus status() {
    return PaddleJobStatusMapper.status(decided());
  }

  @Override
  protected List<Remark> remarks() {
    return PaddleJobMessages.waiting(decided(), job().getStatus()).toList();
  }

  @Override
  protected List<Remark> remarks(News item) {
    return PaddleJobMessages.remarks(decided(), job().getStatus(), item);
  }

  @Override
  protected List<Runnable> prepare(Action.Prepare prepare) {
    var makes = new ArrayList<Runnable>();
    if (!seen().memory().knows(ACCOUNT)) {
      accountOf(job()).forEach(object -> makes.add(() -> access.writes().putOwn(job(), object)));
      makes.add(() -> seen().memory().know(ACCOUNT));
    }
    return makes;
  }

  /** The start script finds pods by their labels, and does nothing else there. */
  static List<HasMetadata> accountOf(PaddleJob job) {
    var metadata = Ownership.metadata(job, PaddleNames.account(job.getMetadata().getName()));
    metadata.setLabels(Map.of(PaddleNames.JOB_LABEL, job.getMetadata().getName()));
    return PodAccount.of(metadata, PodAccount.rule("", "pods", "get", "list"));
  }

  @Override
  protected Pod pod(Action.Create create) {
    return PaddleJobPods.pod(job(), create);
  }
}
