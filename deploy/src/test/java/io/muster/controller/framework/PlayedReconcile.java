package io.muster.controller.framework;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.JobState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reconciles a job as {@link JobReconciler} does, without an API server: what is decided is read
 * and made, and not written. Confined to a thread.
 */
public final class PlayedReconcile<
    J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory> {

  /** So many pods of one decision are made; all are made in the same way. */
  private static final int MOST_PODS = 3;

  private final JobKind<J, S, M> kind;
  private final M memory;
  private final List<? extends HasMetadata> others;
  private final JobWatch<J> watch = watch();
  private final ReconcileLimiter limiter = new ReconcileLimiter();

  /**
   * What came of it.
   *
   * @param problems why the job cannot be run
   */
  public record Looked(List<String> problems, List<Pod> pods) {}

  /**
   * @param others objects that concern the job
   */
  public PlayedReconcile(JobKind<J, S, M> kind, List<? extends HasMetadata> others) {
    this.kind = kind;
    this.memory = kind.facts().memory().get();
    this.others = List.copyOf(others);
  }

  /** Looks once; the job has its new status then. */
  public Looked look(J stored, List<Pod> pods, Instant now) {
    var whole = kind.completed(stored);
    var state = kind.state(whole);
    var job =
        kind.reconcile(
            new ReconciledJob.Seen<>(
                whole,
                state,
                pods,
                kind.nodes().map(nodes -> nodes.deadlines(pods)).orElse(Map.of()),
                watch,
                memory,
                limiter.permit("team"),
                now));
    var problems = job.problems();
    boolean isServed = state.phase() != JobState.Phase.NEW && !state.targets().isEmpty();
    var wanted = job.wanted(isServed ? List.of() : problems);
    var members = memory.afterDeletions(job.members(wanted));
    var outcome = JobEngine.reconcile(wanted, state, job.resizes(), job.observed(members), now);
    job.decided(outcome, members);
    stored.setStatus(Serialization.clone(job.status()));
    job.stored(stored);
    job.remarks();
    outcome.news().forEach(item -> job.remarks(item));
    return made(job, problems, outcome);
  }

  private static Looked made(ReconciledJob<?, ?, ?> job, List<String> problems, Outcome outcome) {
    var pods = new ArrayList<Pod>();
    int unfit = 0;
    job.firstSteps();
    for (var action : outcome.actions()) {
      if (action instanceof Action.Create create && pods.size() + unfit < MOST_PODS) {
        try {
          var pod = job.pod(create);
          job.companions(create, pod);
          pods.add(pod);
        } catch (UnfitPodException _) {
          unfit++;
        }
      } else if (action instanceof Action.Prepare prepare) {
        job.prepare(prepare);
      }
    }
    job.lastSteps();
    job.recheckAfter();
    return new Looked(problems, pods);
  }

  @SuppressWarnings("unchecked") // a mock knows no type arguments
  private JobWatch<J> watch() {
    return mock(
        JobWatch.class,
        withSettings()
            .stubOnly()
            .defaultAnswer(call ->
                call.getMethod().getName().equals("others")
                    ? others(call.getArgument(1))
                    : List.of()));
  }

  private List<? extends HasMetadata> others(Class<?> type) {
    return others.stream().filter(type::isInstance).toList();
  }
}
