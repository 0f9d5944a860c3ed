package io.muster.controller.kinds.di.task;

import io.muster.controller.core.engine.News;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What users of jobs with tasks read, in DI-orchestrator's words as far as it has some. */
public final class TaskMessages {

  private static final List<String> PHASES =
      List.of(
          "Pending", "Starting", "Running", "Restarting", "Rescheduling", "Succeeded", "Failed");

  static final Set<String> WARNINGS = Set.of("Restarting", "Rescheduling", "Failed");

  private TaskMessages() {}

  /** The job has come to that phase: it alone holds now. */
  static void enter(Conditions conditions, String phase, DecidedJob<DIJob> decided) {
    PHASES.forEach(conditions::ended);
    conditions.happened(phase, "Job" + phase, message(phase, decided));
  }

  private static String message(String phase, DecidedJob<DIJob> decided) {
    return switch (phase) {
      case "Starting" -> "job is starting since all pods are created.";
      case "Running" -> "job is running since all pods are ready.";
      case "Restarting" -> "job is restarting since %s.".formatted(losses(decided.news()));
      case "Rescheduling" -> "job is rescheduling since replicas or allocation changed.";
      case "Succeeded" -> "job succeeded since all the replicas are succeeded.";
      case "Failed" -> failure(decided);
      default -> "job created.";
    };
  }

  private static String losses(List<News> news) {
    var losses =
        News.of(news, News.MemberLost.class)
            .map(lost -> lost.name() + " " + lost.how())
            .collect(Collectors.joining(", "));
    return losses.isEmpty() ? "pods failed" : losses;
  }

  private static String failure(DecidedJob<DIJob> decided) {
    return decided
        .failure()
        .map(failed ->
            failed.cause() == News.Failed.Cause.INVALID
                ? failed.message()
                : "job failed since %s.".formatted(failed.message()))
        .orElse("job failed.");
  }
}
