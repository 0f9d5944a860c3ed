package io.muster.controller.kinds.di.task;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.job.DIJobMembers;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnGang;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Jobs with tasks, and with copies of one template. */
public final class TaskGeneration implements Generation {

  private final DiAddresses addresses;

  public TaskGeneration(DiAddresses addresses) {
    this.addresses = addresses;
  }

  @Override
  public Job job(DIJob object, List<String> problems) {
    return TaskSpecMapper.job(object, problems);
  }

  @Override
  public Optional<Member> member(DIJob job, JobState state, Pod pod) {
    var role =
        job.getSpec().tasks() == null
            ? Optional.of(DiNames.COPY)
            : Optional.ofNullable(Marks.labels(pod).get(DiNames.TASK_LABEL));
    var index = DIJobMembers.index(pod);
    if (role.isEmpty() || index.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        DIJobMembers.of(
            pod,
            new DIJobMembers.Seat(role.get(), index.getAsInt(), role.get()),
            state.phase().isEnd(),
            Boolean.TRUE.equals(job.getSpec().preemptible())));
  }

  @Override
  public Map<String, Integer> enough(DIJob job) {
    return Map.of(OwnGang.of(job), TaskSpecMapper.leastPods(job));
  }

  @Override
  public List<HasMetadata> beside(DIJob job) {
    return List.of(TaskPods.service(job));
  }

  @Override
  public Function<Action.Create, Pod> pods(DIJob job, JobState state) {
    return new TaskPods(addresses, job, state)::make;
  }

  @Override
  public DIJobStatus status(DecidedJob<DIJob> decided) {
    return TaskStatusMapper.status(decided);
  }

  @Override
  public Set<String> warnings() {
    return TaskMessages.WARNINGS;
  }
}
