package io.muster.controller.etoperator;

import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.engine.JobState.Passed;
import io.muster.controller.core.engine.JobState.Passed.Step;
import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.engine.Member;
import io.muster.controller.core.engine.Mending;
import io.muster.controller.core.engine.News;
import io.muster.controller.etoperator.api.ReplicaStatus;
import io.muster.controller.etoperator.api.TrainingJob;
import io.muster.controller.etoperator.api.TrainingJobStatus;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Ownership;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads where a job stands from the status of a TrainingJob, and writes it there. */
final class JobForm {

  private static final Map<String, Passed> STEPS =
      Map.of(
          "WorkersCreated", new Passed(Step.MADE, Names.WORKER),
          "WorkersReady", new Passed(Step.UP, Names.WORKER),
          "LauncherCreated", new Passed(Step.MADE, Names.LAUNCHER),
          "Running", new Passed(Step.UP, Names.LAUNCHER));

  private JobForm() {}

  /**
   * Whether another controller has begun it: Muster always says which generation it has followed.
   */
  static boolean isAnothers(TrainingJob job) {
    var status = job.getStatus();
    return status != null && Ownership.isAnothers(job, status.phase(), status.observedGeneration());
  }

  /** Where the job stands. */
  static JobState state(TrainingJob job) {
    var status = job.getStatus();
    if (status == null || status.phase() == null || status.phase().isEmpty()) {
      return JobState.NEW;
    }
    var phase = phase(status.phase());
    var pending = Objects.requireNonNullElse(status.pendingPods(), List.<String>of());
    var passed =
        STEPS.entrySet().stream()
            .filter(step -> Conditions.has(status.conditions(), step.getKey()))
            .map(Map.Entry::getValue)
            .collect(Collectors.toSet());
    var name = job.getMetadata().getName();
    var targets = new HashMap<String, List<Integer>>();
    targets.put(Names.WORKER, indices(name, status.targetWorkers()));
    if (!targets.get(Names.WORKER).isEmpty()) {
      targets.put(Names.LAUNCHER, List.of(0));
    }
    var unseen = new HashMap<String, List<Integer>>();
    unseen.put(Names.WORKER, indices(name, pending));
    unseen.put(Names.LAUNCHER, pending.contains(Names.launcher(name)) ? List.of(0) : List.of());
    targets.values().removeIf(List::isEmpty);
    unseen.values().removeIf(List::isEmpty);
    return new JobState(
        phase,
        time(status.startTime()),
        time(status.completionTime()),
        Objects.requireNonNullElse(status.restartCount(), 0),
        targets,
        unseen,
        status.workerHighWater() == null
            ? Map.of()
            : Map.of(Names.WORKER, status.workerHighWater()),
        passed,
        Optional.ofNullable(status.currentScaler()).filter(scaler -> !scaler.isEmpty()),
        status.requestedReplicas() == null
            ? Map.of()
            : Map.of(Names.WORKER, status.requestedReplicas()),
        status.workersToRegain() == null
            ? Map.of()
            : Map.of(Names.WORKER, status.workersToRegain()),
        status.workerReplacements() == null
            ? Map.of()
            : Map.of(
                Names.WORKER, status.workerReplacements().stream().map(Instant::parse).toList()),
        Map.of(),
        Mending.NONE);
  }

  private static Phase phase(String phase) {
    return switch (phase) {
      case "Created" -> Phase.STARTING;
      case "Running" -> Phase.RUNNING;
      case "Scaling" -> Phase.SCALING;
      case "Restarting" -> Phase.RESTARTING;
      case "Suspended" -> Phase.SUSPENDED;
      case "Succeeded" -> Phase.SUCCEEDED;
      case "Failed" -> Phase.FAILED;
      default -> Phase.NEW;
    };
  }

  private static String phase(Phase phase) {
    return switch (phase) {
      case NEW -> "";
      case STARTING -> "Created";
      case RUNNING -> "Running";
      case SCALING -> "Scaling";
      case RESTARTING -> "Restarting";
      case SUSPENDED -> "Suspended";
      case SUCCEEDED -> "Succeeded";
      case FAILED -> "Failed";
    };
  }

