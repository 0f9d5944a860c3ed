package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has jobs of one kind looked at, few at a time, each with what is remembered of it. A look is
 * short: it decides and stores that, or it takes one step of what was decided; a job for which more
 * is to be done is looked at again at once, before those that came after it. What the apiserver
 * refuses is tried again later. One job is looked at by one thread at a time.
 *
 * @param <J> the kind
 * @param <M> what is remembered of a job
 */
public final class JobLooks<J extends HasMetadata, M extends JobMemory> {

  private static final Duration SOON = Duration.ofMillis(50);

  private static final Logger LOG = LoggerFactory.getLogger(JobLooks.class);

  private final Turnstile turnstile = new Turnstile();
  private final Map<String, Subject<J, M>> subjects = new ConcurrentHashMap<>();
  private final Supplier<M> blank;
  private final JobMeter meter;

  /** How it is decided what to do for a job. */
  @FunctionalInterface
  public interface Look<J extends HasMetadata, M extends JobMemory> {

    /**
     * Decides and stores what was decided.
     *
     * @param pass to be given back before anything that may take long, in a step as well
     * @throws KubernetesClientException if a write is refused; looked at again later
     */
    Work<J> at(J job, Context<J> context, M memory, Turnstile.Pass pass);
  }

  /** A job: what is remembered of it, and what is left to be done. */
  private static final class Subject<J extends HasMetadata, M extends JobMemory> {

    private final M memory;
    private Optional<Work<J>> work = Optional.empty();
    private Optional<Turnstile.Pass> pass = Optional.empty();

    Subject(M memory) {
      this.memory = memory;
    }
  }

  /**
   * @param blank what is remembered of a job that nobody has looked at
   */
  public JobLooks(Supplier<M> blank, JobMeter meter) {
    this.blank = blank;
    this.meter = meter;
  }

  /** Looks at a job once, when its turn comes. */
  public UpdateControl<J> look(J cached, Context<J> context, Look<J, M> look) {
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
    var pass = subject.pass.orElseGet(turnstile::pass);
    pass.enter();
    long begun = System.nanoTime();
    var outcome = JobMeter.Outcome.AGAIN;
    try {
      var work = advance(cached, context, subject, pass, look);
      outcome = JobMeter.Outcome.DONE;
      if (work.isDone()) {
        memory.succeeded();
        return work.next();
      }
      subject.work = Optional.of(work);
      subject.pass = Optional.of(pass);
      return UpdateControl.<J>noUpdate().rescheduleAfter(Duration.ZERO);
    } catch (HeldBackException _) {
      return UpdateControl.<J>noUpdate().rescheduleAfter(Duration.ZERO);
    } catch (KubernetesClientException e) {
      return afterRejection(cached, memory, e);
    } finally {
      pass.leave();
      meter.reconciled(outcome, Duration.ofNanos(System.nanoTime() - begun));
    }
  }

  /** Takes a step of what was decided, or decides; keeps neither work nor place in the order. */
  private Work<J> advance(
      J cached, Context<J> context, Subject<J, M> subject, Turnstile.Pass pass, Look<J, M> look) {
    var left = subject.work;
    subject.work = Optional.empty();
    subject.pass = Optional.empty();
    var job = subject.memory.newest(cached, HasMetadata.class);
    if (left.filter(work -> work.isOf(job)).isPresent()) {
      return left.get().step();
    }
    var work = look.at(cached, context, subject.memory, pass);
    // Somebody who writes to the job all the time shall not keep it from being served.
    return left.isPresent() && !work.isDone() ? work.step() : work;
  }

  /** The job that a pod names by this label. */
  public static Set<ResourceID> jobOf(Pod pod, String label) {
    var labels =
        Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of());
    var job = labels.get(label);
    return job == null ? Set.of() : Set.of(new ResourceID(job, pod.getMetadata().getNamespace()));
  }

  /** What follows a look where nothing is to be waited for but what the engine waits for. */
  public static <J extends HasMetadata> UpdateControl<J> next(Outcome outcome, boolean knowsMore) {
    var control = UpdateControl.<J>noUpdate();
    return knowsMore
        ? control.rescheduleAfter(Duration.ZERO)
        : outcome.again().map(control::rescheduleAfter).orElse(control);
  }

  /** The same where something else is to be asked again too. */
  public static <J extends HasMetadata> UpdateControl<J> next(
      Outcome outcome, boolean knowsMore, Optional<Duration> also) {
    var control = UpdateControl.<J>noUpdate();
    return knowsMore
        ? control.rescheduleAfter(Duration.ZERO)
        : Stream.concat(outcome.again().stream(), also.stream())
            .min(Comparator.naturalOrder())
            .map(control::rescheduleAfter)
            .orElse(control);
  }

  /** From now on the pod is seen, before the watch shows it. */
  public static <J extends HasMetadata> void count(Pod pod, Context<J> context) {
    var watch =
        (InformerEventSource<Pod, J>) context.eventSourceRetriever().getEventSourceFor(Pod.class);
    watch.handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
  }

  /** The same where a kind watches several sets of pods. */
  public static <J extends HasMetadata> void count(Pod pod, Context<J> context, String watch) {
    var source =
        (InformerEventSource<Pod, J>)
            context.eventSourceRetriever().getEventSourceFor(Pod.class, watch);
    source.handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
  }

  private Subject<J, M> subject(String uid, Context<J> context) {
    if (!subjects.containsKey(uid)) {
      forgetDeleted(context);
    }
    return subjects.computeIfAbsent(uid, _ -> new Subject<>(blank.get()));
  }

  /** Nobody says when a job is gone for good: those that are are forgotten when one comes. */
  private void forgetDeleted(Context<J> context) {
    var there =
        context
            .getPrimaryCache()
            .list()
            .map(job -> job.getMetadata().getUid())
            .collect(Collectors.toSet());
    subjects.keySet().retainAll(there);
  }

  private UpdateControl<J> afterRejection(J job, M memory, KubernetesClientException e) {
    var again = UpdateControl.<J>noUpdate();
    return switch (Rejection.of(e)) {
      // Somebody else has written, or the cache is behind: what it shows next tells more.
      case CONFLICT -> again.rescheduleAfter(SOON);
      // As a rule the job itself; then nobody looks at it again.
      case ABSENT -> again.rescheduleAfter(memory.failed());
      case NAMESPACE_ENDS -> {
        memory.close();
        LOG.atInfo()
            .addKeyValue("job", name(job))
            .log("the namespace is being deleted; nothing more is written for the job");
        yield again;
      }
      case REFUSED, UNAVAILABLE -> {
        LOG.atWarn()
            .addKeyValue("job", name(job))
            .addKeyValue("message", Rejection.sentence(e))
            .log("a write for a job was refused; tried again");
        yield again.rescheduleAfter(memory.failed());
      }
    };
  }

  private static String name(HasMetadata job) {
    return job.getMetadata().getNamespace() + "/" + job.getMetadata().getName();
  }
}
