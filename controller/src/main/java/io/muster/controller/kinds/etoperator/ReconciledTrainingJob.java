package io.muster.controller.kinds.etoperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Resize;
import io.muster.controller.framework.PendingSteps;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.etoperator.api.EtOperatorValidation;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.api.TrainingJobStatus;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.LiveTemplates;
import io.muster.controller.kinds.etoperator.job.TrainingJobSpecMapper;
import io.muster.controller.kinds.etoperator.launcher.LauncherMemory;
import io.muster.controller.kinds.etoperator.launcher.LauncherWrites;
import io.muster.controller.kinds.etoperator.launcher.TrainingJobDependents;
import io.muster.controller.kinds.etoperator.scaler.Scalers;
import io.muster.controller.kube.ForeignObjectException;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.TemplateDigests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A TrainingJob with its scalers and its launcher during one reconcile. */
final class ReconciledTrainingJob
    extends ReconciledJob<TrainingJob, TrainingJobStatus, LauncherMemory> {

  /** A job whose launcher cannot be reached is tried again this often. */
  private static final Duration TRIED_APART = Duration.ofSeconds(2);

  private final EtOperatorKind kind;
  private final Scalers scalers;
  private final LauncherMemory memory;
  private final Optional<Pod> launcher;

  ReconciledTrainingJob(Seen<TrainingJob, LauncherMemory> seen, EtOperatorKind kind) {
    super(seen);
    this.kind = kind;
    this.memory = seen.memory();
    this.scalers = new Scalers(kind.access, seen);
    var metadata = seen.job().getMetadata();
    this.launcher =
        seen.pods().stream()
            .filter(pod -> Ownership.isControlled(pod, metadata.getUid()))
            .filter(pod ->
                pod.getMetadata().getName().equals(EtOperatorNames.launcher(metadata.getName())))
            .findFirst();
  }

  @Override
  protected List<String> problems() {
    return EtOperatorValidation.in(job()).stream().map(Fault::toString).toList();
  }

  @Override
  protected Job wanted(List<String> problems) {
    return TrainingJobSpecMapper.job(job(), problems);
  }

  @Override
  protected Optional<Member> member(Pod pod, Job wanted) {
    return TrainingJobMembers.of(pod, job().getMetadata().getUid());
  }

  @Override
  protected List<Resize> resizes() {
    return scalers.resizes();
  }

  @Override
  protected Observed observed(List<Member> live) {
    var told = memory.told(launcher.map(pod -> pod.getMetadata().getUid()));
    return super.observed(live).with(told, memory.scripts(scalers.underWay()));
  }

  /** Says on the job itself that it has waited too long, as its supervisor's users know it. */
  @Override
  protected TrainingJob beforeStatus() {
    boolean hasWaited =
        decided()
            .failure()
            .filter(failed -> failed.cause() == News.Failed.Cause.WAITED)
            .isPresent();
    return hasWaited
        ? kind.access.writes().annotate(job(), EtOperatorNames.JOB_STATUS, "timeout")
        : job();
  }

  @Override
  protected TrainingJobStatus status() {
    return TrainingJobStatusMapper.status(decided());
  }

  @Override
  protected void afterStatus() {
    scalers.store(job(), outcome(), decided().members());
    scalers.endLeft(job());
    // Those that were made for an earlier job have the names that this one's are to have.
    scalers.left().forEach(kind.requests::withdraw);
  }

  @Override
  protected List<Remark> remarks() {
    return outcome().state().phase().isEnd()
        ? List.of()
        : TemplateDigests.changes(seen().job(), TrainingJobSpecMapper.templates(seen().job()));
  }

  @Override
  protected List<Remark> remarks(News item) {
    return TrainingJobMessages.remarks(job(), item);
  }

  @Override
  protected List<Runnable> prepare(Action.Prepare prepare) {
    var makes = new ArrayList<Runnable>();
    if (prepare.role().equals(EtOperatorNames.LAUNCHER)) {
      var members = prepare.members();
      // The Role first: nobody may bind one that is not there.
      makes.add(() -> {
        kind.launchers.configureAnew(readable(), memory, members);
        memory.prepared(members);
      });
      TrainingJobDependents.identity(job())
          .forEach(object -> makes.add(() -> kind.access.writes().putOwn(job(), object)));
    }
    makes.add(() -> kind.launchers.makeKeys(job()));
    return makes;
  }

  /** What runs goes on, whatever has become of the templates. */
  private TrainingJob readable() {
    return LiveTemplates.of(job(), seen().pods());
  }

  @Override
  protected Pod pod(Action.Create create) {
    return kind.forms.pod(job(), create);
  }

  @Override
  protected List<HasMetadata> companions(Action.Create create, Pod pod) {
    return create.role().equals(EtOperatorNames.WORKER)
        ? List.of(TrainingJobDependents.service(job(), create.name(), create.index()))
        : List.of();
  }

  @Override
  protected void created(Action.Create create, Pod pod) {
    if (create.role().equals(EtOperatorNames.LAUNCHER)) {
      memory.toldAtBirth(pod.getMetadata().getUid());
    }
  }

  @Override
  protected Optional<String> service(String pod) {
    return Optional.of(pod);
  }

  @Override
  protected boolean carryOut(Action.OfKind action) {
    switch (action) {
      case Action.Tell(List<String> members) -> {
        return tell(members);
      }
      case Action.Probe(List<String> members) -> {
        seen().permit().release();
        return kind.launchers.probe(readable(), memory, members);
      }
      case Action.Script(String id, List<String> names) -> {
        if (scalers.scaler(id) instanceof ScaleOut) {
          // The launcher may reach out to those that come as soon as the script has told it.
          configure(TrainingJobStatusMapper.up(decided()));
        }
        seen().permit().release();
        kind.launchers.script(readable(), memory, scalers.resize(id).request(), names);
        return true;
      }
      case Action.Ask ask -> kind.requests.ask(job(), ask);
      case Action.Withdraw(String id) -> kind.requests.withdraw(scalers.scaler(id));
    }
    return false;
  }

  private boolean tell(List<String> members) {
    if (!configure(members) || launcher.isEmpty()) {
      return false;
    }
    seen().permit().release();
    return kind.launchers.tell(readable(), memory, launcher.get(), members);
  }

  /** Whether the launcher may reach these now; if not, its users are told why. */
  private boolean configure(List<String> members) {
    try {
      kind.launchers.configure(readable(), memory, members);
      return true;
    } catch (ForeignObjectException e) {
      var remark = Remark.warning("LauncherUntold", e.getMessage());
      kind.access.events().leaveOnce(job(), remark, memory);
      return false;
    }
  }

  @Override
  protected List<PendingSteps.Step> lastSteps() {
    return areKeysAwaited() && memory.areKeysDue(seen().now())
        ? List.of(PendingSteps.Step.of(() -> kind.launchers.makeKeys(job())))
        : List.of();
  }

  private boolean areKeysAwaited() {
    return !outcome().state().phase().isEnd()
        && LauncherWrites.areKeysAwaited(job(), seen().pods());
  }

  @Override
  protected Optional<Duration> recheckAfter() {
    boolean isTelling = outcome().actions().stream().anyMatch(Action.Tell.class::isInstance);
    if (isTelling) {
      return Optional.of(TRIED_APART);
    }
    return areKeysAwaited() ? Optional.of(memory.untilKeysAreDue(seen().now())) : Optional.empty();
  }
}
