package io.muster.deploy.board;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javalin.config.JavalinConfig;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.deploy.board.access.AccessSettings;
import io.muster.deploy.board.access.KubernetesReviews;
import io.muster.deploy.board.access.SignIn;
import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.LiveCluster;
import io.muster.deploy.board.http.BoardServer;
import io.muster.deploy.board.http.SignedIn;
import io.muster.deploy.board.whatif.WhatIf;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.InvalidConfigException;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.deploy.serve.lease.SteadyClock;
import io.muster.deploy.serve.probe.Probes;
import io.muster.deploy.view.Fitting;
import io.muster.extender.http.Servers;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster board-service}: the page in the cluster, for all who may sign in. */
@Command(
    name = "board-service",
    mixinStandardHelpOptions = true,
    description = {
      "Serves the board in the cluster, over TLS: whoever signs in with a token that the API server"
          + " accepts sees what they may list.",
      "The chart runs it where board.enabled is true. It reads with its own rights, and asks the"
          + " API server what each viewer may see."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:stopped", "2:wrong use, or the cluster cannot be read"})
public final class BoardServiceCommand extends ConsoleCommand {

  /** Tokens made for this audience are of no use anywhere else. */
  static final String AUDIENCE = "muster-board";

  private static final InstantSource CLOCK = InstantSource.system();

  /** Requests that one browser has open at once. */
  private static final int STREAMS_OF_A_CONNECTION = 16;

  private static final int CONNECTIONS = 256;

  /** A token of 16 KB, and the rest. */
  private static final int HEADER_BYTES = 20 * 1024;

  private static final Duration LONGEST_END = Duration.ofSeconds(10);

  @Mixin private MapOptions map = new MapOptions();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "YAML file of settings; MUSTER_CFG_* variables win over it.")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8443",
      description = "On which it serves. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--certificate",
      paramLabel = "DIRECTORY",
      description =
          "With tls.crt and tls.key, read again each minute. Default: one is made at the start,"
              + " which browsers warn of.")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--grafana",
      paramLabel = "URL",
      description = "Where more of the past is to be seen; the page links to it.")
  private Optional<URI> grafana = Optional.empty();

  @Override
  protected int run() throws InterruptedException {
    try {
      var settings = Config.load(file, System.getenv());
      // Before the first logger is made, which reads this once.
      System.setProperty(
          "logback.configurationFile", "logback-" + settings.text(Setting.LOG_FORMAT) + ".xml");
      serve(settings);
      return CommandLine.ExitCode.OK;
    } catch (InvalidConfigException | InvalidCertificateException | IllegalArgumentException e) {
      e.getMessage().lines().forEach(this::warn);
      return CommandLine.ExitCode.USAGE;
    }
  }

  private void serve(Config settings) throws InterruptedException {
    var namespace = settings.text(Setting.NAMESPACE);
    var stopped = new CountDownLatch(1);
    var ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stopped.countDown();
                  awaitEnd(ended);
                },
                "muster-stop"));
    try (var certificates = new BoardCertificates(certificate, namespace, CLOCK);
        var source = source(settings);
        var asking = ClusterAccess.forReading(settings);
        var feed =
            new BoardFeed(
                UUID.randomUUID().toString(), source, new BoardReading(map.labels()), CLOCK);
        var signIn = signIn(asking, namespace, feed);
        var server =
            new BoardServer(
                feed,
                source,
                new SignedIn(signIn),
                new WhatIf(new Fitting(settings)),
                grafana,
                CLOCK,
                java -> listen(java, settings, certificates))) {
      feed.start();
      var probes = Servers.of(java -> probes(java, settings, feed)).start();
      LoggerFactory.getLogger(BoardServiceCommand.class)
          .atInfo()
          .addKeyValue("port", server.port())
          .log("the board is served");
      stopped.await();
      probes.stop();
    } finally {
      ended.countDown();
    }
  }

  private static void awaitEnd(CountDownLatch ended) {
    try {
      var _ = ended.await(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static LiveCluster source(Config settings) {
    return LiveCluster.open("cluster", ClusterAccess.client(settings), settings, CLOCK);
  }

  private static SignIn signIn(KubernetesClient asking, String namespace, BoardFeed feed) {
    return SignIn.start(
        new KubernetesReviews(asking, List.of(AUDIENCE), CLOCK),
        AccessSettings.usual(namespace),
        feed::namespaces,
        new SteadyClock(CLOCK, System::nanoTime));
  }

  private void listen(JavalinConfig java, Config settings, BoardCertificates certificates) {
    TlsListener.on(
            settings.text(Setting.BIND_ADDRESS), port, certificates.certificates(), ClientAuth.NONE)
        .withMaxConcurrentStreams(STREAMS_OF_A_CONNECTION)
        .withMaxConnections(CONNECTIONS)
        .withMaxHeaderBytes(HEADER_BYTES)
        .install(java);
  }

  private static void probes(JavalinConfig java, Config settings, BoardFeed feed) {
    java.jetty.host = settings.text(Setting.BIND_ADDRESS);
    java.jetty.port = settings.port(Setting.HEALTH_PORT);
    Probes.answer(
        java,
        "/livez",
        () -> Probes.failure(feed.isAlive(), "the cluster has not been looked at for minutes"));
    Probes.answer(
        java,
        "/readyz",
        () -> Probes.failure(feed.seen().isPresent(), "the cluster has not been read yet"));
  }
}
