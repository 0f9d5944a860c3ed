package io.muster.controller.kai;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.muster.controller.kai.api.TrainingJob;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;

/**
 * Runs et-operator's kinds from {@link #start} to {@link #close}, in the one process that leads.
 * Safe for concurrent use.
 */
public final class KaiController implements AutoCloseable {

  private static final int FIRST_RETRY_MILLIS = 500;
  private static final int LONGEST_RETRY_MILLIS = 30_000;
  private static final double RETRY_FACTOR = 1.5;
  private static final Duration LAST_RECONCILE = Duration.ofSeconds(5);

  private final Operator operator;

  /**
   * How the kinds are run.
   *
   * @param component names Muster in Events
   * @param initImage of the container that lays out a launcher's files
   */
  public record Settings(String component, String initImage) {}

  /**
   * What the kinds need of the process.
   *
   * @param nodes which of them will go; started and closed by the caller
   * @param executor runs a reconcile each
   */
  public record Surroundings(
      LeavingNodes nodes, ExecutorService executor, InstantSource clock, JobMeter meter) {}

  /**
   * @param client that keeps objects as they are; it stays open
   */
  public KaiController(KubernetesClient client, Settings settings, Surroundings process) {
    var clock = process.clock();
    operator =
        new Operator(overrider ->
            overrider
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .withExecutorService(process.executor())
                .withStopOnInformerErrorDuringStartup(false)
                .withReconciliationTerminationTimeout(LAST_RECONCILE)
                .withUseSSAToPatchPrimaryResource(false));
    var writes =
        new Writes(
            client,
            new PodForms(settings.initImage(), process.nodes()),
            clock,
            settings.component());
    operator.register(
        new TrainingJobReconciler(client, writes, process.nodes(), clock, process.meter()),
        configuration ->
            configuration.withName("trainingjobs").withGenerationAware(false).withRetry(retry()));
    var orphans = new OrphanedScalers(client, clock);
    operator.register(
        orphans.new Ins(), configuration -> configuration.withName("scaleins").withRetry(retry()));
    operator.register(
        orphans.new Outs(),
        configuration -> configuration.withName("scaleouts").withRetry(retry()));
  }

  private static GenericRetry retry() {
    return new GenericRetry()
        .setInitialInterval(FIRST_RETRY_MILLIS)
        .setIntervalMultiplier(RETRY_FACTOR)
        .setMaxInterval(LONGEST_RETRY_MILLIS)
        .withoutMaxAttempts();
  }

  /** Whether the apiserver knows the kinds. */
  public static boolean isInstalled(KubernetesClient client) {
    return client.getApiResources(TrainingJob.GROUP + "/" + TrainingJob.VERSION) != null;
  }

  public void start() {
    operator.start();
  }

  @Override
  public void close() {
    operator.stop();
  }
}
