package io.muster.controller.dlrover;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.muster.controller.dlrover.api.ElasticJob;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.kube.Operators;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.StartAdvice;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs DLRover's kinds from {@link #start} to {@link #close}, in the one process that leads. Safe
 * for concurrent use.
 */
public final class DlroverController implements JobController {

  private static final Logger LOG = LoggerFactory.getLogger(DlroverController.class);

  private final Operator operator;
  private final KubernetesClient client;
  private final ElasticJobReconciler jobs;
  private final GrowingBack growing;
  private final RoomSharing sharing;
  private final InstantSource clock;

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
   * @param start of those who place the jobs' pods
   * @param reports of the gangs that the jobs' pods are
   * @param sharing of the room with the jobs of other kinds
   * @param executor runs a reconcile each; ended with the controller, so one for each
   */
  public record Surroundings(
      LeavingNodes nodes,
      StartAdvice start,
      GangReports reports,
      RoomSharing sharing,
      ExecutorService executor,
      InstantSource clock,
      JobMeter meter) {}

  /**
   * Begins nothing yet.
   *
   * @param client that keeps objects as they are; it stays open
   */
  public DlroverController(KubernetesClient client, Settings settings, Surroundings process) {
    this.client = client;
    clock = process.clock();
    sharing = process.sharing();
    var writes = new Writes(client, new MasterPod(settings.masterImage()), clock);
    var events = new JobEvents(client, clock, settings.component());
    jobs = new ElasticJobReconciler(client, writes, events, settings.mode(), process);
    growing = new GrowingBack(client, writes, events, sharing);
    operator = Operators.operator(client, process.executor());
    operator.register(
        jobs,
        configuration ->
            configuration
                .withName("elasticjobs")
                .withGenerationAware(false)
                .withRetry(Operators.retry()));
    operator.register(
        new OrphanedPlans(client, clock),
        configuration -> configuration.withName("scaleplans").withRetry(Operators.retry()));
  }

  /** Whether the apiserver knows the kinds. */
  public static boolean isInstalled(KubernetesClient client) {
    return client.getApiResources(ElasticJob.GROUP + "/" + ElasticJob.VERSION) != null;
  }

  @Override
  public void start() {
    ClusterObjects.keep(client, SuspendGuard.objects());
    ClusterObjects.keep(client, Notices.objects());
    operator.start();
  }

  @Override
  public synchronized void tick() {
    try {
      jobs.watch().ifPresent(watch -> growing.advance(watch, clock.instant()));
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("the elastic jobs could not be looked at together; tried again");
    }
  }

  @Override
  public void close() {
    operator.stop();
    sharing.forget(GrowingBack.KIND);
  }
}
