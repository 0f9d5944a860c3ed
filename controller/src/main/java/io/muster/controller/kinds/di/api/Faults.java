package io.muster.controller.kinds.di.api;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.muster.controller.api.Fault;
import io.muster.controller.api.SpecSize;
import io.muster.controller.api.Unreadable;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.api.UnreadableVolume;
import io.muster.controller.core.job.Job;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What cannot be honoured in an object as it is stored. The CRDs refuse the same, so this finds
 * something only in objects stored under other CRDs, and in templates, which are stored as written.
 * Meant for objects that nothing has been made for yet: those with pods are served to their end.
 * Stateless; safe for concurrent use.
 */
public final class Faults {

  private static final int LONGEST_COORDINATED_NAME = 45;
  private static final Pattern TASK_NAME = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  private static final Set<String> TYPES = Set.of("learner", "collector", "evaluator", "none");

  private final List<Fault> found = new ArrayList<>();

  private Faults() {}

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(DIJob job) {
    var faults = new Faults();
    var name = Objects.requireNonNullElse(job.getMetadata().getName(), "");
    faults.check(!name.contains("."), "metadata.name", Texts.DOTS);
    faults.check(job.getSpec() != null, "spec", Texts.SPEC);
    if (job.getSpec() != null) {
      faults.job(name, job.getSpec());
    }
    return List.copyOf(faults.found);
  }

  /** Faults of what aggregators are made of; empty if they can be made. */
  public static List<Fault> in(AggregatorConfig config) {
    var faults = new Faults();
    var spec = config.getSpec();
    faults.check(spec != null, "spec", Texts.SPEC);
    if (spec != null && spec.aggregator() == null) {
      faults.fatal("spec.aggregator", "aggregator" + Texts.MISSING);
    } else if (spec != null) {
      faults.template(spec.aggregator().template(), "spec.aggregator.template");
    }
    return List.copyOf(faults.found);
  }

