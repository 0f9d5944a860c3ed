package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.lease.Clocks;
import io.muster.extender.app.ExtenderService;
import io.muster.extender.app.StartEstimator;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.watch.ClusterFeed;
import io.muster.extender.kube.watch.LevelsFeed;
import io.muster.extender.kube.watch.QueueFeed;
import io.muster.extender.kube.write.ClusterWrites;
import io.muster.extender.metrics.ExtenderMeters;
import io.muster.extender.port.LeaderLease;
import io.muster.webhook.kube.GangServices;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * One term as leader: a desk with its own reading of the cluster, and its own way to write. What it
 * knows goes with it; the next term reads anew. Safe for concurrent use.
 */
final class LeadershipTerm implements AutoCloseable {

  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration REHEARSED_WITHIN = Duration.ofMinutes(1);

  private final ExtenderService desk;
  private final ClusterFeed feed;
  private final QueueFeed queues;
  private final LevelsFeed levels;
  private final GangServices services;
  private final ServeTimers timers = new ServeTimers();
  private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
  private final Supplier<JobKinds> jobs;
  private final Thread eventThread;
  private final Thread estimateThread;
  private Optional<JobKinds> kinds = Optional.empty();
  private boolean isOver;

  /**
   * What every term needs of the process.
   *
   * @param whenGoneBack run where the API server's data is seen to have gone back; ends the term
   */
  record Surroundings(
      KubernetesClient client,
      PodConverter translation,
      ExtenderMeters meters,
      JobKinds.Meters jobs,
      Clocks clocks,
      LeaderLease tenure,
      Runnable whenGoneBack) {}

  private LeadershipTerm(Config config, Surroundings process, Preview preview) {
    var directory = new GangDirectory();
    var defaults = ClusterWrites.Settings.DEFAULT;
    var writes =
        new ClusterWrites(
            process.client().adapt(Client.class),
            directory,
            new ClusterWrites.Settings(
                config.text(Setting.EVENT_SOURCE),
                defaults.requestTimeout(),
                defaults.recordTimeout(),
                defaults.requestsInFlight()),
            new ClusterWrites.Surroundings(
                workers,
                timers,
                process.clocks().steady(),
                process.clocks().wall(),
                process.meters(),
                process.tenure()));
    desk =
        new ExtenderService(
            new GangScheduler(config.deadlines(), config.rules()),
            config.deadlines(),
            writes,
            new ExtenderService.Surroundings(
                process.clocks().steady(),
                process.clocks().wall(),
                workers,
                process.meters(),
                process.meters().gangs(),
                process.tenure()));
    var translation = process.translation();
    feed = new ClusterFeed(process.client(), config.place(), translation, directory, desk);
    feed.whenGoneBack(process.whenGoneBack());
    var place =
        new QueueFeed.Place(config.text(Setting.NAMESPACE), config.text(Setting.EVENT_SOURCE));
    var needs = new QueueFeed.Surroundings(timers, workers, process.clocks().wall());
    queues = new QueueFeed(process.client(), place, feed.awaitQueues(), needs);
    levels = new LevelsFeed(process.client(), place, feed.awaitLevels(), needs);
    services = new GangServices(process.client(), workers, timers);
    jobs =
        () ->
            JobKinds.begin(
                config,
                new JobKinds.Surroundings(
                    new SchedulingQueries(desk, preview),
                    timers,
                    process.clocks(),
                    new LeaderWrites(process.tenure(), process.clocks().steady()),
                    process.jobs()));
    eventThread = Thread.ofPlatform().name("muster-decisions").daemon().unstarted(desk::takeEvents);
    var estimator = new StartEstimator(desk, System::nanoTime);
    estimateThread =
        Thread.ofPlatform().name("muster-estimates").daemon().unstarted(() -> estimate(estimator));
  }

  /**
   * Begins to read the cluster; the desk is ready once it has been read.
   *
   * @param preview of pods that jobs would make
   */
  static LeadershipTerm begin(Config config, Surroundings process, Preview preview) {
    var term = new LeadershipTerm(config, process, preview);
    term.eventThread.start();
    term.estimateThread.start();
    term.timers.every(TICK, term.desk::tick);
    term.feed.start();
    term.workers.execute(term.queues::start);
    term.workers.execute(term.levels::start);
    term.services.start();
    return term;
  }

  /**
   * Begins to run the job kinds, once. Not before the webhook is registered: pods that jobs make
   * are to come through it.
   */
  synchronized void runJobs() {
    if (kinds.isEmpty() && !isOver) {
      kinds = Optional.of(jobs.get());
    }
  }

  /**
   * Reads the cluster as a term does, decides in memory, and forgets both; nothing leaves it. A
   * process that has never led would do all that for the first time while kube-scheduler waits for
   * it, and code that runs for the first time is slow.
   */
  static void rehearse(Config config, KubernetesClient client, InstantSource clock)
      throws InterruptedException {
    var decisions = new GangScheduler(config.deadlines(), config.rules());
    var isRead = new CountDownLatch(1);
    decisions.on(new Event.LeaseHeld(Instant.MAX, false), clock.instant());
    try (var feed =
        new ClusterFeed(
            client,
            config.place(),
            new PodConverter(new DialectDetector(), config.schedulers()),
            new GangDirectory(),
            event -> {
              decisions.on(event, clock.instant());
              if (event instanceof Event.Ready) {
                isRead.countDown();
              }
            })) {
      feed.start();
      var _ = isRead.await(REHEARSED_WITHIN.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static void estimate(StartEstimator estimator) {
    try {
      while (true) {
        Thread.sleep(estimator.estimate());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  ExtenderService desk() {
    return desk;
  }

  /** What has to be read before calls are answered; empty once it has been. */
  Optional<String> unread() {
    if (desk.isReady()) {
      return Optional.empty();
    }
    var unread = new ArrayList<>(feed.unread());
    queues
        .obstacle()
        .ifPresent(why -> {
          unread.remove("queues");
          unread.add(why);
        });
    return Optional.of(
        unread.isEmpty()
            ? "the cluster is being taken in"
            : "not read yet: " + String.join(", ", unread));
  }

  /** Why what is decided cannot be trusted. */
  Optional<String> failure() {
    return desk.isFailing()
        ? Optional.of(
            "decisions fail one after the other with faults of muster's own; its log says which")
        : Optional.empty();
  }

  @Override
  public void close() {
    endJobs();
    queues.close();
    levels.close();
    feed.close();
    services.close();
    eventThread.interrupt();
    estimateThread.interrupt();
    timers.close();
    workers.shutdownNow();
    desk.endHeldCalls("muster: this process leads no more");
  }

  private synchronized void endJobs() {
    isOver = true;
    kinds.ifPresent(JobKinds::close);
  }
}
