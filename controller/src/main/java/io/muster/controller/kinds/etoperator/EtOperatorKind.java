package io.muster.controller.kinds.etoperator;

import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.Scaler;
import io.muster.controller.kinds.etoperator.api.Selector;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.api.TrainingJobStatus;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.TrainingJobPods;
import io.muster.controller.kinds.etoperator.launcher.LauncherMemory;
import io.muster.controller.kinds.etoperator.launcher.LauncherWrites;
import io.muster.controller.kinds.etoperator.scaler.OrphanedScalers;
import io.muster.controller.kinds.etoperator.scaler.ScalerRequests;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.pod.KnownOperator;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.ResizeAdvice;
import io.muster.controller.port.SizedJob;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** et-operator's TrainingJob with its scalers. Safe for concurrent use. */
public final class EtOperatorKind extends JobKind<TrainingJob, TrainingJobStatus, LauncherMemory> {

  /** et-operator itself. */
  static final KnownOperator OPERATOR =
      new KnownOperator(
          Set.of("et-operator"),
          Set.of("--create-ssh-secret", "--init-container-image"),
          Optional.empty());

  private static final Facts<TrainingJob, LauncherMemory> FACTS =
      new Facts<>(
          "etoperator",
          TrainingJob.class,
          LauncherMemory::new,
          TrainingJobStatusMapper::state,
          List.of(
              new PodLabel(
                  EtOperatorNames.GROUP_LABEL + "=" + TrainingJob.GROUP,
                  EtOperatorNames.JOB_LABEL)),
          OPERATOR);

  private static final Set<Phase> RUNNING = Set.of(Phase.RUNNING, Phase.SCALING);

  final JobAccess access;
  private final LeavingNodes nodes;
  final TrainingJobPods forms;
  final LauncherWrites launchers;
  final ScalerRequests requests;
  private final OrphanedScalers orphans;
  private final WaitingReasons reasons;

  /**
   * Begins nothing yet.
   *
   * @param nodes which of them will go; closed by the caller
   * @param advice of those who place the jobs' pods
   * @param reports of the gangs that the jobs' pods are
   */
  public EtOperatorKind(
      TrainingJobPods.Images images,
      JobAccess access,
      LeavingNodes nodes,
      ResizeAdvice advice,
      GangReports reports) {
    super(FACTS);
    this.access = access;
    this.nodes = nodes;
    this.forms = new TrainingJobPods(images, nodes);
    this.launchers = new LauncherWrites(access);
    this.requests = new ScalerRequests(access);
    this.orphans = new OrphanedScalers(access.client(), access.clock());
    this.reasons = new WaitingReasons(advice, reports, access.events()::leave);
  }

  @Override
  public List<Watched<?>> watched() {
    return List.of(
        new Watched<>(ScaleIn.class, EtOperatorKind::jobOf),
        new Watched<>(ScaleOut.class, EtOperatorKind::jobOf));
  }

  private static Optional<String> jobOf(Scaler<?, ?> scaler) {
    return Optional.ofNullable(scaler.getSpec().selector()).map(Selector::name);
  }

  @Override
  public Optional<LeavingNodes> nodes() {
    return Optional.of(nodes);
  }

  @Override
  public Map<String, Reconciler<?>> otherReconcilers() {
    return Map.of("scaleins", orphans.new Ins(), "scaleouts", orphans.new Outs());
  }

  @Override
  public ReconciledTrainingJob reconcile(ReconciledJob.Seen<TrainingJob, LauncherMemory> seen) {
    return new ReconciledTrainingJob(seen, this);
  }

  @Override
  public Optional<SizedJob> sized(TrainingJob job, JobWatch<TrainingJob> watch) {
    return isIn(job, RUNNING)
        ? Optional.of(new SizedTrainingJob(TrainingJobSize.of(job, watch), access, requests))
        : Optional.empty();
  }

  @Override
  public void tick(List<TrainingJob> jobs, Instant now) {
    var waiting = Set.of(Phase.STARTING, Phase.SCALING);
    reasons.tell(jobs.stream().filter(job -> isIn(job, waiting)).toList(), now);
  }

  /** False for one that cannot be read: its own reconcile says so, and no other waits for it. */
  private static boolean isIn(TrainingJob job, Set<Phase> phases) {
    try {
      return !Ownership.isAnothers(job, job.getStatus())
          && phases.contains(TrainingJobStatusMapper.state(job).phase());
    } catch (RuntimeException _) {
      return false;
    }
  }
}
