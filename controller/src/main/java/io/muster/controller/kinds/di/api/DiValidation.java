package io.muster.controller.kinds.di.api;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.muster.controller.api.Fault;
import io.muster.controller.api.RuleTable;
import io.muster.controller.api.UnreadableVolume;
import io.muster.controller.api.Validation;
import io.muster.controller.core.job.Job;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What cannot be honoured in an object as it is stored. The CRDs refuse the same, so this finds
 * something only in objects stored under other CRDs, and in templates, which are stored as written.
 * Meant for objects that nothing has been made for yet: those with pods are served to their end.
 * Stateless; safe for concurrent use.
 */
public final class DiValidation extends Validation {

  private static final int LONGEST_COORDINATED_NAME = 45;
  private static final Pattern TASK_NAME = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  private static final RuleTable RULES = RuleTable.beside(DIJob.class);

  private DiValidation() {
    super(RULES);
  }

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(DIJob job) {
    var faults = new DiValidation();
    var name = Objects.requireNonNullElse(job.getMetadata().getName(), "");
    faults.rule("noDots", !name.contains("."));
    if (faults.hasSpec(job.getSpec())) {
      faults.job(name, job.getSpec());
    }
    return faults.found();
  }

  private void job(String name, DIJobSpec spec) {
    rule("shape", spec.shapes().size() == 1);
    rule("cleanPodPolicy", spec.cleanPodPolicy());
    rule("priority", spec.priority());
    atLeast(0, spec.backoffLimit(), "spec.backoffLimit");
    atLeast(0, spec.minReplicas(), "spec.minReplicas");
    atLeast(1, spec.maxReplicas(), "spec.maxReplicas");
    atMost(Job.MOST_MEMBERS, spec.minReplicas(), "spec.minReplicas");
    atMost(Job.MOST_MEMBERS, spec.maxReplicas(), "spec.maxReplicas");
    if (spec.engineFields() != null) {
      rule("topology", spec.engineFields().topology());
      var processes = spec.engineFields().parallelWorkers();
      atLeast(1, processes, "spec.engineFields.parallelWorkers");
      atMost(DiLimits.MOST_PROCESSES, processes, "spec.engineFields.parallelWorkers");
    }
    volumes(orEmpty(spec.volumes()));
    if (spec.shapes().size() == 1) {
      switch (spec.shapes().iterator().next()) {
        case COORDINATOR -> coordinated(name, spec);
        case TEMPLATE -> copies(name, spec);
        case TASKS -> tasks(name, spec);
      }
    }
    mounts(spec);
  }

  private void coordinated(String name, DIJobSpec spec) {
    rule("coordinatedName", name.length() <= LONGEST_COORDINATED_NAME && name.matches("[a-z].*"));
    template(spec.coordinator().template(), "spec.coordinator.template");
    if (spec.collector() != null) {
      template(spec.collector().template(), "spec.collector.template");
    }
    if (spec.learner() != null) {
      template(spec.learner().template(), "spec.learner.template");
    }
  }

  private void copies(String name, DIJobSpec spec) {
    int least = Objects.requireNonNullElse(spec.minReplicas(), 1);
    int most = Objects.requireNonNullElse(spec.maxReplicas(), Math.max(1, least));
    rule(
        "namesOfCopies",
        (name + "-0-" + (Math.max(least, most) - 1)).length() <= DiLimits.LONGEST_LABEL);
    rule("copies", least >= 1 && (spec.minReplicas() == null || least <= most));
    template(spec.template(), "spec.template");
  }

