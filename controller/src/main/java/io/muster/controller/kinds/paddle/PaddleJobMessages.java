package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobStatus;
import io.muster.controller.kinds.paddle.api.ScaleRecords.ScaleRecord;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.pod.PodEnds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What users of TrainingJobs read, in PaddlePaddle's words as far as it has some. */
final class PaddleJobMessages {

  /** The Event of a job that has failed, as its users look for it. */
  private static final String FAILED = "Pods Failed";

  private static final String THRESHOLD = "Failed trainer count beyond the threshold: ";

  private PaddleJobMessages() {}

  /** Why the job is in that phase. */
  static String reason(DecidedJob<PaddleJob> decided, String phase, List<ScaleRecord> records) {
    return switch (phase) {
      case "succeeded" -> "all trainers have ended, and at least one has succeeded";
      case "failed" -> failure(decided);
      case "scaling" ->
          "%d of %d trainers run: %s"
              .formatted(
                  PaddleJobStatusMapper.running(decided),
                  PaddleJobStatusMapper.trainers(decided).size(),
                  records.getLast().reason());
      case "running" -> running(decided);
      default -> waiting(decided);
    };
  }

  private static String running(DecidedJob<PaddleJob> decided) {
    var servers =
        decided.members().stream()
            .filter(member -> !member.role().equals(PaddleNames.TRAINER) && !member.isUp())
            .map(Member::name)
            .sorted()
            .toList();
    if (PaddleJobStatusMapper.isSettled(decided) && servers.isEmpty()) {
      return PaddleJobStatusMapper.ended(decided) == 0
          ? "all pods are running"
          : "%d trainers have ended, %d run"
              .formatted(
                  PaddleJobStatusMapper.ended(decided), PaddleJobStatusMapper.running(decided));
    }
    return "%d of %d trainers run%s"
        .formatted(
            PaddleJobStatusMapper.running(decided),
            PaddleJobStatusMapper.trainers(decided).size(),
            servers.isEmpty() ? "" : "; not ready: " + String.join(", ", servers));
  }

  private static String waiting(DecidedJob<PaddleJob> decided) {
    return decided
        .refusal()
        .map(message -> "no pods for now: " + message)
        .or(() -> decided.gang().reason().map(why -> servers(decided) + why))
        .orElseGet(() -> {
          int all = decided.state().size();
          long up = decided.members().stream().filter(Member::isUp).count();
          return servers(decided) + "%d of %d pods run".formatted(up, all);
        });
  }

  /** Which servers a job lacks that ran before. */
  private static String servers(DecidedJob<PaddleJob> decided) {
    if (decided.state().phase() != JobState.Phase.RUNNING) {
      return "";
    }
    var lacking = new ArrayList<String>();
    PaddleJobStatusMapper.lackingServers(decided)
        .forEach((role, up) ->
            lacking.add("%s %d of %d".formatted(role, up, decided.state().targets(role).size())));
    return lacking.isEmpty() ? "" : String.join(", ", lacking) + ": ";
  }

  /** What was said when it failed stays. */
  private static String failure(DecidedJob<PaddleJob> decided) {
    return decided
        .failure()
        .map(failed -> failure(decided, failed))
        .or(() -> Optional.ofNullable(decided.job().getStatus()).map(status -> status.reason()))
        .orElse("");
  }

  private static String failure(DecidedJob<PaddleJob> decided, News.Failed failed) {
    if (failed.cause() != News.Failed.Cause.MEMBER) {
      return failed.message();
    }
    var trainers =
        decided.pods().stream()
            .filter(pod -> isFailedTrainer(pod, decided.members()))
            .map(PaddleJobMembers::end)
            .sorted()
            .collect(Collectors.joining("; "));
    return THRESHOLD
        + PaddleJobSpecMapper.failureLimit(decided.job())
        + (trainers.isEmpty() ? "" : " (" + trainers + ")");
  }

  private static boolean isFailedTrainer(Pod pod, List<Member> members) {
    return members.stream()
        .anyMatch(member ->
            member.uid().equals(pod.getMetadata().getUid())
                && member.role().equals(PaddleNames.TRAINER)
                && member.phase() == Member.Phase.FAILED);
  }

  /** Why the number of trainers is another now. */
  static String whyResized(PaddleJob job, JobState state) {
    var trainers = Trainers.of(job, state);
    if (trainers.isExact()) {
      return "parallelism is " + job.getSpec().trainer().parallelism();
    }
    return TrainerDecision.of(job)
        .filter(decided -> decided.count() == trainers.wanted())
        .map(TrainerDecision::why)
        .orElse("max-instance is " + trainers.most());
  }

  /** The Events that go with something that has come about. */
  static List<Remark> remarks(DecidedJob<PaddleJob> decided, PaddleJobStatus status, News item) {
    return switch (item) {
      case News.Refused(String message) ->
          List.of(Remark.warning("FailedCreate", "no pods for now: " + message));
      case News.MemberLost(String name, String how) ->
          List.of(
              Remark.warning("PodLost", "pod %s %s%s".formatted(name, how, end(decided, name))));
      case News.Followed(String role, int from, int to) ->
          List.of(
              Remark.normal(
                  "Scaling",
                  "from %d to %d %ss: %s"
                      .formatted(from, to, role, whyResized(decided.job(), decided.state()))));
      case News.Running _ -> List.of(Remark.normal("Running", "all pods are running"));
      case News.Succeeded _ -> List.of(Remark.normal("Succeeded", status.reason()), ended());
      case News.Failed _ -> List.of(Remark.warning(FAILED, status.reason()), ended());
      default -> List.of();
    };
  }

  private static Remark ended() {
    return Remark.normal(
        "Terminated",
        "pods that ran are cleaned, trainers that have ended are kept for their logs");
  }

  private static String end(DecidedJob<PaddleJob> decided, String name) {
    return decided.pods().stream()
        .filter(pod -> pod.getMetadata().getName().equals(name) && PodEnds.end(pod).isPresent())
        .map(pod -> " (" + PaddleJobMembers.end(pod) + ")")
        .findFirst()
        .orElse("");
  }

  /** The Event of a job that waits, with the member that finds no room. */
  static Stream<Remark> waiting(DecidedJob<PaddleJob> decided, PaddleJobStatus status) {
    return "pending".equals(status.phase())
        ? decided.gang().obstacle().stream().map(reason -> Remark.warning("Pending", reason))
        : Stream.empty();
  }
}
