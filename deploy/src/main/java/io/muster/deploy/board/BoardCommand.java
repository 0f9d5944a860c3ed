package io.muster.deploy.board;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.BoardSource;
import io.muster.deploy.board.feed.LiveCluster;
import io.muster.deploy.board.feed.OneNamespace;
import io.muster.deploy.board.feed.SnapshotSource;
import io.muster.deploy.board.http.Desktop;
import io.muster.deploy.board.http.LocalBoard;
import io.muster.deploy.board.whatif.WhatIf;
import io.muster.deploy.config.ApiRefusal;
import io.muster.deploy.config.Config;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.deploy.view.ClusterSight;
import io.muster.deploy.view.Fitting;
import io.muster.deploy.view.ViewOptions;
import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster board}: serves the page until it is interrupted. */
@Command(
    name = "board",
    mixinStandardHelpOptions = true,
    description = {
      "Shows nodes, devices, gangs and queues in a browser, as they change. It reads with your own"
          + " rights, changes nothing, and needs nothing in the cluster but the definition of"
          + " Gangs.",
      "Prints an address on this machine that opens once, opens it in the browser if there is a"
          + " desktop, and serves until it is interrupted. Who may not read all nodes and pods sees"
          + " the gangs of one namespace."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"2:wrong use, or the cluster cannot be read", "130:interrupted"})
public final class BoardCommand extends ConsoleCommand {

  private static final InstantSource CLOCK = InstantSource.system();

  private final Desktop desktop;

  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private MapOptions map = new MapOptions();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "On which it serves, at 127.0.0.1. Default: a free one.")
  private int port;

  @Option(names = "--no-open", description = "Opens no browser.")
  private boolean isLeftClosed;

  public BoardCommand() {
    this(Desktop.here());
  }

  /** That shows its page there. */
  BoardCommand(Desktop desktop) {
    this.desktop = desktop;
  }

  @Override
  protected int run() throws NoAnswerException, InterruptedException {
    var settings = options.settings();
    try (var source = source(settings)) {
      var run = UUID.randomUUID().toString();
      var feed = new BoardFeed(run, source, new BoardReading(map.labels()), CLOCK);
      var whatIf = new WhatIf(new Fitting(settings));
      try (var board = new LocalBoard(feed, source, whatIf, CLOCK, port);
          feed) {
        feed.start();
        var out = out();
        out.println("open " + board.address());
        out.println("The address opens once. Ctrl-C ends it.");
        out.flush();
        if (!isLeftClosed) {
          desktop.show(board.address());
        }
        new CountDownLatch(1).await();
      }
      return CommandLine.ExitCode.OK;
    }
  }

  private BoardSource source(Config settings)
      throws InterruptedException, ClusterSight.NoSightException {
    if (options.isOfFile()) {
      return new SnapshotSource(options.fileName(), options.view(settings));
    }
    var name = ClusterAccess.contextName(settings);
    var client = ClusterAccess.client(settings);
    try {
      return LiveCluster.open(name, client, settings, CLOCK);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return OneNamespace.open(
            name, options.namespace(settings), ApiRefusal.sentence(e), client, settings, CLOCK);
      }
      client.close();
      throw e;
    }
  }
}
