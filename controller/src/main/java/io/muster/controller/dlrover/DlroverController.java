package io.muster.controller.dlrover;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.muster.controller.dlrover.api.ElasticJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.kube.Operators;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;

/**
 * Runs DLRover's kinds from {@link #start} to {@link #close}, in the one process that leads. Safe
 * for concurrent use.
 */
public final class DlroverController implements JobController {

  private final Operator operator;
  private final SuspendGuard guard;

  /**
   * How the kinds are run.
   *
   * @param component names Muster in Events
   * @param masterImage of masters, for jobs that bring none of their own
   * @param mode of jobs that name none
   */
  public record Settings(String component, String masterImage, Mode mode) {}

  /**
   * What the kinds need of the process.
   *
   * @param nodes which of them will go; started and closed by the caller
   * @param executor runs a reconcile each; ended with the controller, so one for each
   */
  public record Surroundings(
      LeavingNodes nodes, ExecutorService executor, InstantSource clock, JobMeter meter) {}

  /**
   * Begins nothing yet.
   *
   * @param client that keeps objects as they are; it stays open
   */
  public DlroverController(KubernetesClient client, Settings settings, Surroundings process) {
    var clock = process.clock();
    guard = new SuspendGuard(client);
    operator = Operators.operator(client, process.executor());
    operator.register(
        new ElasticJobReconciler(
            client,
            new Writes(client, new MasterPod(settings.masterImage()), clock),
            new JobEvents(client, clock, settings.component()),
            process.nodes(),
            settings.mode(),
            clock,
            process.meter()),
        configuration ->
            configuration
                .withName("elasticjobs")
                .withGenerationAware(false)
                .withRetry(Operators.retry()));
  }

  /** Whether the apiserver knows the kinds. */
  public static boolean isInstalled(KubernetesClient client) {
    return client.getApiResources(ElasticJob.GROUP + "/" + ElasticJob.VERSION) != null;
  }

  @Override
  public void start() {
    guard.keep();
    operator.start();
  }

  @Override
  public void tick() {
    // Each job looks after itself.
  }

  @Override
  public void close() {
    operator.stop();
  }
}
