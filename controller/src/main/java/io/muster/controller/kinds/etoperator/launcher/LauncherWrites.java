package io.muster.controller.kinds.etoperator.launcher;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.state.Member;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.TrainingJobSpecMapper;
import io.muster.controller.kinds.etoperator.launcher.LauncherShell.ShellException;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.pod.PodEnds;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a launcher finds when it starts, what it may do, and what is done in it while it runs. Safe
 * for concurrent use, one job at a time.
 */
public final class LauncherWrites {

  private static final Logger LOG = LoggerFactory.getLogger(LauncherWrites.class);

  private final JobAccess access;
  private final LauncherShell shell;
  private final SshKeys keys = new SshKeys();

  public LauncherWrites(JobAccess access) {
    this.access = access;
    this.shell = new LauncherShell(access.client());
  }

  /** What a launcher may do and what one that starts finds; changed once these are others. */
  public void configure(TrainingJob job, LauncherMemory memory, List<String> members) {
    var content = TrainingJobDependents.config(job, members).getData();
    if (!memory.configured().equals(Optional.of(content))) {
      configureAnew(job, memory, members);
    }
  }

  /** The same before one is made, which would wait for ever for what somebody has deleted. */
  public void configureAnew(TrainingJob job, LauncherMemory memory, List<String> members) {
    var config = TrainingJobDependents.config(job, members);
    // First: whom it is told of it may reach.
    access.writes().replaceOwn(job, TrainingJobDependents.role(job, members));
    access.writes().replaceOwn(job, config);
    memory.configured(config.getData());
  }

  /**
   * Whoever has put a key there by the job's name means the job to have it. Nothing of it is read:
   * whether a key is missing the kubelet says on the pods.
   */
  public void makeKeys(TrainingJob job) {
    if (!hasKeys(job)) {
      return;
    }
    access.writes().putIfAbsent(TrainingJobDependents.secret(job, keys.make()));
  }

  /**
   * Whether a pod has its node, and no container of it runs: its keys may have been those of an
   * earlier job of the same name, and have gone with that job.
   *
   * @param pods the job's own
   */
  public static boolean areKeysAwaited(TrainingJob job, List<Pod> pods) {
    return hasKeys(job)
        && pods.stream()
            .filter(pod -> !pod.isMarkedForDeletion() && pod.getSpec().getNodeName() != null)
            .anyMatch(pod -> PodEnds.phase(pod) == Member.Phase.PENDING);
  }

  /** Whether the job is given keys, and brings none of its own. */
  private static boolean hasKeys(TrainingJob job) {
    return TrainingJobSpecMapper.usesSsh(job)
        && EtOperatorNames.sshSecret(job).equals(job.getMetadata().getName());
  }

  /**
   * Tells a running launcher of its workers.
   *
   * @return whether it knows now
   */
  public boolean tell(TrainingJob job, LauncherMemory memory, Pod launcher, List<String> members) {
    try {
      shell.tell(job, members);
      memory.told(launcher.getMetadata().getUid(), members);
      return true;
    } catch (ShellException e) {
      memory.forgetTold();
      warn(job, "the launcher could not be told of its workers", e);
      var remark = Remark.warning("LauncherUnreachable", e.getMessage());
      access.events().leaveOnce(job, remark, memory);
      return false;
    }
  }

  /**
   * Asks in the launcher which workers have a process there.
   *
   * @return whether that is known now
   */
  public boolean probe(TrainingJob job, LauncherMemory memory, List<String> members) {
    InstantSource clock = access.clock();
    try {
      memory.probed(shell.attached(job, members), clock.instant());
      return true;
    } catch (ShellException e) {
      memory.probed(Map.of(), clock.instant());
      warn(job, "the launcher's processes could not be listed", e);
      return false;
    }
  }

  /** Runs a scaler's script; how it went is remembered. */
  public void script(
      TrainingJob job, LauncherMemory memory, ResizeRequest request, List<String> members) {
    try {
      shell.script(job, request.script().orElseThrow(), members, request.timeout());
      memory.scriptEnded(request.id(), Optional.empty());
    } catch (ShellException e) {
      memory.scriptEnded(request.id(), Optional.of(e.getMessage()));
    }
  }

  private static void warn(TrainingJob job, String what, ShellException e) {
    LOG.atWarn()
        .addKeyValue("job", job.getMetadata().getNamespace() + "/" + job.getMetadata().getName())
        .addKeyValue("message", e.getMessage())
        .log(what);
  }
}
