package io.muster.controller.etoperator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.muster.controller.etoperator.api.TrainingJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.kube.Operators;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.ResizeAdvice;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs et-operator's kinds from {@link #start} to {@link #close}, in the one process that leads.
 * Safe for concurrent use.
 */
public final class EtOperatorController implements JobController {

  private static final Logger LOG = LoggerFactory.getLogger(EtOperatorController.class);

  private final Operator operator;
  private final TrainingJobReconciler jobs;
  private final JobRound round;
  private final RoomSharing sharing;

  /**
   * How the kinds are run.
   *
   * @param component names Muster in Events
   * @param initImage of the container that lays out a launcher's files; any with a shell
   * @param kubectlImage of the one that brings kubectl where launchers use it; has it on its PATH,
   *     and a shell
   */
  public record Settings(String component, String initImage, String kubectlImage) {}

  /**
   * What the kinds need of the process.
   *
   * @param nodes which of them will go; started and closed by the caller
   * @param advice of those who place the jobs' pods
   * @param sharing of the room with the jobs of other kinds
   * @param executor runs a reconcile each; ended with the controller, so one for each
   */
  public record Surroundings(
      LeavingNodes nodes,
      ResizeAdvice advice,
      RoomSharing sharing,
      ExecutorService executor,
      InstantSource clock,
      JobMeter meter) {}

  /**
   * @param client that keeps objects as they are; it stays open
   */
  public EtOperatorController(KubernetesClient client, Settings settings, Surroundings process) {
    var clock = process.clock();
    operator = Operators.operator(client, process.executor());
    var events = new JobEvents(client, clock, settings.component());
    var writes =
        new Writes(
            client,
            new PodForms(
                new PodForms.Images(settings.initImage(), settings.kubectlImage()),
                process.nodes()),
            clock,
            events);
    jobs =
        new TrainingJobReconciler(client, writes, events, process.nodes(), clock, process.meter());
    round =
        new JobRound(
            clock,
            new WaitingReasons(process.advice(), events::leave),
            new AutoScaling(client, writes, events, process.sharing()));
    sharing = process.sharing();
    operator.register(
        jobs,
        configuration ->
            configuration
                .withName("trainingjobs")
                .withGenerationAware(false)
                .withRetry(Operators.retry()));
    var orphans = new OrphanedScalers(client, clock);
    operator.register(
        orphans.new Ins(),
        configuration -> configuration.withName("scaleins").withRetry(Operators.retry()));
    operator.register(
        orphans.new Outs(),
        configuration -> configuration.withName("scaleouts").withRetry(Operators.retry()));
  }

  /** Whether the apiserver knows the kinds. */
  public static boolean isInstalled(KubernetesClient client) {
    return client.getApiResources(TrainingJob.GROUP + "/" + TrainingJob.VERSION) != null;
  }

  @Override
  public void start() {
    operator.start();
  }

  @Override
  public synchronized void tick() {
    try {
      jobs.watch().ifPresent(round::go);
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("the training jobs could not be looked at together; tried again");
    }
  }

  @Override
  public void close() {
    operator.stop();
    sharing.forget(AutoScaling.KIND);
  }
}
