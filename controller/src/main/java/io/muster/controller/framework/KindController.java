package io.muster.controller.framework;

import com.fasterxml.jackson.databind.JsonMappingException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.muster.controller.api.JobStatus;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.kube.Rejection;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.JobsUnwatchedException;
import io.muster.controller.port.SizedJob;
import io.muster.extender.kube.Sentences;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one kind from {@link #start} to {@link #close}, in the one process that leads. Safe for
 * concurrent use.
 */
public final class KindController<
        J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory>
    implements JobController {

  private static final Logger LOG = LoggerFactory.getLogger(KindController.class);

  private static final int FIRST_RETRY_MILLIS = 500;
  private static final int LONGEST_RETRY_MILLIS = 30_000;
  private static final double RETRY_FACTOR = 1.5;

  /** After so long the objects of the whole cluster are put right, should somebody change one. */
  private static final Duration KEPT_APART = Duration.ofMinutes(5);

  private final JobKind<J, S, M> kind;
  private final JobAccess access;
  private final CapacitySharing sharing;
  private final JobReconciler<J, S, M> jobs;
  private final Operator operator;
  private final AtomicReference<Optional<Throwable>> stopped =
      new AtomicReference<>(Optional.empty());
  private Instant keptAt = Instant.MIN;

  /**
   * Begins nothing yet.
   *
   * @param sharing of the capacity among the jobs of all kinds
   * @param gangs of the jobs of all kinds
   * @param executor runs a reconcile each; ended with the controller, so one for each
   */
  public KindController(
      JobKind<J, S, M> kind,
      JobAccess access,
      CapacitySharing sharing,
      GangHolders gangs,
      ExecutorService executor,
      JobMeter meter) {
    this.kind = kind;
    this.access = access;
    this.sharing = sharing;
    this.jobs = new JobReconciler<>(kind, access, gangs, meter);
    this.operator =
        new Operator(
            new OperatorSettings(
                access.client(),
                executor,
                kind.type(),
                fault -> stopped.compareAndSet(Optional.empty(), Optional.of(fault))));
    operator.register(
        jobs,
        configuration ->
            configuration
                .withName(kind.reconcilerName())
                .withGenerationAware(false)
                .withRetry(retry()));
    kind.otherReconcilers()
        .forEach((name, reconciler) ->
            operator.register(
                reconciler, configuration -> configuration.withName(name).withRetry(retry())));
  }

  /** For faults that nobody expects: without end, half a minute apart at most. */
  private static GenericRetry retry() {
    return new GenericRetry()
        .setInitialInterval(FIRST_RETRY_MILLIS)
        .setIntervalMultiplier(RETRY_FACTOR)
        .setMaxInterval(LONGEST_RETRY_MILLIS)
        .withoutMaxAttempts();
  }

  /** Whether the API server knows the kind. */
  public static boolean isInstalled(KubernetesClient client, Class<? extends HasMetadata> kind) {
    return client.getApiResources(HasMetadata.getApiVersion(kind)) != null;
  }

  @Override
  public void start() {
    keep(access.clock().instant());
    kind.nodes().ifPresent(nodes -> nodes.start(access.client()));
    operator.start();
  }

  @Override
  public synchronized void tick() throws JobsUnwatchedException {
    if (stopped.get().isPresent()) {
      throw new JobsUnwatchedException(firstCause(stopped.get().get()));
    }
    keepAgain(access.clock().instant());
    try {
      jobs.watch().ifPresent(this::tick);
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue("message", Rejection.sentence(e))
          .log("the sizes of {} could not be decided; tried again", kind.jobs());
    }
  }

  private synchronized void keep(Instant now) {
    keptAt = now;
    ClusterObjects.keep(access.client(), kind.clusterObjects());
  }

  private void keepAgain(Instant now) {
    if (now.isBefore(keptAt.plus(KEPT_APART))) {
      return;
    }
    try {
      keep(now);
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("the policies that guard {} could not be written again", kind.jobs());
    }
  }

  private void tick(JobWatch<J> watch) {
    var now = access.clock().instant();
    var ours = watch.jobs().toList();
    kind.tick(ours, now);
    var running = ours.stream().flatMap(job -> sized(job, watch).stream()).toList();
    running.forEach(job -> settle(job, now));
    sharing.advance(kind.name(), running, now);
  }

  private static String firstCause(Throwable fault) {
    var cause = fault;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof JsonMappingException mismatch
        ? Sentences.pathOf(mismatch) + ": " + mismatch.getOriginalMessage()
        : cause.toString();
  }

  /** Empty for one that cannot be read: its own reconcile says so, and no other waits for it. */
  private Optional<SizedJob> sized(J job, JobWatch<J> watch) {
    try {
      return kind.sized(job, watch);
    } catch (RuntimeException e) {
      LOG.atDebug()
          .addKeyValue("job", EngineJob.key(job).toString())
          .addKeyValue("message", Rejection.sentence(e))
          .log("the size of a job could not be read");
      return Optional.empty();
    }
  }

  private static void settle(SizedJob job, Instant now) {
    try {
      job.settle(now);
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue("job", job.key())
          .addKeyValue("message", Rejection.sentence(e))
          .log("a job could not be prepared for a change of its size; tried again");
    }
  }

  @Override
  public void close() {
    operator.stop();
    // The framework leaves its timer behind, which looks into all that its watches have read.
    operator
        .getConfigurationService()
        .getExecutorServiceManager()
        .scheduledExecutorService()
        .shutdownNow();
    sharing.forget(kind.name());
  }
}
