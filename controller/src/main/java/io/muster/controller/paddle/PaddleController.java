package io.muster.controller.paddle;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.Operators;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.paddle.api.PaddleJob;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;

/**
 * Runs PaddlePaddle's TrainingJobs from {@link #start} to {@link #close}, in the one process that
 * leads. Safe for concurrent use.
 */
public final class PaddleController implements JobController {

  private final KubernetesClient client;
  private final Operator operator;
  private final PaddleJobReconciler jobs;
  private final TrainerSharing trainers;

  /**
   * What the kind needs of the process.
   *
   * @param reports of the gangs that the jobs' pods are
   * @param sharing of the room with the jobs of other kinds
   * @param executor runs a reconcile each; ended with the controller, so one for each
   */
  public record Surroundings(
      GangReports reports,
      RoomSharing sharing,
      ExecutorService executor,
      InstantSource clock,
      JobMeter meter) {}

  /**
   * Begins nothing yet.
   *
   * @param client that keeps objects as they are; it stays open
   * @param component names Muster in Events
   */
  public PaddleController(KubernetesClient client, String component, Surroundings process) {
    this.client = client;
    var clock = process.clock();
    var events = new JobEvents(client, clock, component);
    var writes = new Writes(client, clock);
    jobs =
        new PaddleJobReconciler(client, writes, events, process.reports(), clock, process.meter());
    trainers = new TrainerSharing(writes, events, process.sharing(), clock);
    operator = Operators.operator(client, process.executor());
    operator.register(
        jobs,
        configuration ->
            configuration
                .withName("paddlejobs")
                .withGenerationAware(false)
                .withRetry(Operators.retry()));
  }

  /** Whether the apiserver knows the kind. */
  public static boolean isInstalled(KubernetesClient client) {
    return client.getApiResources(PaddleJob.GROUP + "/" + PaddleJob.VERSION) != null;
  }

  @Override
  public void start() {
    ClusterObjects.keep(client, Notices.objects());
    operator.start();
  }

  @Override
  public void tick() {
    jobs.watch().ifPresent(trainers::advance);
  }

  @Override
  public void close() {
    operator.stop();
    trainers.stop();
  }
}