  private void tasks(String name, DIJobSpec spec) {
    var tasks = spec.tasks().stream().filter(Objects::nonNull).toList();
    check(!tasks.isEmpty(), "spec.tasks", "tasks is empty; add a task");
    var types = new HashSet<String>();
    var names = new HashSet<String>();
    for (int i = 0; i < tasks.size(); i++) {
      var task = tasks.get(i);
      var field = "spec.tasks[%d]".formatted(i);
      ruleAt(field + ".type", "type", isAllowed("type", task.knownType()));
      atLeast(1, task.replicas(), field + ".replicas");
      atMost(Job.MOST_MEMBERS, task.replicas(), field + ".replicas");
      template(task.template(), field + ".template");
      boolean isFirst = types.add(task.knownType()) || task.knownType().equals(Task.UNTYPED);
      rule("oneOfAType", isFirst, task.knownType());
      var title = task.knownName();
      rule("named", !title.isEmpty());
      rule("namesOfTasks", title.isEmpty() || TASK_NAME.matcher(title).matches());
      // Two of a type without names have one name; that is said already.
      rule("uniqueNames", title.isEmpty() || names.add(title) || !isFirst, title);
    }
    rule("namesOfTaskPods", tasks.stream().allMatch(task -> podNameFits(name, task, spec)));
    long all = tasks.stream().mapToLong(Task::knownReplicas).sum();
    // One that is too large by itself is said already.
    rule(
        "members",
        all <= Job.MOST_MEMBERS
            || tasks.stream().anyMatch(task -> task.knownReplicas() > Job.MOST_MEMBERS));
    rule("minReplicas", spec.minReplicas() == null || spec.minReplicas() <= all);
    rule("maxReplicas", spec.maxReplicas() == null || all <= Math.max(1, spec.maxReplicas()));
  }

  private static boolean podNameFits(String name, Task task, DIJobSpec spec) {
    int most = Math.max(task.knownReplicas(), Objects.requireNonNullElse(spec.maxReplicas(), 1));
    return (name + "-" + task.knownName() + "-" + (most - 1)).length() <= DiLimits.LONGEST_LABEL;
  }

  private void volumes(List<Volume> volumes) {
    for (int i = 0; i < volumes.size(); i++) {
      var field = "spec.volumes[%d]".formatted(i);
      if (volumes.get(i) instanceof UnreadableVolume unreadable) {
        unreadable(unreadable, field);
      } else if (volumes.get(i) != null) {
        check(volumes.get(i).getName() != null, field + ".name", "name" + MISSING);
        var folder = volumes.get(i).getHostPath();
        check(
            folder == null || folder.getPath() != null, field + ".hostPath.path", "path" + MISSING);
      }
    }
  }

  /** Says the first that is lost, as the API server does. */
  private void mounts(DIJobSpec spec) {
    var shared = namesOf(orEmpty(spec.volumes())).toList();
    var roles =
        Stream.of(spec.coordinator(), spec.collector(), spec.learner())
            .filter(Objects::nonNull)
            .map(RoleTemplate::template);
    var tasks = orEmpty(spec.tasks()).stream().filter(Objects::nonNull).map(Task::template);
    Stream.of(roles, Stream.ofNullable(spec.template()), tasks)
        .flatMap(templates -> templates)
        .filter(Objects::nonNull)
        .map(PodTemplateSpec::getSpec)
        .filter(Objects::nonNull)
        .flatMap(pod -> lost(pod, shared))
        .findFirst()
        .ifPresent(name -> rule("mounts", false, name));
  }

  /** Volumes that containers of a pod mount and that are not there. */
  private static Stream<String> lost(PodSpec pod, List<String> shared) {
    var own = namesOf(orEmpty(pod.getVolumes())).toList();
    return Stream.of(orEmpty(pod.getContainers()), orEmpty(pod.getInitContainers()))
        .flatMap(Collection::stream)
        .filter(Objects::nonNull)
        .flatMap(container -> orEmpty(container.getVolumeMounts()).stream())
        .filter(Objects::nonNull)
        .map(VolumeMount::getName)
        .filter(Objects::nonNull)
        .filter(name -> !shared.contains(name) && !own.contains(name));
  }

  private static Stream<String> namesOf(List<Volume> volumes) {
    return volumes.stream().filter(Objects::nonNull).map(Volume::getName).filter(Objects::nonNull);
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }
}
