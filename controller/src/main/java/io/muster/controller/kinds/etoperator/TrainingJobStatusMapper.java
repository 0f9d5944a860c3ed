package io.muster.controller.kinds.etoperator;

import io.muster.controller.api.PodCounts;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Passed;
import io.muster.controller.core.state.JobState.Passed.Step;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.RestartRound;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.api.TrainingJobStatus;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.TrainingJobSpecMapper;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.StoredStates;
import io.muster.controller.kube.TemplateDigests;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads where a job stands from the status of a TrainingJob, and writes it there. */
final class TrainingJobStatusMapper {

  private static final Map<String, Passed> STEPS =
      Map.of(
          "WorkersCreated", new Passed(Step.MADE, EtOperatorNames.WORKER),
          "WorkersReady", new Passed(Step.UP, EtOperatorNames.WORKER),
          "LauncherCreated", new Passed(Step.MADE, EtOperatorNames.LAUNCHER),
          "Running", new Passed(Step.UP, EtOperatorNames.LAUNCHER));

  private TrainingJobStatusMapper() {}

  /** Where the job stands. */
  static JobState state(TrainingJob job) {
    var status = job.getStatus();
    if (status == null || status.phase() == null || status.phase().isEmpty()) {
      return JobState.NEW;
    }
    return status.state() == null
        ? takenOver(job.getMetadata().getName(), status)
        : StoredStates.read(status.state(), status.startTime(), status.completionTime());
  }

  /** Where a job stands that another controller has brought so far. */
  private static JobState takenOver(String job, TrainingJobStatus status) {
    var passed =
        STEPS.entrySet().stream()
            .filter(step -> Conditions.has(status.conditions(), step.getKey()))
            .map(Map.Entry::getValue)
            .collect(Collectors.toSet());
    var workers = indices(job, status.targetWorkers());
    return new JobState(
        phase(status.phase()),
        StoredStates.time(status.startTime()),
        StoredStates.time(status.completionTime()),
        Optional.empty(),
        Objects.requireNonNullElse(status.restartCount(), 0),
        workers.isEmpty()
            ? Map.of()
            : Map.of(EtOperatorNames.WORKER, workers, EtOperatorNames.LAUNCHER, List.of(0)),
        Map.of(),
        Map.of(),
        passed,
        Optional.ofNullable(status.currentScaler()).filter(scaler -> !scaler.isEmpty()),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        RestartRound.NONE);
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
      // et-operator has a phase Restarting, but never sets it.
      case STARTING, RESTARTING -> "Created";
      case RUNNING -> "Running";
      case SCALING -> "Scaling";
      case SUSPENDED -> "Suspended";
      case SUCCEEDED -> "Succeeded";
      case FAILED -> "Failed";
    };
  }

  /** The status to be stored. */
  static TrainingJobStatus status(DecidedJob<TrainingJob> decided) {
    var job = decided.job();
    var state = decided.state();
    var before = Optional.ofNullable(job.getStatus());
    var conditions =
        new Conditions(before.map(TrainingJobStatus::conditions).orElse(List.of()), decided.now());
    var news = decided.news();
    news.forEach(item -> TrainingJobMessages.note(job, conditions, item));
    if (news.stream().noneMatch(News.BelowLeast.class::isInstance)) {
      conditions.ended(TrainingJobMessages.BELOW_LEAST);
    }
    if (decided.refusal().isEmpty()) {
      conditions.ended(TrainingJobMessages.REFUSED);
    }
    var undone = new HashSet<String>();
    STEPS.forEach((type, step) -> {
      if (!state.passed().contains(step)) {
        undone.add(type);
      }
    });
    conditions.forget(undone);
    if (state.phase() != Phase.SUSPENDED) {
      conditions.ended("Suspended");
    }
    if (state.phase() == Phase.SUSPENDED || state.phase().isEnd()) {
      conditions.ended("Running");
    }
    var name = job.getMetadata().getName();
    var workers = state.targets(EtOperatorNames.WORKER);
    return new TrainingJobStatus(
        phase(state.phase()),
        conditions.list(),
        Map.of(
            "Launcher",
            counts(decided, EtOperatorNames.LAUNCHER),
            "Worker",
            counts(decided, EtOperatorNames.WORKER)),
        state.startedAt().map(Conditions::time).orElse(null),
        state.endedAt().map(Conditions::time).orElse(null),
        null,
        state.resizing().orElse(null),
        state.restarts(),
        names(name, workers),
        up(decided),
        workers.size() - lost(decided, names(name, workers)),
        EtOperatorNames.labels(name, EtOperatorNames.WORKER).entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(",")),
        StoredStates.write(state, TemplateDigests.of(TrainingJobSpecMapper.templates(job))),
        job.getMetadata().getGeneration());
  }

  /** How many of these are lost and nobody comes in their place, as it is told each time. */
  private static int lost(DecidedJob<TrainingJob> decided, List<String> names) {
    var news = decided.news();
    return News.of(news, News.BudgetSpent.class).anyMatch(spent -> spent.until().isPresent())
        ? 0
        : (int)
            News.of(news, News.MemberLost.class)
                .map(News.MemberLost::name)
                .filter(names::contains)
                .distinct()
                .count();
  }

  private static List<String> names(String job, List<Integer> indices) {
    return indices.stream().map(index -> EtOperatorNames.workers(job) + "-" + index).toList();
  }

  /** The workers that run, in the order of their indices. */
  static List<String> up(DecidedJob<TrainingJob> decided) {
    return decided
        .members(EtOperatorNames.WORKER)
        .filter(Member::isUp)
        .sorted(Comparator.comparingInt(Member::index))
        .map(Member::name)
        .toList();
  }

  private static PodCounts counts(DecidedJob<TrainingJob> decided, String role) {
    return PodCounts.of(
        decided.count(role, Member.Phase.RUNNING),
        decided.count(role, Member.Phase.SUCCEEDED),
        decided.count(role, Member.Phase.FAILED));
  }

  private static List<Integer> indices(String job, List<String> names) {
    var prefix = EtOperatorNames.workers(job) + "-";
    return Objects.requireNonNullElse(names, List.<String>of()).stream()
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length()))
        .filter(index -> index.matches("[0-9]{1,9}"))
        .map(Integer::valueOf)
        .sorted()
        .toList();
  }
}
