package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Rejection;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles the jobs of one kind, few at a time, each with what is remembered of it. A reconcile
 * is short: it decides and stores that, or it takes one step of what was decided; a job for which
 * more is to be done is reconciled again at once, before those that came after it. What the API
 * server refuses is tried again later. One job is reconciled by one thread at a time.
 *
 * @param <J> the kind
 * @param <M> what is remembered of a job
 */
final class ReconcileLoop<J extends HasMetadata, M extends JobMemory> {

  private static final Duration SOON = Duration.ofMillis(50);
  private static final int FEW = 100;

  private static final Logger LOG = LoggerFactory.getLogger(ReconcileLoop.class);

  private final ReconcileLimiter limiter = new ReconcileLimiter();
  private final Map<String, Subject<J, M>> subjects = new ConcurrentHashMap<>();

  /** Once so many jobs are remembered, those that have been deleted are looked for. */
  private volatile int most = FEW;

  private final Supplier<M> blank;
  private final JobMeter meter;

  /** How it is decided what to do for a job. */
  @FunctionalInterface
  interface Decide<J extends HasMetadata, M extends JobMemory> {

    /**
     * Decides and stores what was decided.
     *
     * @param permit to be released before anything that may take long, in a step as well
     * @throws KubernetesClientException if a write is refused; decided again later
     */
    PendingSteps<J> decide(J job, M memory, ReconcileLimiter.Permit permit);
  }

  /** A job: what is remembered of it, and what is left to be done. */
  private static final class Subject<J extends HasMetadata, M extends JobMemory> {

    private final M memory;
    private Optional<PendingSteps<J>> work = Optional.empty();
    private Optional<ReconcileLimiter.Permit> permit = Optional.empty();

    Subject(M memory) {
      this.memory = memory;
    }
  }

  /**
   * @param blank what is remembered of a job that has not been reconciled yet
   */
  ReconcileLoop(Supplier<M> blank, JobMeter meter) {
    this.blank = blank;
    this.meter = meter;
  }

  /** Reconciles a job once, when its turn comes. */
  UpdateControl<J> reconcile(J cached, Context<J> context, Decide<J, M> decide) {
    var uid = cached.getMetadata().getUid();
    if (cached.isMarkedForDeletion()) {
      subjects.remove(uid);
      return UpdateControl.noUpdate();
    }
    var subject = subject(uid, context);
    var memory = subject.memory;
    if (memory.isClosed()) {
      return UpdateControl.noUpdate();
    }
    var permit =
        subject.permit.orElseGet(() -> limiter.permit(cached.getMetadata().getNamespace()));
    permit.acquire();
    long begun = System.nanoTime();
    var outcome = JobMeter.Outcome.AGAIN;
    try {
      var work = advance(cached, subject, permit, decide);
      outcome = JobMeter.Outcome.DONE;
      if (work.isDone()) {
        memory.succeeded();
        return work.next();
      }
      subject.work = Optional.of(work);
      subject.permit = Optional.of(permit);
      return UpdateControl.<J>noUpdate().rescheduleAfter(Duration.ZERO);
    } catch (HeldBackException _) {
      // Its users are told why: what is refused for their sake is nothing to look after.
      outcome = JobMeter.Outcome.DONE;
      return UpdateControl.<J>noUpdate().rescheduleAfter(Duration.ZERO);
    } catch (KubernetesClientException e) {
      outcome = outcome(Rejection.of(e));
      return afterRejection(cached, memory, e);
    } finally {
      permit.release();
      meter.reconciled(outcome, Duration.ofNanos(System.nanoTime() - begun));
    }
  }

  /** Who writes first, or deletes, does what is anybody's right. */
  private static JobMeter.Outcome outcome(Rejection rejection) {
    return switch (rejection) {
      case CONFLICT, ABSENT, NAMESPACE_ENDS -> JobMeter.Outcome.DONE;
      case REFUSED, UNAVAILABLE -> JobMeter.Outcome.AGAIN;
    };
  }

  /** Takes a step of what was decided, or decides; keeps neither work nor place in the order. */
  private PendingSteps<J> advance(
      J cached, Subject<J, M> subject, ReconcileLimiter.Permit permit, Decide<J, M> decide) {
    var left = subject.work;
    subject.work = Optional.empty();
    subject.permit = Optional.empty();
    var job = subject.memory.newest(cached, HasMetadata.class);
    if (left.filter(work -> work.isOf(job)).isPresent()) {
      return left.get().step();
    }
    var work = decide.decide(cached, subject.memory, permit);
    // Somebody who writes to the job all the time shall not keep it from being served.
    return left.isPresent() && !work.isDone() ? work.step() : work;
  }

  private Subject<J, M> subject(String uid, Context<J> context) {
    if (subjects.size() >= most && !subjects.containsKey(uid)) {
      forgetDeleted(context);
    }
    return subjects.computeIfAbsent(uid, _ -> new Subject<>(blank.get()));
  }

  /** Nobody says when a job is gone for good. Reads all jobs of the kind. */
  private void forgetDeleted(Context<J> context) {
    var there =
        context
            .getPrimaryCache()
            .list()
            .map(job -> job.getMetadata().getUid())
            .collect(Collectors.toSet());
    subjects.keySet().retainAll(there);
    most = Math.max(FEW, 2 * subjects.size());
  }

  private UpdateControl<J> afterRejection(J job, M memory, KubernetesClientException e) {
    var again = UpdateControl.<J>noUpdate();
    return switch (Rejection.of(e)) {
      // Somebody else has written, or the cache is behind: what it shows next tells more.
      case CONFLICT -> again.rescheduleAfter(SOON);
      // As a rule the job itself; then it is not reconciled again.
      case ABSENT -> again.rescheduleAfter(memory.failed());
      case NAMESPACE_ENDS -> {
        memory.close();
        LOG.atInfo()
            .addKeyValue("job", EngineJob.key(job).toString())
            .log("the namespace is being deleted; nothing more is written for the job");
        yield again;
      }
      case REFUSED, UNAVAILABLE -> {
        LOG.atWarn()
            .addKeyValue("job", EngineJob.key(job).toString())
            .addKeyValue("message", Rejection.sentence(e))
            .log("a write for a job was refused; tried again");
        yield again.rescheduleAfter(memory.failed());
      }
    };
  }
}
