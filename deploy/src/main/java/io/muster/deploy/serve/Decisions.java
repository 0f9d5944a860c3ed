package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.extender.app.Desk;
import io.muster.extender.core.gang.Recogniser;
import io.muster.extender.core.protocol.GangProtocol;
import io.muster.extender.kube.ClusterFeed;
import io.muster.extender.kube.ClusterWrites;
import io.muster.extender.kube.Translation;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.metrics.ExtenderMeters;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deciding half of the program: the desk, what feeds it and what it writes through. Safe for
 * concurrent use.
 */
final class Decisions implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Decisions.class);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration READY_CHECK = Duration.ofMillis(50);
  private static final Duration REGISTRATION_PAUSE = Duration.ofSeconds(2);

  private final Desk desk;
  private final ClusterFeed feed;
  private final Timers timers;
  private final ExecutorService workers;
  private final PrometheusMeterRegistry registry;
  private final ExtenderMeters meters;
  private final Translation translation;
  private final Thread eventThread;

  private record Parts(
      Desk desk, ClusterFeed feed, Timers timers, ExecutorService workers, Meters meters) {}

  private record Meters(PrometheusMeterRegistry registry, ExtenderMeters extender) {}

  private Decisions(Parts parts, Translation translation) {
    this.desk = parts.desk();
    this.feed = parts.feed();
    this.timers = parts.timers();
    this.workers = parts.workers();
    this.registry = parts.meters().registry();
    this.meters = parts.meters().extender();
    this.translation = translation;
    this.eventThread =
        Thread.ofPlatform().name("muster-decisions").daemon().unstarted(desk::takeEvents);
  }

  static Decisions of(
      Config config, KubernetesClient client, InstantSource clock, Timers timers) {
    var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    var meters = new ExtenderMeters(registry);
    var workers = Executors.newVirtualThreadPerTaskExecutor();
    var directory = new GangDirectory();
    var defaults = ClusterWrites.Settings.DEFAULT;
    var writes =
        new ClusterWrites(
            client.adapt(Client.class),
            directory,
            new ClusterWrites.Settings(
                config.text(Setting.EVENT_SOURCE),
                defaults.requestTimeout(),
                defaults.recordTimeout(),
                defaults.requestsInFlight()),
            new ClusterWrites.Surroundings(workers, timers, clock, meters));
    var desk =
        new Desk(
            new GangProtocol(config.deadlines()),
            config.deadlines(),
            writes,
            new Desk.Surroundings(clock, workers, meters));
    meters.watchDesk(desk::heldCalls, desk::queuedEvents);
    meters.watchGangs(desk::gangsIn);
    var translation = new Translation(new Recogniser());
    var feed =
        new ClusterFeed(
            client,
            new ClusterFeed.Readers(translation::node, translation::pod),
            directory,
            desk);
    return new Decisions(
        new Parts(desk, feed, timers, workers, new Meters(registry, meters)), translation);
  }

  /** Begins to read the cluster; the work is run once it has been read, until it succeeds. */
  void start(Runnable whenRead) {
    eventThread.start();
    timers.every(TICK, desk::tick);
    feed.start();
    awaitRead(whenRead);
  }

  private void awaitRead(Runnable whenRead) {
    timers.after(
        READY_CHECK,
        () -> {
          if (desk.isReady()) {
            workers.execute(() -> tryUntilDone(whenRead));
          } else {
            awaitRead(whenRead);
          }
        });
  }

  private void tryUntilDone(Runnable work) {
    try {
      work.run();
      LOG.atInfo().log("ready");
    } catch (RuntimeException e) {
      LOG.atError()
          .addKeyValue("message", e.getMessage())
          .log("the webhook could not be registered; tried again");
      timers.after(REGISTRATION_PAUSE, () -> workers.execute(() -> tryUntilDone(work)));
    }
  }

  Desk desk() {
    return desk;
  }

  Translation translation() {
    return translation;
  }

  ExtenderMeters meters() {
    return meters;
  }

  /** All meters, as Prometheus reads them. */
  String scrape() {
    return registry.scrape();
  }

  @Override
  public void close() {
    feed.close();
    eventThread.interrupt();
    timers.close();
    workers.shutdownNow();
  }
}
