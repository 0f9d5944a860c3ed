package io.muster.controller.kinds.di;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.SizedObject;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DIJobMembers;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.task.TaskSpecMapper;
import io.muster.controller.kinds.di.task.WithheldCollectors;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.controller.kube.pod.WorkerPods;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A running DIJob with tasks. One that may be preempted gives collectors to gangs of higher
 * priority, an elastic one to its equals too; they come back once there is capacity.
 */
public final class SizedDIJob extends SizedObject<DIJob> {

  private static final Duration INTERVAL = Duration.ofSeconds(30);

  /** A collector comes and goes without the others standing still. */
  private static final Terms SHARING = new Terms(Sharing.WITH_EQUALS, Duration.ZERO, List.of());

  private final List<Pod> up;
  private final TaskSpecMapper.Sized task;

  public SizedDIJob(DIJob job, List<Pod> pods, JobAccess access) {
    var sized = TaskSpecMapper.sizes(job).get(TaskSpecMapper.elastic(TaskSpecMapper.tasks(job)));
    var ready = ready(pods, sized);
    int wanted = sized.wanted() - sized.without().size();
    super(
        job,
        access,
        new Size(
            wanted,
            elastic(job, sized, ready, wanted),
            WorkerPods.leaving(pods, List.of()),
            Set.of()));
    task = sized;
    up = ready;
  }

  private static Optional<ResizableJob> elastic(
      DIJob job, TaskSpecMapper.Sized task, List<Pod> up, int wanted) {
    if (!WithheldCollectors.mayGiveUp(job)) {
      return Optional.empty();
    }
    return Optional.of(
        new ResizableJob(
            "dijobs/" + job.getMetadata().getNamespace() + "/" + job.getMetadata().getName(),
            WorkerPods.priority(up),
            WorkerPods.of(up),
            task.least(),
            task.wanted(),
            Stride.ONE,
            INTERVAL,
            WithheldCollectors.of(job).instant().map(at -> new Step(at, false)),
            true,
            up.size() == wanted,
            0,
            WithheldCollectors.isElastic(job) ? SHARING : Terms.YIELDING));
  }

  private static List<Pod> ready(List<Pod> pods, TaskSpecMapper.Sized task) {
    return pods.stream()
        .filter(pod -> task.name().equals(Marks.labels(pod).get(DiNames.TASK_LABEL)))
        .filter(PodEnds::isReady)
        .sorted(Comparator.comparing((Pod pod) -> pod.getMetadata().getCreationTimestamp()))
        .toList();
  }

  @Override
  public void ask(Decision decision) {
    var numbers = new TreeSet<>(task.without());
    switch (decision) {
      case Decision.Grow _ -> numbers.pollFirst();
      case Decision.GiveBack giveBack -> {
        up.stream()
            .filter(pod -> giveBack.workers().contains(pod.getMetadata().getName()))
            .flatMapToInt(pod -> DIJobMembers.index(pod).stream())
            .forEach(numbers::add);
        tell("JobPreempted", giveBack.why());
      }
    }
    var withheld =
        new WithheldCollectors(List.copyOf(numbers), Conditions.time(access().clock().instant()));
    access().writes().annotate(job(), WithheldCollectors.KEY, withheld.written());
  }
}
