package io.muster.controller.kinds.di.coordinator;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.PodCounts;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.job.DIJobMembers;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.StoredStates;
import io.muster.controller.kube.TemplateDigests;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Writes where a job with a coordinator stands into its status. */
public final class CoordinatorStatusMapper {

  private static final String CREATED = "Created";
  private static final String RUNNING = "Running";
  private static final String SUCCEEDED = "Succeeded";
  private static final String FAILED = "Failed";

  static final Set<String> WARNINGS = Set.of(FAILED);

  private static final String READABLE = "WorkerRequestsReadable";

  /** The reason of a condition, and of an Event. */
  static final String UNREADABLE = "WorkerRequestsUnreadable";

  /** Pods behind an aggregator are not counted. */
  private static final Map<String, String> COUNTED =
      Map.of(
          CoordinatorNames.AGGREGATOR, "Aggregator",
          CoordinatorNames.COLLECTOR, "Collector",
          CoordinatorNames.COORDINATOR, "Coordinator",
          CoordinatorNames.LEARNER, "Learner");

  private CoordinatorStatusMapper() {}

  /** The status to be stored. */
  static DIJobStatus status(DecidedJob<DIJob> decided) {
    var job = decided.job();
    var state = decided.state();
    var phase = phase(decided);
    var conditions =
        Generation.conditions(
            decided, CREATED, phase, (all, entered) -> enter(all, entered, decided));
    WorkerRequests.unreadable(job)
        .filter(_ -> !state.phase().isEnd())
        .ifPresentOrElse(
            why -> conditions.lacks(READABLE, UNREADABLE, why),
            () -> conditions.forget(Set.of(READABLE)));
    return new DIJobStatus(
        phase,
        conditions.list(),
        state.size(),
        Generation.ready(decided),
        null,
        counts(decided),
        state.mending().failures(),
        state.mending().moves(),
        null,
        null,
        state.endedAt().map(Conditions::time).orElse(null),
        null,
        StoredStates.write(state, TemplateDigests.of(templates(job))),
        job.getMetadata().getGeneration(),
        WorkerRequests.kept(job));
  }

  /** Templates of workers, by field. */
  static Map<String, RoleTemplate> templates(DIJob job) {
    var templates = new TreeMap<String, RoleTemplate>();
    Optional.ofNullable(job.getSpec().collector())
        .ifPresent(template -> templates.put("spec.collector.template", template));
    Optional.ofNullable(job.getSpec().learner())
        .ifPresent(template -> templates.put("spec.learner.template", template));
    return templates;
  }

  private static String phase(DecidedJob<DIJob> decided) {
    return switch (decided.state().phase()) {
      case SUCCEEDED -> SUCCEEDED;
      case FAILED -> FAILED;
      case RUNNING, SCALING -> RUNNING;
      case NEW, STARTING, RESTARTING, SUSPENDED -> CREATED;
    };
  }

  private static void enter(Conditions conditions, String phase, DecidedJob<DIJob> decided) {
    if (phase.equals(SUCCEEDED) || phase.equals(FAILED)) {
      conditions.ended(RUNNING);
    }
    conditions.happened(phase, "DIJob" + phase, message(phase, decided));
  }

  private static String message(String phase, DecidedJob<DIJob> decided) {
    var name = decided.job().getMetadata().getName();
    return switch (phase) {
      case RUNNING -> "coordinator and aggregator of DIJob %s are running".formatted(name);
      case SUCCEEDED -> "DIJob %s succeeded because coordinator succeeded".formatted(name);
      case FAILED ->
          invalid(decided).orElse("DIJob %s failed because coordinator failed".formatted(name));
      default -> "DIJob %s created".formatted(name);
    };
  }

  private static Optional<String> invalid(DecidedJob<DIJob> decided) {
    return decided
        .failure()
        .filter(failed -> failed.cause() == News.Failed.Cause.INVALID)
        .map(News.Failed::message);
  }

  /** As they were at the end, once it has come: what still ran then has done its part. */
  private static Map<String, PodCounts> counts(DecidedJob<DIJob> decided) {
    boolean hasEnded = decided.state().phase().isEnd();
    var before = Optional.ofNullable(decided.job().getStatus()).map(DIJobStatus::replicaStatus);
    boolean hadEnded = List.of(SUCCEEDED, FAILED).contains(decided.earlierPhase());
    if (hasEnded && hadEnded && before.isPresent()) {
      return before.get();
    }
    var counts = new LinkedHashMap<String, PodCounts>();
    for (var type : new TreeMap<>(COUNTED).keySet()) {
      var ofType =
          decided.pods().stream().filter(pod -> CoordinatorNames.type(pod).equals(type)).toList();
      counts.put(
          COUNTED.get(type),
          counts(ofType, type, decided.state().phase() == JobState.Phase.SUCCEEDED));
    }
    return counts;
  }

  private static PodCounts counts(List<Pod> pods, String type, boolean isSuccess) {
    int active = count(pods, type, Member.Phase.RUNNING);
    int succeeded = count(pods, type, Member.Phase.SUCCEEDED);
    return PodCounts.of(
        isSuccess ? 0 : active,
        isSuccess ? succeeded + active : succeeded,
        count(pods, type, Member.Phase.FAILED));
  }

  private static int count(List<Pod> pods, String type, Member.Phase phase) {
    return (int)
        pods.stream()
            .filter(pod -> !pod.isMarkedForDeletion())
            .filter(pod -> DIJobMembers.doing(pod, type) == phase)
            .count();
  }
}