  private void job(String name, DIJobSpec spec) {
    SpecSize.fault(spec).ifPresent(found::add);
    check(spec.shapes().size() == 1, "spec", Texts.SHAPE);
    among(
        Set.of("Running", "All", "ALL", "None"),
        spec.cleanPodPolicy(),
        "spec.cleanPodPolicy",
        Texts.CLEAN_POD_POLICY);
    among(Set.of("normal", "high"), spec.priority(), "spec.priority", Texts.PRIORITY);
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
          Texts.TOPOLOGY);
      var processes = spec.engineFields().parallelWorkers();
      atLeast(1, processes, "spec.engineFields.parallelWorkers");
      atMost(Rules.MOST_PROCESSES, processes, "spec.engineFields.parallelWorkers");
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
        Texts.COORDINATED_NAME);
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
        (name + "-0-" + (Math.max(least, most) - 1)).length() <= Rules.LONGEST_LABEL,
        "metadata.name",
        Texts.TEMPLATE_POD_NAMES);
    check(
        least >= 1 && (spec.minReplicas() == null || least <= most),
        "spec.minReplicas",
        Texts.COPIES);
    template(spec.template(), "spec.template");
  }

  private void tasks(String name, DIJobSpec spec) {
    var tasks = spec.tasks().stream().filter(Objects::nonNull).toList();
    check(!tasks.isEmpty(), "spec.tasks", Texts.TASKS);
    var types = new HashSet<String>();
    var names = new HashSet<String>();
    for (int i = 0; i < tasks.size(); i++) {
      var task = tasks.get(i);
      var field = "spec.tasks[%d]".formatted(i);
      among(TYPES, task.knownType(), field + ".type", Texts.TYPE);
      atLeast(1, task.replicas(), field + ".replicas");
      atMost(Job.MOST_MEMBERS, task.replicas(), field + ".replicas");
      template(task.template(), field + ".template");
      boolean isFirst = types.add(task.knownType()) || task.knownType().equals(Task.UNTYPED);
      check(isFirst, "spec.tasks", Texts.TYPE_TWICE.replace("X", task.knownType()));
      var title = task.knownName();
      check(!title.isEmpty(), "spec.tasks", Texts.UNNAMED);
      check(title.isEmpty() || TASK_NAME.matcher(title).matches(), "spec.tasks", Texts.TASK_NAMES);
      // Two of a type without names have one name; that is said already.
      check(
          title.isEmpty() || names.add(title) || !isFirst,
          "spec.tasks",
          Texts.NAME_TWICE.replace("X", title));
    }
    check(
        tasks.stream().allMatch(task -> podNameFits(name, task, spec)),
        "metadata.name",
        Texts.TASK_POD_NAMES);
    long all = tasks.stream().mapToLong(Task::knownReplicas).sum();
    // One that is too large by itself is said already.
    check(
        all <= Job.MOST_MEMBERS
            || tasks.stream().anyMatch(task -> task.knownReplicas() > Job.MOST_MEMBERS),
        "spec.tasks",
        Texts.MEMBERS);
    check(
        spec.minReplicas() == null || spec.minReplicas() <= all,
        "spec.minReplicas",
        Texts.MIN_REPLICAS);
    check(
        spec.maxReplicas() == null || all <= Math.max(1, spec.maxReplicas()),
        "spec.maxReplicas",
        Texts.MAX_REPLICAS);
  }

  private static boolean podNameFits(String name, Task task, DIJobSpec spec) {
    int most = Math.max(task.knownReplicas(), Objects.requireNonNullElse(spec.maxReplicas(), 1));
    return (name + "-" + task.knownName() + "-" + (most - 1)).length() <= Rules.LONGEST_LABEL;
  }

  private void volumes(List<Volume> volumes) {
    for (int i = 0; i < volumes.size(); i++) {
      var field = "spec.volumes[%d]".formatted(i);
      if (volumes.get(i) instanceof UnreadableVolume unreadable) {
        unreadable(unreadable, field);
      } else if (volumes.get(i) != null) {
        check(volumes.get(i).getName() != null, field + ".name", "name" + Texts.MISSING);
        var folder = volumes.get(i).getHostPath();
        check(
            folder == null || folder.getPath() != null,
            field + ".hostPath.path",
            "path" + Texts.MISSING);
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
        .ifPresent(name -> fatal("spec.volumes", Texts.MOUNTS.replace("X", name)));
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

  private void template(PodTemplateSpec template, String field) {
    if (template == null) {
      fatal(field, "template" + Texts.MISSING);
    } else if (template instanceof UnreadableTemplate unreadable) {
      unreadable(unreadable, field);
    } else if (template.getSpec() == null) {
      fatal(field + ".spec", "spec" + Texts.MISSING);
    } else {
      var containers = template.getSpec().getContainers();
      check(
          containers != null && !containers.isEmpty(),
          field + ".spec.containers",
          Texts.CONTAINERS);
    }
  }

  private void unreadable(Unreadable part, String field) {
    var path = part.field().isEmpty() ? field : field + "." + part.field();
    fatal(path, lastPart(path) + Texts.UNREADABLE);
  }

  private void among(Set<String> words, String word, String field, String text) {
    check(word == null || words.contains(word), field, text);
  }

  private void atLeast(int least, Integer number, String field) {
    check(number == null || number >= least, field, lastPart(field) + Texts.AT_LEAST + least);
  }

  private void atMost(int most, Integer number, String field) {
    check(number == null || number <= most, field, lastPart(field) + Texts.AT_MOST + most);
  }

  private void check(boolean holds, String field, String text) {
    if (!holds) {
      fatal(field, text);
    }
  }

  private void fatal(String field, String text) {
    found.add(new Fault(field, text, Optional.empty()));
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }

  private static String lastPart(String field) {
    return field.substring(field.lastIndexOf('.') + 1);
  }
}
