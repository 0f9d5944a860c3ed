package io.muster.deploy.serve;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.lease.Clocks;
import io.muster.deploy.serve.probe.PortCheck;
import io.muster.deploy.serve.probe.Probes;
import io.muster.extender.http.ExtenderEndpoint;
import io.muster.extender.http.Servers;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.http.AdmissionEndpoint;
import io.muster.webhook.port.ShadowMeter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.eclipse.jetty.io.EndPoint;

/**
 * The three ports: kube-scheduler's, which demands a client certificate; the apiserver's; and plain
 * HTTP for probes and metrics. Safe for concurrent use.
 */
final class Listeners implements AutoCloseable {

  /** Reviews that one API server has under way on one connection; it opens more for more. */
  private static final int REVIEWS_ON_A_CONNECTION = 128;

  private static final Duration HANDSHAKE = Duration.ofSeconds(4);
  private static final Duration SILENCE_TOLERATED = Duration.ofSeconds(30);

  private final AtomicBoolean ready = new AtomicBoolean();
  private final List<Javalin> servers = new ArrayList<>();
  private volatile Optional<PortCheck> webhook = Optional.empty();
  private Optional<Javalin> extender = Optional.empty();
  private Set<EndPoint> turnedAway = Set.of();

  private Listeners() {}

  static Listeners open(
      Config config,
      ServingCertificates identity,
      Decisions decisions,
      PodAdmission.Sources sources,
      PodConverter admitted,
      ShadowMeter shadow,
      Clocks clocks) {
    var certificates = identity.certificates();
    var listeners = new Listeners();
    var address = config.text(Setting.BIND_ADDRESS);
    try {
      listeners.serve(java -> {
        java.jetty.host = address;
        java.jetty.port = config.port(Setting.HEALTH_PORT);
        listeners.health(java, decisions);
      });
      listeners.extender =
          Optional.of(
              listeners.serve(java -> {
                var port = config.port(Setting.EXTENDER_PORT);
                TlsListener.on(address, port, certificates, ClientAuth.NEED)
                    .reporting(identity.meters()::refusedConnection)
                    .install(java);
                new ExtenderEndpoint(decisions, decisions.translation()::pod, decisions.meters())
                    .register(java);
              }));
      var webhook =
          listeners.serve(java -> {
            TlsListener.on(
                    address, config.port(Setting.WEBHOOK_PORT), certificates, ClientAuth.NONE)
                .withMaxConcurrentStreams(REVIEWS_ON_A_CONNECTION)
                .install(java);
            new AdmissionEndpoint(
                    admitted, sources, clocks.wall(), decisions.webhookMeters(), shadow)
                .addTo(java);
          });
      listeners.webhook =
          Optional.of(
              new PortCheck(
                  "the webhook port",
                  new InetSocketAddress(address, webhook.port()),
                  HANDSHAKE,
                  SILENCE_TOLERATED,
                  clocks.steady()));
    } catch (RuntimeException e) {
      listeners.close();
      throw e;
    }
    return listeners;
  }

  /**
   * Asks the port that anybody may call whether it answers; the liveness probe tells what came of
   * it.
   */
  void checkWebhook() {
    webhook.ifPresent(PortCheck::begin);
  }

  private Javalin serve(Consumer<JavalinConfig> content) {
    var server = Servers.of(content);
    servers.add(server);
    return server.start();
  }

  private void health(JavalinConfig java, Decisions decisions) {
    // Who asks for metrics and does not read them holds nobody else up.
    java.concurrency.useVirtualThreads = true;
    Probes.answer(java, "/livez", () -> webhook.flatMap(PortCheck::failure));
    Probes.answer(
        java,
        "/readyz",
        // Once it was ready, a term that begins anew takes nothing from those who call.
        () ->
            ready.get()
                ? decisions.failure()
                : decisions.unread().or(() -> Optional.of("the cluster has not been read yet")));
    Probes.answer(
        java,
        "/leader",
        () -> Probes.failure(decisions.leads(), "another process answers kube-scheduler"));
    java.routes.get(
        "/metrics",
        context ->
            context
                .contentType("text/plain; version=0.0.4; charset=utf-8")
                .result(decisions.scrape()));
  }

  /** From now on the probe says ready. */
  void ready() {
    ready.set(true);
  }

  /**
   * Ends kube-scheduler's connections that were there at the call before this one already, so that
   * its next ones may reach the process that leads. Not safe for concurrent use.
   */
  void turnKubeSchedulerAway() {
    var present = connections();
    present.stream().filter(turnedAway::contains).forEach(EndPoint::close);
    turnedAway = present;
  }

  private Set<EndPoint> connections() {
    return extender.stream()
        .flatMap(server -> Arrays.stream(server.jettyServer().server().getConnectors()))
        .flatMap(connector -> connector.getConnectedEndPoints().stream())
        .collect(Collectors.toSet());
  }

  @Override
  public void close() {
    ready.set(false);
    servers.reversed().forEach(Javalin::stop);
  }
}
