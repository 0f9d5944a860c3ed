package io.muster.controller.kinds.di.api;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.muster.controller.api.Fault;
import io.muster.controller.api.UnreadableVolume;
import io.muster.controller.api.Validation;
import io.muster.controller.core.job.Job;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
  private static final Set<String> TYPES = Set.of("learner", "collector", "evaluator", "none");

  private DiValidation() {}

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(DIJob job) {
    var faults = new DiValidation();
    var name = Objects.requireNonNullElse(job.getMetadata().getName(), "");
    faults.check(!name.contains("."), "metadata.name", DiRuleMessages.DOTS);
    if (faults.hasSpec(job.getSpec())) {
      faults.job(name, job.getSpec());
    }
    return faults.found();
  }

  private void job(String name, DIJobSpec spec) {
    check(spec.shapes().size() == 1, "spec", DiRuleMessages.SHAPE);
    among(
        Set.of("Running", "All", "ALL", "None"),
        spec.cleanPodPolicy(),
        "spec.cleanPodPolicy",
        DiRuleMessages.CLEAN_POD_POLICY);
    among(Set.of("normal", "high"), spec.priority(), "spec.priority", DiRuleMessages.PRIORITY);
    atLeast(0, spec.backoffLimit(), "spec.backoffLimit");
    atLeast(0, spec.minReplicas(), "spec.minReplicas");
    atLeast(1, spec.maxReplicas(), "spec.maxReplicas");
    atMost(Job.MOST_MEMBERS, spec.minReplicas(), "spec.minReplicas");
    atMost(Job.MOST_MEMBERS, spec.maxReplicas(), "spec.maxReplicas");
    if (spec.engineFields() != null) {
      among(
          Set.of("star", "mesh", "alone"),
          spec.engineFields().topology(),
          "spec.engineFields.topology",
          DiRuleMessages.TOPOLOGY);
      var processes = spec.engineFields().parallelWorkers();
      atLeast(1, processes, "spec.engineFields.parallelWorkers");
      atMost(DiCelRules.MOST_PROCESSES, processes, "spec.engineFields.parallelWorkers");
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
    check(
        name.length() <= LONGEST_COORDINATED_NAME && name.matches("[a-z].*"),
        "metadata.name",
        DiRuleMessages.COORDINATED_NAME);
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
    check(
        (name + "-0-" + (Math.max(least, most) - 1)).length() <= DiCelRules.LONGEST_LABEL,
        "metadata.name",
        DiRuleMessages.TEMPLATE_POD_NAMES);
    check(
        least >= 1 && (spec.minReplicas() == null || least <= most),
        "spec.minReplicas",
        DiRuleMessages.COPIES);
    template(spec.template(), "spec.template");
  }

  private void tasks(String name, DIJobSpec spec) {
    var tasks = spec.tasks().stream().filter(Objects::nonNull).toList();
    check(!tasks.isEmpty(), "spec.tasks", DiRuleMessages.TASKS);
    var types = new HashSet<String>();
    var names = new HashSet<String>();
    for (int i = 0; i < tasks.size(); i++) {
      var task = tasks.get(i);
      var field = "spec.tasks[%d]".formatted(i);
      among(TYPES, task.knownType(), field + ".type", DiRuleMessages.TYPE);
      atLeast(1, task.replicas(), field + ".replicas");
      atMost(Job.MOST_MEMBERS, task.replicas(), field + ".replicas");
      template(task.template(), field + ".template");
      boolean isFirst = types.add(task.knownType()) || task.knownType().equals(Task.UNTYPED);
      check(isFirst, "spec.tasks", DiRuleMessages.TYPE_TWICE.replace("X", task.knownType()));
      var title = task.knownName();
      check(!title.isEmpty(), "spec.tasks", DiRuleMessages.UNNAMED);
      check(
          title.isEmpty() || TASK_NAME.matcher(title).matches(),
          "spec.tasks",
          DiRuleMessages.TASK_NAMES);
      // Two of a type without names have one name; that is said already.
      check(
          title.isEmpty() || names.add(title) || !isFirst,
          "spec.tasks",
          DiRuleMessages.NAME_TWICE.replace("X", title));
    }
    check(
        tasks.stream().allMatch(task -> podNameFits(name, task, spec)),
        "metadata.name",
        DiRuleMessages.TASK_POD_NAMES);
    long all = tasks.stream().mapToLong(Task::knownReplicas).sum();
    // One that is too large by itself is said already.
    check(
        all <= Job.MOST_MEMBERS
            || tasks.stream().anyMatch(task -> task.knownReplicas() > Job.MOST_MEMBERS),
        "spec.tasks",
        DiRuleMessages.MEMBERS);
    check(
        spec.minReplicas() == null || spec.minReplicas() <= all,
        "spec.minReplicas",
        DiRuleMessages.MIN_REPLICAS);
    check(
        spec.maxReplicas() == null || all <= Math.max(1, spec.maxReplicas()),
        "spec.maxReplicas",
        DiRuleMessages.MAX_REPLICAS);
  }

  private static boolean podNameFits(String name, Task task, DIJobSpec spec) {
    int most = Math.max(task.knownReplicas(), Objects.requireNonNullElse(spec.maxReplicas(), 1));
    return (name + "-" + task.knownName() + "-" + (most - 1)).length() <= DiCelRules.LONGEST_LABEL;
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
        .ifPresent(name -> fatal("spec.volumes", DiRuleMessages.MOUNTS.replace("X", name)));
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
