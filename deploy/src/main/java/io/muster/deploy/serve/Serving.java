package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.controller.kinds.di.server.DiServer;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.lease.Clocks;
import io.muster.deploy.serve.lease.Leadership;
import io.muster.deploy.serve.upkeep.InstallationOwner;
import io.muster.deploy.serve.upkeep.LeaderEndpoint;
import io.muster.deploy.serve.upkeep.LeaderUpkeep;
import io.muster.deploy.serve.upkeep.ShadowCounting;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.shadow.LedgerObject;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.kube.NamespaceFeed;
import io.muster.webhook.kube.NvlinkFeed;
import io.muster.webhook.kube.PodGroupFeed;
import io.muster.webhook.kube.ProfileFeed;
import io.muster.webhook.kube.QueueAccessFeed;
import io.muster.webhook.kube.Reachability;
import io.muster.webhook.kube.Registration;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running program. Start: certificates, ports, watches, and once the cluster has been read, the
 * webhook's registration; ready after that. Stop: not ready, ports, watches. Safe for concurrent
 * use.
 */
final class Serving implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Serving.class);
  private static final int SERVICE_PORT = 443;
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration READY_CHECK = Duration.ofMillis(50);
  private static final Duration PORT_CHECK = Duration.ofSeconds(5);
  private static final Duration LEADER_CHECK = Duration.ofSeconds(1);

  /** Short, because kube-scheduler reaches a new leader only after it. */
  private static final Duration UPKEEP = Duration.ofMillis(200);

  /** A process that is killed loses what it has counted since. */
  private static final Duration SHADOW_STORED = Duration.ofSeconds(30);

  /** Clusters are upgraded seldom, and a gang that is made meanwhile starts as before. */
  private static final Duration GROUPS_READ = Duration.ofSeconds(30);

  /** Drivers come seldom, and pods that say "auto" before are told that none was there. */
  private static final Duration NVLINK_READ = Duration.ofSeconds(30);

  private static final Duration READ_ANEW = Duration.ofSeconds(2);

  /** What is to be done at the end, in this order. */
  private final List<Runnable> ends;

  private Serving(List<Runnable> ends) {
    this.ends = List.copyOf(ends);
  }

  /**
   * Starts everything; returns when the ports are open, before the cluster has been read.
   *
   * @param whenUninstalled run if the installation is deleted, until the process has ended, or it
   *     would make again what has just been taken away
   */
  static Serving start(Config config, Runnable whenUninstalled) {
    var clocks = Clocks.ofTheMachine();
    var clock = clocks.wall();
    var client = ClusterAccess.client(config);
    var timers = new ServeTimers();
    var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try {
      var owner =
          new InstallationOwner(client, config.text(Setting.OWNER_CLUSTER_ROLE), clocks.steady());
      var certificates =
          ServingCertificates.begin(
              config,
              new ServingCertificates.Surroundings(
                  client, registry, clock, timers, owner::mayMakeAnew));
      var leadership =
          new Leadership(client, leaseTerms(config), clocks, timers, owner::mayMakeAnew);
      var decisions = Decisions.of(config, client, registry, clocks, leadership);
      var profiles = profiles(config, client, decisions, clock);
      var namespaces = new NamespaceFeed(client);
      namespaces.start();
      var queues = queues(config, client, clock);
      var nvlink = new NvlinkFeed(client);
      nvlink.read();
      again(timers, NVLINK_READ, nvlink::read, "a look for NVLink domains met a fault of Muster's");
      var sources =
          new PodAdmission.Sources(
              profiles,
              KnownKinds.ALL,
              namespaces,
              config.rules().placement().isAsked(),
              config.isOn(Setting.KEEP_MANAGED_FIELDS),
              queues,
              config.assignedScheduler(),
              nvlink,
              groups(config, client, timers));
      var admitted = new PodConverter(new DialectDetector(), config.admittedSchedulers());
      var shadow =
          new ShadowCounting(
              new LedgerObject(client, config.text(Setting.NAMESPACE)),
              owner,
              decisions::takeShadowCounts,
              clock);
      var di = DiServing.start(config, identity(config), registry, clock, timers);
      // The cluster is read while the ports open; nobody is led here before both are done.
      decisions.start(
          new Preview(admitted, sources, clock),
          () ->
              readAnew(
                  timers,
                  () -> {
                    namespaces.start();
                    profiles.start();
                    queues.start();
                  }));
      Listeners listeners;
      try {
        listeners =
            Listeners.open(config, certificates, decisions, sources, admitted, shadow, clocks);
      } catch (RuntimeException e) {
        decisions.close();
        throw e;
      }
      timers.every(PORT_CHECK, listeners::checkWebhook);
      timers.every(
          LEADER_CHECK,
          () -> {
            if (!decisions.leads()) {
              listeners.turnKubeSchedulerAway();
            }
          });
      var upkeep =
          new LeaderUpkeep(
              wanted(config, certificates),
              new LeaderUpkeep.Surroundings(
                  client,
                  owner,
                  timers,
                  clocks.steady(),
                  decisions.webhookMeters(),
                  whenUninstalled));
      whenReady(
          timers,
          () -> namespaces.isRead() && decisions.isReady(),
          () -> {
            keep(upkeep, decisions);
            dropWhatReadingLeft();
            listeners.ready();
            again(
                timers,
                UPKEEP,
                () -> keep(upkeep, decisions),
                "the registration could not be written; tried again");
            again(
                timers, SHADOW_STORED, shadow::store, "the shadow counts met a fault of Muster's");
            if (!decisions.leads()) {
              decisions.rehearse();
            }
          });
      LOG.atInfo()
          .addKeyValue("extenderPort", config.port(Setting.EXTENDER_PORT))
          .addKeyValue("webhookPort", config.port(Setting.WEBHOOK_PORT))
          .addKeyValue("healthPort", config.port(Setting.HEALTH_PORT))
          .log("ports opened");
      return new Serving(
          List.of(
              () -> di.ifPresent(DiServer::leave),
              shadow::collect,
              decisions::close,
              upkeep::close,
              listeners::close,
              shadow::store,
              () -> di.ifPresent(DiServer::close),
              profiles::close,
              queues::close,
              namespaces::close,
              timers::close,
              client::close));
    } catch (RuntimeException e) {
      timers.close();
      client.close();
      throw e;
    }
  }

  private static void keep(LeaderUpkeep upkeep, Decisions decisions) {
    upkeep.keep(decisions::leadingTerm);
    if (decisions.leads()) {
      decisions.runJobs();
    }
  }

  /** Before the first call: what only reading a large cluster took would stay taken for days. */
  private static void dropWhatReadingLeft() {
    var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    if (heap.getCommitted() > heap.getInit()) {
      System.gc();
    }
  }

  /** Whether members get a PodGroup; nobody looks where none are to. */
  private static BooleanSupplier groups(
      Config config, KubernetesClient client, ServeTimers timers) {
    if (config.rules().placement() != PlacementMode.NATIVE) {
      return () -> false;
    }
    var feed = new PodGroupFeed(client);
    feed.read();
    again(timers, GROUPS_READ, feed::read, "a look for PodGroups met a fault of Muster's");
    return feed;
  }

  /** Each time that long after it was last done; the upkeep touches objects in the leader alone. */
  private static void again(ServeTimers timers, Duration pause, Runnable work, String failure) {
    timers.after(
        pause,
        () ->
            Thread.startVirtualThread(() -> {
              try {
                work.run();
              } catch (RuntimeException e) {
                LOG.atError().addKeyValue("message", e.getMessage()).log(failure);
              }
              again(timers, pause, work, failure);
            }));
  }

  /** What admission knows; tried until the apiserver answers. */
  private static void readAnew(ServeTimers timers, Runnable feeds) {
    try {
      feeds.run();
    } catch (RuntimeException e) {
      LOG.atWarn().addKeyValue("message", e.getMessage()).log("could not be read; tried again");
      timers.after(READ_ANEW, () -> readAnew(timers, feeds));
    }
  }

  private static ProfileFeed profiles(
      Config config, KubernetesClient client, Decisions decisions, InstantSource clock) {
    var feed =
        new ProfileFeed(
            client,
            new ProfileFeed.Place(
                config.text(Setting.NAMESPACE), config.text(Setting.EVENT_SOURCE)),
            new ProfilesReading(config.admittedSchedulers()),
            decisions.webhookMeters(),
            clock);
    feed.start();
    return feed;
  }

  /**
   * Every process answers admission reviews; what decides about gangs is told by the leader's own.
   */
  private static QueueAccessFeed queues(
      Config config, KubernetesClient client, InstantSource clock) {
    var feed =
        new QueueAccessFeed(
            client, config.text(Setting.NAMESPACE), config.text(Setting.EVENT_SOURCE), clock);
    feed.start();
    return feed;
  }

  private static Leadership.Terms leaseTerms(Config config) {
    return new Leadership.Terms(
        config.text(Setting.NAMESPACE), identity(config), config.seconds(Setting.LEASE_DURATION));
  }

  private static String identity(Config config) {
    return config.optional(Setting.IDENTITY).orElseGet(Serving::hostName);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("the host has no name; set identity", e);
    }
  }

  /** Runs the work once calls can be answered, again until it succeeds. */
  private static void whenReady(ServeTimers timers, BooleanSupplier isReady, Runnable work) {
    timers.after(
        READY_CHECK,
        () -> {
          if (!isReady.getAsBoolean()) {
            whenReady(timers, isReady, work);
            return;
          }
          Thread.startVirtualThread(() -> {
            try {
              work.run();
              LOG.atInfo().log("ready");
            } catch (RuntimeException e) {
              LOG.atError()
                  .addKeyValue("message", e.getMessage())
                  .log("the webhook could not be registered; tried again");
              timers.after(PAUSE, () -> whenReady(timers, isReady, work));
            }
          });
        });
  }

  private static LeaderUpkeep.Wanted wanted(Config config, ServingCertificates certificates) {
    var namespace = config.text(Setting.NAMESPACE);
    var endpoint =
        config
            .optional(Setting.ADVERTISE_ADDRESS)
            .filter(_ -> config.isOn(Setting.LEADER_ENDPOINT))
            .map(address ->
                new LeaderEndpoint.Place(
                    namespace, identity(config), address, config.port(Setting.EXTENDER_PORT)));
    return new LeaderUpkeep.Wanted(
        namespace,
        config.optional(Setting.CERTIFICATE_SECRET).isPresent()
            ? List.of()
            : List.of(SecretCertificateStore.CERTIFICATES, SecretCertificateStore.SCHEDULER_CLIENT),
        endpoint,
        owner ->
            new Registration(
                reachability(config),
                certificates.certificates().caBundlePem(),
                config.coverage(),
                owner));
  }

  private static Reachability reachability(Config config) {
    return config
        .optional(Setting.WEBHOOK_URL)
        .<Reachability>map(url -> new Reachability.AtUrl(URI.create(url)))
        .orElseGet(() ->
            new Reachability.ThroughService(
                config.text(Setting.NAMESPACE), ServingCertificates.WEBHOOK_SERVICE, SERVICE_PORT));
  }

  @Override
  public void close() {
    LOG.atInfo().log("stopping");
    ends.forEach(Runnable::run);
  }
}
