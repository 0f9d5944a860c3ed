package io.muster.controller.kinds.di.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Passed;
import io.muster.controller.core.state.JobState.Passed.Step;
import io.muster.controller.core.state.RestartRound;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.api.Task;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.StoredStates;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** Writes where a job with tasks, or with copies of one template, stands into its status. */
public final class TaskStatusMapper {

  private TaskStatusMapper() {}

  /** The status to be stored. */
  static DIJobStatus status(DecidedJob<DIJob> decided) {
    var job = decided.job();
    var state = decided.state();
    var before = Optional.ofNullable(job.getStatus());
    boolean hasEnded = state.phase().isEnd();
    var phase = phase(job, state);
    var conditions =
        Generation.conditions(
            decided, "Pending", phase, (all, entered) -> TaskMessages.enter(all, entered, decided));
    return new DIJobStatus(
        phase,
        conditions.list(),
        state.size(),
        Generation.ready(decided),
        hasEnded || job.getSpec().tasks() == null ? null : counts(job, decided.pods()),
        null,
        state.mending().failures(),
        state.mending().moves(),
        null,
        before.map(known -> known.profilings()).orElse(Map.of()),
        state.endedAt().map(Conditions::time).orElse(null),
        null,
        StoredStates.write(state),
        job.getMetadata().getGeneration(),
        null);
  }

  /** In the words of DI-orchestrator. */
  static String phase(DIJob job, JobState state) {
    var mending = state.mending();
    return switch (state.phase()) {
      case SUCCEEDED -> "Succeeded";
      case FAILED -> "Failed";
      case STARTING, RUNNING, SCALING, RESTARTING, SUSPENDED, NEW -> {
        if (mending.stage() == RestartRound.Stage.MAKING) {
          yield mending.causes().contains(RestartRound.Cause.FAILURE)
              ? "Restarting"
              : "Rescheduling";
        } else if (state.phase() == JobState.Phase.RUNNING
            && mending.stage() == RestartRound.Stage.WELL) {
          yield "Running";
        }
        yield areMade(job, state) ? "Starting" : "Pending";
      }
    };
  }

  private static boolean areMade(DIJob job, JobState state) {
    return TaskSpecMapper.tasks(job).stream()
        .allMatch(task -> state.passed().contains(new Passed(Step.MADE, task.knownName())));
  }

  /** Pods of each task by the phase that Kubernetes gives them. */
  private static Map<String, Map<String, Integer>> counts(DIJob job, List<Pod> pods) {
    var counts = new TreeMap<String, Map<String, Integer>>();
    for (Task task : TaskSpecMapper.tasks(job)) {
      var ofTask = new TreeMap<String, Integer>();
      pods.stream()
          .filter(pod -> task.knownName().equals(Marks.labels(pod).get(DiNames.TASK_LABEL)))
          .map(TaskStatusMapper::phase)
          .forEach(phase -> ofTask.merge(phase, 1, Integer::sum));
      if (!ofTask.isEmpty()) {
        counts.put(task.knownName(), ofTask);
      }
    }
    return counts;
  }

  private static String phase(Pod pod) {
    return Objects.requireNonNullElse(
        pod.getStatus() == null ? null : pod.getStatus().getPhase(), "Pending");
  }
}
