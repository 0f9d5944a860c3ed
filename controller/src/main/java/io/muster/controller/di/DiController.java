package io.muster.controller.di;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.muster.controller.di.api.DIJob;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.Operators;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;

/**
 * Runs DI-orchestrator's kinds from {@link #start} to {@link #close}, in the one process that
 * leads. Safe for concurrent use.
 */
public final class DiController implements JobController {

  private final KubernetesClient client;
  private final Operator operator;
  private final DIJobReconciler jobs;
  private final Yielding yielding;

  /**
   * How the kinds are run.
   *
   * @param component names Muster in Events
   * @param serverUrl at which pods with tasks reach the server
   * @param firstServerUrl at which coordinators reach it
   * @param domain of Services in the cluster, as {@code svc.cluster.local}
   */
  public record Settings(
      String component, String serverUrl, String firstServerUrl, String domain) {}

  /**
   * What the kinds need of the process.
   *
   * @param reports of the gangs that the jobs' pods are
   * @param sharing decides how large jobs are that may be preempted
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
   */
  public DiController(KubernetesClient client, Settings settings, Surroundings process) {
    this.client = client;
    var clock = process.clock();
    operator = Operators.operator(client, process.executor());
    var events = new JobEvents(client, clock, settings.component());
    yielding = new Yielding(client, events, process.sharing(), clock);
    jobs =
        new DIJobReconciler(
            client,
            new Addresses(settings.serverUrl(), settings.firstServerUrl(), settings.domain()),
            events,
            process.reports(),
            clock,
            process.meter());
    operator.register(
        jobs,
        configuration ->
            configuration
                .withName("dijobs")
                .withGenerationAware(false)
                .withRetry(Operators.retry()));
  }

  /** Whether the apiserver knows the kinds. */
  public static boolean isInstalled(KubernetesClient client) {
    return client.getApiResources(DIJob.GROUP + "/" + DIJob.VERSION) != null;
  }

  @Override
  public void start() {
    ClusterObjects.keep(client, LiveJobs.objects());
    operator.start();
  }

  @Override
  public void tick() {
    jobs.watch().ifPresent(yielding::advance);
  }

  @Override
  public void close() {
    operator.stop();
    yielding.stop();
  }
}
