package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kai.KaiController;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.port.JobMeter;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The job kinds of one term as leader. A kind is run from the moment its CRDs are there. Safe for
 * concurrent use.
 */
final class JobKinds implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(JobKinds.class);
  private static final Duration LOOKED_FOR_APART = Duration.ofSeconds(10);

  /** What the setting {@code jobKinds} calls et-operator's kinds. */
  private static final String KAI = "kai";

  private final Config config;
  private final Timers timers;
  private final InstantSource clock;
  private final JobMeter meter;
  private final KubernetesClient client;
  private final ExecutorService reconciles = Executors.newVirtualThreadPerTaskExecutor();
  private Optional<KaiController> kai = Optional.empty();
  private Optional<LeavingNodes> nodes = Optional.empty();
  private boolean isClosed;

  private JobKinds(Config config, Timers timers, InstantSource clock, JobMeter meter) {
    this.config = config;
    this.timers = timers;
    this.clock = clock;
    this.meter = meter;
    this.client = ClusterAccess.wholeObjects(config);
  }

  /** Begins to run the kinds that the settings name; returns at once. */
  static JobKinds begin(Config config, Timers timers, InstantSource clock, JobMeter meter) {
    var kinds = new JobKinds(config, timers, clock, meter);
    if (config.texts(Setting.JOB_KINDS).contains(KAI)) {
      Thread.startVirtualThread(kinds::startKai);
    }
    return kinds;
  }

  private synchronized void startKai() {
    if (isClosed) {
      return;
    }
    try {
      if (KaiController.isInstalled(client)) {
        var leaving = new LeavingNodes(config.reclaim(), clock);
        nodes = Optional.of(leaving);
        var controller =
            new KaiController(
                client,
                new KaiController.Settings(
                    config.text(Setting.EVENT_SOURCE), config.text(Setting.INIT_IMAGE)),
                new KaiController.Surroundings(leaving, reconciles, clock, meter));
        kai = Optional.of(controller);
        leaving.start(client);
        controller.start();
        LOG.atInfo().log("TrainingJobs of kai.alibabacloud.com are looked after");
        return;
      }
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("TrainingJobs of kai.alibabacloud.com cannot be looked after yet; tried again");
      stop();
    }
    timers.after(LOOKED_FOR_APART, () -> Thread.startVirtualThread(this::startKai));
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    stop();
    reconciles.shutdownNow();
    client.close();
  }

  private void stop() {
    kai.ifPresent(KaiController::close);
    nodes.ifPresent(LeavingNodes::close);
    kai = Optional.empty();
    nodes = Optional.empty();
  }
}
