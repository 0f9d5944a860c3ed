package io.muster.controller.di;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.engine.Member;
import io.muster.controller.core.job.Job;
import io.muster.controller.di.api.DIJob;
import io.muster.controller.di.api.DIJobStatus;
import io.muster.controller.kube.Marks;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Jobs with tasks, and with copies of one template. */
final class TaskGeneration implements Generation {

  private final TaskPods pods;

  TaskGeneration(Addresses addresses) {
    pods = new TaskPods(addresses);
  }

  @Override
  public String jobLabel() {
    return Names.JOB_LABEL;
  }

  @Override
  public Job job(DIJob object, List<String> problems) {
    return TaskReading.job(object, problems);
  }

  @Override
  public Optional<Member> member(DIJob job, JobState state, Pod pod) {
    var role =
        job.getSpec().tasks() == null
            ? Optional.of(Names.COPY)
            : Optional.ofNullable(Marks.labels(pod).get(Names.TASK_LABEL));
    var index = Members.index(pod);
    if (role.isEmpty() || index.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        Members.of(
            pod,
            new Members.Seat(role.get(), index.getAsInt(), role.get()),
            state.phase().isEnd(),
            Boolean.TRUE.equals(job.getSpec().preemptible())));
  }

  @Override
  public Map<String, Integer> enough(DIJob job) {
    return Map.of(job.getMetadata().getName(), TaskReading.leastPods(job));
  }

  @Override
  public List<HasMetadata> beside(DIJob job) {
    return List.of(TaskPods.service(job));
  }

  @Override
  public List<HasMetadata> beside(DIJob job, Pod pod) {
    return List.of();
  }

  @Override
  public Optional<String> nameOfService(String pod) {
    return Optional.empty();
  }

  @Override
  public Function<Action.Create, Pod> pods(DIJob job, JobState state) {
    return create -> pods.make(job, state, create);
  }

  @Override
  public DIJobStatus status(Look look) {
    return TaskForm.status(look);
  }

  @Override
  public Set<String> warnings() {
    return TaskWords.WARNINGS;
  }
}
