package io.muster.controller.framework;

import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.kube.Ownership;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reconciles the jobs of one kind: reads a job with its pods, has the engine decide, stores what it
 * decided, then has it done step by step. One job is reconciled by one thread at a time.
 */
final class JobReconciler<J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory>
    implements Reconciler<J> {

  private final JobKind<J, S, M> kind;
  private final JobAccess access;
  private final ActionExecutor actions;
  private final ReconcileLoop<J, M> loop;
  private volatile Optional<JobWatch<J>> watch = Optional.empty();

  JobReconciler(JobKind<J, S, M> kind, JobAccess access, GangHolders gangs, JobMeter meter) {
    this.kind = kind;
    this.access = access;
    this.actions = new ActionExecutor(access, gangs, kind.name());
    this.loop = new ReconcileLoop<>(kind.facts().memory(), meter);
  }

  @Override
  public List<EventSource<?, J>> prepareEventSources(EventSourceContext<J> context) {
    var watched = JobWatch.of(kind.type(), kind.facts().podLabels(), kind.watched(), context);
    watch = Optional.of(watched);
    return watched.sources(kind.nodes());
  }

  /** What is seen of all jobs; empty before the controller has started. */
  Optional<JobWatch<J>> watch() {
    return watch;
  }

  @Override
  public UpdateControl<J> reconcile(J cached, Context<J> context) {
    return loop.reconcile(cached, context, this::decide);
  }

  private PendingSteps<J> decide(J cached, M memory, ReconcileLimiter.Permit permit) {
    var stored = kind.completed(memory.newest(cached, kind.type()));
    if (kind.isAnothers(stored, memory)) {
      access.events().leaveOnce(stored, Ownership.ANOTHERS, memory);
      return PendingSteps.none(stored);
    }
    var state = kind.state(stored);
    var watched = watch.orElseThrow();
    var now = access.clock().instant();
    memory.beginsAt(now);
    var pods = watched.pods(stored);
    var leaving = kind.nodes().map(nodes -> nodes.deadlines(pods)).orElse(Map.of());
    var job =
        kind.reconcile(
            new ReconciledJob.Seen<>(stored, state, pods, leaving, watched, memory, permit, now));
    var wanted = job.wanted(isServed(state) ? List.of() : job.problems());
    var members = memory.afterDeletions(job.members(wanted));
    var outcome = JobEngine.reconcile(wanted, state, job.resizes(), job.observed(members), now);
    memory.decided(outcome.state().resizing());
    job.decided(outcome, members);
    store(job, memory);
    return new PendingSteps<>(job.job(), steps(job, members), knowsMore -> next(job, knowsMore));
  }

  /** Those that run already, under rules of earlier days, are served to their end. */
  private static boolean isServed(JobState state) {
    return state.phase() != JobState.Phase.NEW && !state.targets().isEmpty();
  }

  private void store(ReconciledJob<J, S, M> job, M memory) {
    job.stored(job.beforeStatus());
    job.stored(access.writes().storeStatus(job.job(), job.status(), memory));
    job.afterStatus();
    job.remarks().forEach(remark -> access.events().leaveOnce(job.job(), remark, memory));
    for (var item : job.outcome().news()) {
      access.events().tell(job.job(), item, job.remarks(item), memory);
    }
  }

  private List<PendingSteps.Step> steps(ReconciledJob<J, S, M> job, List<Member> members) {
    var steps = new ArrayList<>(job.firstSteps());
    // Before others are made by the same names.
    steps.addAll(actions.afterLost(job));
    job.outcome().actions().forEach(action -> steps.addAll(actions.steps(job, action)));
    steps.addAll(job.lastSteps());
    steps.addAll(actions.requeue(job, members));
    return steps;
  }

  private UpdateControl<J> next(ReconciledJob<J, S, M> job, boolean knowsMore) {
    var control = UpdateControl.<J>noUpdate();
    Outcome outcome = job.outcome();
    return knowsMore
        ? control.rescheduleAfter(Duration.ZERO)
        : Stream.concat(outcome.again().stream(), job.recheckAfter().stream())
            .min(Comparator.naturalOrder())
            .map(control::rescheduleAfter)
            .orElse(control);
  }
}
