package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Resize;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Remark;
import io.muster.extender.core.gang.GangKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One job during one reconcile: how its kind reads it, what it stores, and how it carries the
 * engine's actions out. {@link JobReconciler} calls the methods in the order in which they stand
 * here. Confined to one reconcile.
 *
 * @param <J> the kind's object
 * @param <S> its status
 * @param <M> what is remembered of it
 */
public abstract class ReconciledJob<
    J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory> {

  private final Seen<J, M> seen;
  private Optional<Outcome> outcome = Optional.empty();
  private Optional<DecidedJob<J>> decided = Optional.empty();
  private J job;

  /**
   * What is seen of a job.
   *
   * @param state as it is stored
   * @param pods its own
   * @param leaving by when those of them that are to leave their nodes shall have left, by name
   * @param permit to write; returned before anything that may take long
   */
  public record Seen<J extends HasMetadata, M>(
      J job,
      JobState state,
      List<Pod> pods,
      Map<String, Instant> leaving,
      JobWatch<J> watch,
      M memory,
      ReconcileLimiter.Permit permit,
      Instant now) {}

  protected ReconciledJob(Seen<J, M> seen) {
    this.seen = seen;
    this.job = seen.job();
  }

  protected final Seen<J, M> seen() {
    return seen;
  }

  /** The job as it is stored now: with the new status once that is stored. */
  protected final J job() {
    return job;
  }

  /** What the engine decided. */
  protected final Outcome outcome() {
    return outcome.orElseThrow();
  }

  /** The same with all that it was decided by. */
  protected final DecidedJob<J> decided() {
    return decided.orElseThrow();
  }

  /** The members of the job; pods of roles that it has no more are some too, unless left out. */
  final List<Member> members(Job wanted) {
    return seen.pods().stream().flatMap(pod -> member(pod, wanted).stream()).toList();
  }

  final void decided(Outcome by, List<Member> members) {
    outcome = Optional.of(by);
    var sight = by.state().phase().isEnd() ? GangSight.NONE : gang();
    decided =
        Optional.of(
            new DecidedJob<>(job, by.state(), seen.pods(), members, sight, by.news(), seen.now()));
  }

  final void stored(J asStored) {
    job = asStored;
  }

  // Before the decision.

  /**
   * Why the job cannot be run; asked before anything is made for it, and then only where no pod can
   * be made.
   */
  protected abstract List<String> problems();

  /**
   * The job in the engine's words.
   *
   * @param problems why it cannot be run; empty if it can
   */
  protected abstract Job wanted(List<String> problems);

  /** The pod as a member of the job; empty if it is none. */
  protected abstract Optional<Member> member(Pod pod, Job wanted);

  /** Changes of its size that users ask for. */
  protected List<Resize> resizes() {
    return List.of();
  }

  /** What the engine is told. */
  protected Observed observed(List<Member> live) {
    return seen.memory().observed(live, seen.leaving());
  }

  // After the decision.

  /** How the job's gang stands; asked until the job has ended. */
  protected GangSight gang() {
    return GangSight.NONE;
  }

  /** What is written to the job before its status says so; gives the job as it is stored then. */
  protected J beforeStatus() {
    return job;
  }

  protected abstract S status();

  /**
   * The status is stored: stores what else follows from the decision.
   *
   * @throws KubernetesClientException if a write is refused; the job is reconciled again
   */
  protected void afterStatus() {}

  /** Events about how the job is, each left once. */
  protected List<Remark> remarks() {
    return List.of();
  }

  /** Events that go with something that has come about. */
  protected abstract List<Remark> remarks(News item);

  // Steps, one after the other.

  /** What is done before the engine's actions. */
  protected List<PendingSteps.Step> firstSteps() {
    return List.of();
  }

  /** Writes that make what the pods of a role need beside themselves; each may be done again. */
  protected List<Runnable> prepare(Action.Prepare prepare) {
    return List.of();
  }

  /** The pod to be made. */
  protected abstract Pod pod(Action.Create create);

  /** The gang of a pod that is to be made, where Muster names it; empty where its template does. */
  protected Optional<String> gangOf(Action.Create create, Pod pod) {
    return Optional.ofNullable(Marks.annotations(pod).get(GangKeys.NAME));
  }

  /**
   * A pod of the job that is no member, as those who have made it would make it now, as far as its
   * marks go; empty where that is not known.
   */
  protected Optional<Pod> madeByOthersNow(Pod pod) {
    return Optional.empty();
  }

  /** Objects that one pod needs, made before it. */
  protected List<HasMetadata> companions(Action.Create create, Pod pod) {
    return List.of();
  }

  /** The pod is stored. */
  protected void created(Action.Create create, Pod pod) {}

  /** The Service that goes with a pod of that name, where each has one. */
  protected Optional<String> service(String pod) {
    return Optional.empty();
  }

  /** The pod is deleted. */
  protected void deleted(String pod, String uid) {}

  /**
   * Does what only some kinds are asked for.
   *
   * @return whether something is known now that no watch tells
   */
  protected boolean carryOut(Action.OfKind action) {
    throw new IllegalArgumentException(
        "a %s has no such action: %s".formatted(job.getKind(), action));
  }

  /** What is done after the engine's actions. */
  protected List<PendingSteps.Step> lastSteps() {
    return List.of();
  }

  /** When to reconcile again at the latest, besides what the engine waits for. */
  protected Optional<Duration> recheckAfter() {
    return decided().gang().again();
  }
}
