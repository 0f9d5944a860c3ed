package io.muster.controller.kinds.di.task;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Naming;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.Task;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.JobFrame;
import io.muster.controller.kube.Marks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Reads a DIJob with tasks, or with one template, in the engine's words. */
public final class TaskSpecMapper {

  private static final String LEARNER = "learner";

  private TaskSpecMapper() {}

  /**
   * Pods that do the same, with how many there are to be and with how few of them the job starts.
   *
   * @param without numbers of those that it has given up for others
   */
  public record Sized(Task task, int wanted, int least, Set<Integer> without) {

    public String name() {
      return task.knownName();
    }
  }

  /** The job that is wanted. */
  static Job job(DIJob object, List<String> problems) {
    return JobFrame.of(
        object,
        problems,
        () -> roles(object),
        Optional.ofNullable(object.getSpec().backoffLimit()));
  }

  private static List<Role> roles(DIJob object) {
    boolean isLearnerEnough =
        LEARNER.equals(Marks.annotations(object).get(DiNames.COMPLETION))
            && tasks(object).stream().anyMatch(task -> task.knownType().equals(LEARNER));
    return sizes(object).stream()
        .map(sized ->
            new Role(
                sized.name(),
                DiNames.pods(object, sized.name()),
                new Naming.Numbered(),
                Role.Range.followed(sized.wanted(), sized.least()).without(sized.without()),
                Recovery.of(Replacement.LOST).keepingNames(),
                isLearnerEnough && !sized.task().knownType().equals(LEARNER)
                    ? End.NEVER
                    : End.WHEN_EACH_DID_WELL))
        .toList();
  }

  /** The tasks; copies of one template are one task. */
  public static List<Task> tasks(DIJob object) {
    var spec = object.getSpec();
    if (spec.tasks() != null) {
      return spec.tasks();
    }
    int copies = copies(object);
    return List.of(new Task(DiNames.COPY, Task.UNTYPED, copies, spec.template()));
  }

  private static int copies(DIJob object) {
    var said = Marks.annotations(object).getOrDefault(DiNames.COPIES, "");
    int least = Objects.requireNonNullElse(object.getSpec().minReplicas(), 1);
    int most = Objects.requireNonNullElse(object.getSpec().maxReplicas(), Job.MOST_MEMBERS);
    return said.matches("[1-9][0-9]{0,5}")
        ? Math.clamp(Integer.parseInt(said), least, Math.max(least, most))
        : least;
  }

  /** The position of the task that grows and shrinks: that of the collectors, else the last. */
  public static int elastic(List<Task> tasks) {
    for (int i = 0; i < tasks.size(); i++) {
      if (tasks.get(i).knownType().equals(Task.COLLECTOR)) {
        return i;
      }
    }
    return tasks.size() - 1;
  }

  /** All tasks in their order: a job without bounds starts with all of its pods. */
  public static List<Sized> sizes(DIJob object) {
    var tasks = tasks(object);
    if (tasks.isEmpty()) {
      return List.of();
    }
    int elastic = elastic(tasks);
    int all = total(tasks);
    int others = all - tasks.get(elastic).knownReplicas();
    int said = Objects.requireNonNullElse(object.getSpec().minReplicas(), all);
    int least = isElastic(object) ? Math.max(said, others + 1) : all;
    var sizes = new ArrayList<Sized>();
    for (int i = 0; i < tasks.size(); i++) {
      int wanted = tasks.get(i).knownReplicas();
      sizes.add(
          i == elastic
              ? new Sized(
                  tasks.get(i),
                  wanted,
                  Math.min(wanted, least - others),
                  WithheldCollectors.of(object).of(wanted, least - others))
              : new Sized(tasks.get(i), wanted, wanted, Set.of()));
    }
    return sizes;
  }

  /** Of all tasks together; the largest number there is where it would be beyond that. */
  private static int total(List<Task> tasks) {
    return (int)
        Math.min(tasks.stream().mapToLong(Task::knownReplicas).sum(), Integer.MAX_VALUE - 1);
  }

  /** Whether the job says that it can do with other numbers of pods. */
  public static boolean isElastic(DIJob object) {
    return object.getSpec().minReplicas() != null || object.getSpec().maxReplicas() != null;
  }

  /** With how few pods the job starts and goes on. */
  public static int leastPods(DIJob object) {
    return sizes(object).stream().mapToInt(Sized::least).sum();
  }
}