  /** The status to be stored. */
  static TrainingJobStatus status(
      TrainingJob job, JobState state, Collection<Member> members, List<News> news, Instant now) {
    var before = Optional.ofNullable(job.getStatus());
    var conditions =
        new Conditions(before.map(TrainingJobStatus::conditions).orElse(List.of()), now);
    news.forEach(item -> JobWords.note(job, conditions, item));
    if (news.stream().noneMatch(News.BelowLeast.class::isInstance)) {
      conditions.ended(JobWords.BELOW_LEAST);
    }
    if (news.stream().noneMatch(News.Refused.class::isInstance)) {
      conditions.ended(JobWords.REFUSED);
    }
    var undone = new HashSet<String>();
    STEPS.forEach((type, step) -> {
      if (!state.passed().contains(step)) {
        undone.add(type);
      }
    });
    conditions.forget(undone);
    if (state.phase().isEnd()) {
      conditions.ended("Running");
    }
    var name = job.getMetadata().getName();
    var workers = state.targets().getOrDefault(Names.WORKER, List.of());
    return new TrainingJobStatus(
        phase(state.phase()),
        conditions.list(),
        counts(members),
        state.startedAt().map(Conditions::time).orElse(null),
        state.endedAt().map(Conditions::time).orElse(null),
        null,
        state.resizing().orElse(null),
        state.restarts(),
        names(name, workers),
        up(members),
        workers.size(),
        Names.labels(name, Names.WORKER).entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(",")),
        state.burnt().get(Names.WORKER),
        state.asked().get(Names.WORKER),
        state.owed().get(Names.WORKER),
        state.replacedAt().containsKey(Names.WORKER)
            ? state.replacedAt().get(Names.WORKER).stream().map(Conditions::time).toList()
            : null,
        pending(name, state),
        job.getMetadata().getGeneration());
  }

  private static List<String> pending(String job, JobState state) {
    var names = new ArrayList<>(names(job, state.unseen().getOrDefault(Names.WORKER, List.of())));
    if (state.unseen().containsKey(Names.LAUNCHER)) {
      names.add(Names.launcher(job));
    }
    return names.isEmpty() ? null : names;
  }

  private static List<String> names(String job, List<Integer> indices) {
    return indices.stream().map(index -> Names.workers(job) + "-" + index).toList();
  }

  private static List<String> up(Collection<Member> members) {
    return members.stream()
        .filter(member -> member.role().equals(Names.WORKER) && member.isUp())
        .sorted(Comparator.comparingInt(Member::index))
        .map(Member::name)
        .toList();
  }

  private static Map<String, ReplicaStatus> counts(Collection<Member> members) {
    return Map.of(
        "Launcher", count(members, Names.LAUNCHER), "Worker", count(members, Names.WORKER));
  }

  private static ReplicaStatus count(Collection<Member> members, String role) {
    var ofRole = members.stream().filter(member -> member.role().equals(role)).toList();
    return new ReplicaStatus(
        count(ofRole, Set.of(Member.Phase.RUNNING)),
        count(ofRole, Set.of(Member.Phase.SUCCEEDED)),
        count(ofRole, Set.of(Member.Phase.FAILED)));
  }

  private static Integer count(List<Member> members, Set<Member.Phase> phases) {
    int count = (int) members.stream().filter(m -> phases.contains(m.phase())).count();
    return count == 0 ? null : count;
  }

  /** Indices of those that are workers' names. */
  private static List<Integer> indices(String job, List<String> names) {
    var prefix = Names.workers(job) + "-";
    return Objects.requireNonNullElse(names, List.<String>of()).stream()
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length()))
        .filter(index -> index.matches("[0-9]{1,9}"))
        .map(Integer::valueOf)
        .sorted()
        .toList();
  }

  private static Optional<Instant> time(String text) {
    return Optional.ofNullable(text).filter(time -> !time.isEmpty()).map(Instant::parse);
  }
}
