package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.Certificates;
import io.muster.certs.ServerNames;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.extender.kube.LeanObjects;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.kube.NamespaceFeed;
import io.muster.webhook.kube.ProfileFeed;
import io.muster.webhook.kube.Reachability;
import io.muster.webhook.kube.Registration;
import io.muster.webhook.kube.RegistrationKeeper;
import java.io.File;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running program. Start: certificates, ports, watches, and once the cluster has been read, the
 * webhook's registration; ready after that. Stop: not ready, ports, watches. Safe for concurrent
 * use.
 */
final class Serving implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Serving.class);
  private static final String EXTENDER_SERVICE = "muster-extender";
  private static final String WEBHOOK_SERVICE = "muster-webhook";
  private static final int SERVICE_PORT = 443;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration READY_CHECK = Duration.ofMillis(50);
  private static final int WATCH_AGAIN_MILLIS = 100;
  private static final Duration LEADER_CHECK = Duration.ofSeconds(1);

  private final KubernetesClient client;
  private final Decisions decisions;
  private final Listeners listeners;

  /** How to end each watch. */
  private final List<Runnable> feeds;

  private final Timers timers;

  private Serving(
      KubernetesClient client,
      Decisions decisions,
      Listeners listeners,
      List<Runnable> feeds,
      Timers timers) {
    this.client = client;
    this.decisions = decisions;
    this.listeners = listeners;
    this.feeds = List.copyOf(feeds);
    this.timers = timers;
  }

  /** Starts everything; returns when the ports are open, before the cluster has been read. */
  static Serving start(Config config) {
    var clock = InstantSource.system();
    var client = client(config);
    var timers = new Timers();
    try {
      var certificates =
          patiently(
              clock,
              timers,
              () ->
                  Certificates.ensure(
                      new SecretCertificateStore(client, config.text(Setting.NAMESPACE)),
                      serverNames(config),
                      clock));
      var leadership = new Leadership(client, leaseTerms(config), clock, timers);
      var decisions = Decisions.of(config, client, clock, leadership);
      var profiles = patiently(clock, timers, () -> profiles(config, client, decisions, clock));
      var namespaces = new NamespaceFeed(client);
      namespaces.start();
      var listeners =
          Listeners.open(
              config,
              certificates,
              decisions,
              new PodAdmission.Sources(decisions, profiles, KnownKinds.ALL, namespaces),
              clock);
      decisions.start();
      timers.every(
          LEADER_CHECK,
          () -> {
            if (!decisions.leads()) {
              listeners.turnKubeSchedulerAway();
            }
          });
      var keeper =
          new RegistrationKeeper(
              client,
              () -> registration(config, certificates),
              config.text(Setting.NAMESPACE),
              timers,
              clock,
              decisions.webhookMeters());
      whenReady(
          timers,
          decisions,
          () -> {
            if (decisions.leads()) {
              keeper.keep();
            }
            listeners.ready();
            lookAfter(timers, decisions, keeper);
          });
      LOG.atInfo()
          .addKeyValue("extenderPort", config.port(Setting.EXTENDER_PORT))
          .addKeyValue("webhookPort", config.port(Setting.WEBHOOK_PORT))
          .addKeyValue("healthPort", config.port(Setting.HEALTH_PORT))
          .log("ports opened");
      return new Serving(
          client, decisions, listeners, List.of(profiles::close, namespaces::close), timers);
    } catch (RuntimeException e) {
      timers.close();
      client.close();
      throw e;
    }
  }

  /** The leader keeps the registration right; no other process touches it. */
  private static void lookAfter(Timers timers, Decisions decisions, RegistrationKeeper keeper) {
    timers.after(
        LEADER_CHECK,
        () ->
            Thread.startVirtualThread(() -> {
              try {
                if (decisions.leads()) {
                  keeper.keep();
                } else {
                  keeper.close();
                }
              } catch (RuntimeException e) {
                LOG.atError()
                    .addKeyValue("message", e.getMessage())
                    .log("the registration could not be written; tried again");
              }
              lookAfter(timers, decisions, keeper);
            }));
  }

  private static ProfileFeed profiles(
      Config config, KubernetesClient client, Decisions decisions, InstantSource clock) {
    var feed =
        new ProfileFeed(
            client,
            new ProfileFeed.Place(
                config.text(Setting.NAMESPACE), config.text(Setting.EVENT_SOURCE)),
            new ProfilesReading(config.schedulers()),
            decisions.webhookMeters(),
            clock);
    feed.start();
    return feed;
  }

  private static KubernetesClient client(Config config) {
    var access =
        config
            .optional(Setting.KUBECONFIG)
            .map(path -> io.fabric8.kubernetes.client.Config.fromKubeconfig(new File(path)))
            .orElseGet(() -> io.fabric8.kubernetes.client.Config.autoConfigure(null));
    // A stream over HTTP/2 takes bursts of events that a WebSocket, read message by message, falls
    // behind on; the apiserver ends a watch that does.
    access.setOnlyHttpWatches(true);
    access.setWatchReconnectInterval(WATCH_AGAIN_MILLIS);
    return new KubernetesClientBuilder()
        .withConfig(access)
        .withKubernetesSerialization(LeanObjects.serialization())
        .build();
  }

  private static Leadership.Terms leaseTerms(Config config) {
    return new Leadership.Terms(
        config.text(Setting.NAMESPACE),
        config.optional(Setting.IDENTITY).orElseGet(Serving::hostName),
        config.seconds(Setting.LEASE));
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("the host has no name; set identity", e);
    }
  }

  /** Runs the work once calls can be answered, again until it succeeds. */
  private static void whenReady(Timers timers, Decisions decisions, Runnable work) {
    timers.after(
        READY_CHECK,
        () -> {
          if (!decisions.isReady()) {
            whenReady(timers, decisions, work);
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
              timers.after(PAUSE, () -> whenReady(timers, decisions, work));
            }
          });
        });
  }

  /** Services and addresses under which kube-scheduler and the apiserver call. */
  private static ServerNames serverNames(Config config) {
    var namespace = config.text(Setting.NAMESPACE);
    var further =
        Arrays.stream(config.text(Setting.SERVER_NAMES).split(","))
            .map(String::strip)
            .filter(name -> !name.isEmpty())
            .toList();
    var names =
        ServerNames.ofService(EXTENDER_SERVICE, namespace)
            .and(ServerNames.ofService(WEBHOOK_SERVICE, namespace))
            .and(ServerNames.of("localhost", "127.0.0.1"));
    return further.isEmpty() ? names : names.and(ServerNames.of(further));
  }

  private static Registration registration(Config config, Certificates certificates) {
    var namespace = config.text(Setting.NAMESPACE);
    var reachability =
        config
            .optional(Setting.WEBHOOK_URL)
            .<Reachability>map(url -> new Reachability.AtUrl(URI.create(url)))
            .orElseGet(
                () -> new Reachability.ThroughService(namespace, WEBHOOK_SERVICE, SERVICE_PORT));
    return new Registration(
        reachability, certificates.caBundlePem(), namespace, config.schedulers());
  }

  /** An apiserver that is starting beside us is no reason to give up at once. */
  private static <T> T patiently(InstantSource clock, Timers timers, Supplier<T> attempt) {
    Instant deadline = clock.instant().plus(PATIENCE);
    while (true) {
      try {
        return attempt.get();
      } catch (KubernetesClientException e) {
        boolean refused = e.getCode() != 0;
        if (refused || clock.instant().isAfter(deadline)) {
          throw e;
        }
        LOG.atWarn().addKeyValue("message", e.getMessage()).log("the apiserver does not answer");
        timers.pause(PAUSE);
      }
    }
  }

  @Override
  public void close() {
    LOG.atInfo().log("stopping");
    decisions.close();
    listeners.close();
    feeds.forEach(Runnable::run);
    timers.close();
    client.close();
  }
}
