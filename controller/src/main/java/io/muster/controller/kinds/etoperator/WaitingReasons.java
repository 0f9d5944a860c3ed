package io.muster.controller.kinds.etoperator;

import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.api.TrainingJobStatus;
import io.muster.controller.kinds.etoperator.job.TrainingJobPods;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.Rejection;
import io.muster.controller.kube.Remark;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.ResizeAdvice;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says on jobs what their workers wait for, or those of a ScaleOut: once for each reason, and at
 * most every 30 s. Confined to one thread at a time.
 */
final class WaitingReasons {

  private static final Logger LOG = LoggerFactory.getLogger(WaitingReasons.class);

  private static final Duration TOLD_APART = Duration.ofSeconds(30);

  /** A walk over the nodes each; where hundreds wait, words must not slow those down that go. */
  private static final int MOST_AT_ONCE = 20;

  private final ResizeAdvice advice;
  private final GangReports reports;
  private final Remarks remarks;
  private final Map<String, Told> told = new HashMap<>();

  private record Told(Instant at, Remark remark) {}

  /** Leaves Events on jobs. */
  @FunctionalInterface
  interface Remarks {

    /**
     * Leaves one, unless it was left for the same occurrence before.
     *
     * @param occurrence empty for the first of this process, which may be one of an earlier one
     */
    void leave(TrainingJob job, Remark remark, String occurrence);
  }

  /**
   * @param reports of the gangs that the jobs' pods are
   * @param remarks leaves an Event on a job
   */
  WaitingReasons(ResizeAdvice advice, GangReports reports, Remarks remarks) {
    this.advice = advice;
    this.reports = reports;
    this.remarks = remarks;
  }

  /**
   * Tells those of which it is due, those first that have waited for longest.
   *
   * @param waiting all jobs that have not started, or have a scaler under way
   */
  void tell(List<TrainingJob> waiting, Instant now) {
    told.keySet().retainAll(waiting.stream().map(WaitingReasons::uid).collect(Collectors.toSet()));
    var due =
        waiting.stream()
            .filter(job -> !now.isBefore(lookedAt(job).plus(TOLD_APART)))
            .sorted(Comparator.comparing(this::lookedAt))
            .toList();
    int left = MOST_AT_ONCE;
    for (var job : due) {
      var reason = left > 0 ? reason(job) : Optional.<Remark>empty();
      if (reason.isPresent()) {
        left--;
        tell(job, reason.get(), now);
      }
    }
  }

  private Instant lookedAt(TrainingJob job) {
    return Optional.ofNullable(told.get(uid(job))).map(Told::at).orElse(Instant.EPOCH);
  }

  private Optional<Remark> reason(TrainingJob job) {
    var own = OwnGang.of(job);
    var scaleOut = scaleOut(job);
    var name = scaleOut.map(id -> TrainingJobPods.gang(own, id)).orElse(own);
    var gang = new GangId(Dialect.MUSTER, job.getMetadata().getNamespace(), name);
    return reports
        .of(gang)
        .flatMap(report ->
            report.reason().isWantOfRoom()
                ? advice
                    .shortage(gang)
                    .map(shortage -> TrainingJobMessages.waiting(job, scaleOut, shortage))
                : GangSight.obstacle(report)
                    .map(why -> TrainingJobMessages.waiting(scaleOut, why)));
  }

  private static Optional<String> scaleOut(TrainingJob job) {
    return Optional.ofNullable(job.getStatus())
        .map(TrainingJobStatus::currentScaler)
        .filter(scaler -> scaler.startsWith("ScaleOut:"));
  }

  private void tell(TrainingJob job, Remark reason, Instant now) {
    var before = Optional.ofNullable(told.put(uid(job), new Told(now, reason)));
    if (before.filter(last -> last.remark().equals(reason)).isEmpty()) {
      try {
        remarks.leave(job, reason, before.isEmpty() ? "" : now.toString());
      } catch (RuntimeException e) {
        // Its namespace may end; whatever it is, the others are told.
        LOG.atDebug()
            .addKeyValue("job", EngineJob.key(job))
            .addKeyValue("message", Rejection.sentence(e))
            .log("a job could not be told what it waits for");
      }
    }
  }

  private static String uid(TrainingJob job) {
    return job.getMetadata().getUid();
  }
}
