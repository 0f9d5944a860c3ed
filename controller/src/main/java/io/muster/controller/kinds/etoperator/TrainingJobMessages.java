package io.muster.controller.kinds.etoperator;

import io.muster.controller.core.engine.News;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.scaler.ScalerMessages;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Remark;
import io.muster.extender.core.protocol.Shortage;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What has come about in a job, in et-operator's words. */
final class TrainingJobMessages {

  /** The condition of a job that has fewer workers than it needs. */
  static final String BELOW_LEAST = "BelowMinReplicas";

  /** The condition of a job whose pods the apiserver does not take, or that need another's name. */
  static final String REFUSED = "PodsRefused";

  private TrainingJobMessages() {}

  static void note(TrainingJob job, Conditions conditions, News item) {
    var name = job.getMetadata().getName();
    var full = job.getMetadata().getNamespace() + "/" + name;
    switch (item) {
      case News.Accepted _ ->
          conditions.happened(
              "Created", "TrainingJobCreated", "TrainingJob %s is created.".formatted(name));
      case News.Made(String role) -> {
        if (role.equals(EtOperatorNames.WORKER)) {
          conditions.happened(
              "WorkersCreated", "", "create trainingjob(%s) workers".formatted(full));
        } else {
          conditions.happened(
              "LauncherCreated", "", "create trainingjob(%s) launcher".formatted(full));
        }
      }
      case News.Up(String role, int members) -> {
        if (role.equals(EtOperatorNames.WORKER)) {
          conditions.happened(
              "WorkersReady",
              "",
              "trainingjob(%s) all workers (%d) are running".formatted(full, members));
        }
      }
      case News.Running _ ->
          conditions.happened(
              "Running", "TrainingJobRunning", "job(%s) is running.".formatted(full));
      case News.Succeeded _ ->
          conditions.happened(
              "Succeeded",
              "TrainingJobSucceeded",
              "job(%s) successfully completed.".formatted(full));
      case News.Failed failed ->
          conditions.happened("Failed", reason(failed), message(full, failed));
      case News.Suspended _ ->
          conditions.happened(
              "Suspended",
              "WaitingResourceTimeout",
              "TrainingJob %s is waiting resource timeout.".formatted(name));
      case News.Restarted _ -> conditions.forgetAll();
      case News.ResizeFailed failed -> {
        if (conditions.list().stream().anyMatch(condition -> condition.type().equals("Scaling"))) {
          ScalerMessages.note(conditions, full, failed);
        }
      }
      case News.ResizeStarted _, News.ResizeSucceeded _ ->
          ScalerMessages.note(conditions, full, (News.OfResize) item);
      case News.BelowLeast(String role, int members, int least) ->
          conditions.holds(
              BELOW_LEAST, BELOW_LEAST, "%ss %d < minReplicas %d".formatted(role, members, least));
      case News.Refused(String message) ->
          conditions.states(REFUSED, true, REFUSED, "no pods for now: " + message);
      default -> {}
    }
  }

  private static String reason(News.Failed failed) {
    return switch (failed.cause()) {
      case INVALID -> "InvalidSpec";
      case MEMBER, TOO_FEW ->
          failed.message().matches("[A-Za-z]+") ? failed.message() : "TrainingJobFailed";
      case EVICTED -> "TrainingJobEvicted";
      case DEADLINE -> "DeadlineExceeded";
      case WAITED -> "WaitingResourceTimeout";
    };
  }

  private static String message(String full, News.Failed failed) {
    var plain = "job(%s) has failed".formatted(full);
    boolean isTold = failed.message().isEmpty() || failed.message().equals(reason(failed));
    return switch (failed.cause()) {
      case EVICTED -> plain;
      case MEMBER, TOO_FEW -> isTold ? plain : plain + ": " + failed.message();
      case INVALID, DEADLINE, WAITED -> plain + ": " + failed.message();
    };
  }

  /** The Events that go with it. */
  static List<Remark> remarks(TrainingJob job, News item) {
    var full = job.getMetadata().getNamespace() + "/" + job.getMetadata().getName();
    return switch (item) {
      case News.Running _ ->
          one(false, "TrainingJobRunning", "job(%s) is running.".formatted(full));
      case News.Succeeded _ ->
          one(false, "TrainingJobSucceeded", "job(%s) successfully completed.".formatted(full));
      case News.Failed failed -> one(true, reason(failed), message(full, failed));
      case News.Refused(String message) ->
          one(true, "TrainingJobPodsRefused", "no pods for now: " + message);
      case News.MemberLost(String name, String how) ->
          name.equals(EtOperatorNames.launcher(job.getMetadata().getName()))
              ? one(true, "TrainingJobLauncherFailed", "launcher %s %s".formatted(name, how))
              : one(true, "TrainingJobWorkerFailed", "worker %s %s".formatted(name, how));
      case News.MembersReplaced(var names) ->
          one(
              false,
              "TrainingJobWorkerCreated",
              "created in place of a lost one: " + String.join(", ", names));
      case News.BudgetSpent(String role, int budget, var until) ->
          one(
              true,
              "WorkerRestartBudget",
              "lost %ss are not replaced%s: the job may replace %d an hour (annotation %s)"
                  .formatted(
                      role,
                      until.map(at -> " before " + Conditions.time(at)).orElse(""),
                      budget,
                      TrainingJob.RESTART_BUDGET));
      case News.DecidingLeaves(String launcher, String node) ->
          one(
              true,
              "LauncherNodeReclaim",
              "%s is on node %s, which will go: the job ends with it".formatted(launcher, node));
      case News.BelowLeast(String role, int members, int least) ->
          one(true, BELOW_LEAST, "%ss %d < minReplicas %d".formatted(role, members, least));
      case News.ResizeSlow(String id, var members) ->
          one(
              true,
              "ScaleInSlow",
              "%s: the launcher still works with %s".formatted(id, String.join(", ", members)));
      default -> List.of();
    };
  }

  /** The Event on a job whose workers have no room. */
  static Remark waiting(TrainingJob job, Optional<String> scaleOut, Shortage shortage) {
    var who =
        shortage
            .later()
            .map(asks ->
                "launcher %s (%s) has no room beside %d workers"
                    .formatted(
                        EtOperatorNames.launcher(job.getMetadata().getName()),
                        asks,
                        shortage.members()))
            .orElseGet(() -> "no room for %d workers together".formatted(shortage.members()));
    var devices =
        shortage.devices().stream()
            .map(amount ->
                "%d %s needed, %d free"
                    .formatted(amount.needed(), amount.resource(), amount.free()))
            .collect(Collectors.joining("; "));
    return waiting(scaleOut, Stream.of(who, devices, shortage.tally()));
  }

  /** The Event on a job whose workers are kept from starting by something else than room. */
  static Remark waiting(Optional<String> scaleOut, String why) {
    return waiting(scaleOut, Stream.of(why));
  }

  private static Remark waiting(Optional<String> scaleOut, Stream<String> why) {
    return Remark.warning(
        scaleOut.isPresent() ? "ScaleOutWaiting" : "TrainingJobWaiting",
        Stream.concat(scaleOut.stream(), why)
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(": ")));
  }

  private static List<Remark> one(boolean isWarning, String reason, String message) {
    return List.of(new Remark(isWarning, reason, message));
  }
}
