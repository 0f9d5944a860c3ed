package io.muster.controller.di.server;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javalin.Javalin;
import io.muster.controller.di.DiController;
import io.muster.controller.port.DiMeter;
import io.muster.extender.port.Delays;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server for DIJobs, from {@link #start} to {@link #close}: in every process, whether it leads
 * or not, since what it does is to write on jobs and to look. Safe for concurrent use.
 */
public final class DiServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DiServer.class);
  private static final Duration LOOKED_FOR_APART = Duration.ofSeconds(10);
  private static final long STOP_TIMEOUT_MILLIS = 3_000;

  private final KubernetesClient client;
  private final Surroundings process;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final HangUps hangUps = new HangUps();
  private final CompletableFuture<Void> filled = new CompletableFuture<>();
  private final Waits waits;
  private final WatchedJobs watch;
  private final Javalin server;
  private volatile boolean isClosed;

  /**
   * How it serves.
   *
   * @param port 0 for any free one
   * @param isOpen whether everybody may do everything
   * @param hold how long a call for workers is held; empty: without end
   */
  public record Settings(String address, int port, boolean isOpen, Optional<Duration> hold) {}

  /** What it needs of the process. */
  public record Surroundings(Delays delays, InstantSource clock, DiMeter meter) {}

  private DiServer(KubernetesClient client, Settings settings, Surroundings process) {
    this.client = client;
    this.process = process;
    waits = new Waits(executor, process.delays());
    watch = new WatchedJobs(client, waits::changed);
    var store = new ApiStore(client);
    var api =
        new DiApi(
            filled,
            new Access(settings.isOpen(), watch, new Tokens(client, process.clock())),
            new DiApi.Desks(
                new WorkerGets(watch, store),
                new WorkerPosts(watch, store, waits, process.clock(), settings.hold()),
                new WorkerDeletes(watch, store, waits),
                new FailedWorkers(watch, store, waits),
                new TaskCalls(watch, store)),
            executor);
    var endpoint = new DiEndpoint(api, hangUps, process.meter(), DiEndpoint.Limits.DEFAULT);
    server =
        Javalin.create(java -> {
          java.startup.showJavalinBanner = false;
          java.startup.showOldJavalinVersionWarning = false;
          java.jetty.modifyServer(jetty -> jetty.setStopTimeout(STOP_TIMEOUT_MILLIS));
          endpoint.addTo(java, settings.address(), settings.port());
        });
  }

  /**
   * Opens the port, and begins to watch as soon as the API server knows the kind; returns before
   * that.
   *
   * @param client that keeps objects as they are; closed with the server
   */
  public static DiServer start(KubernetesClient client, Settings settings, Surroundings process) {
    var server = new DiServer(client, settings, process);
    process.meter().watchHeld(server.waits::count);
    try {
      server.server.start();
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    server.look();
    return server;
  }

  /** The port that is open. */
  public int port() {
    return server.port();
  }

  private void look() {
    executor.execute(() -> {
      try {
        if (isClosed) {
          return;
        }
        if (DiController.isInstalled(client)) {
          var _ = watch.start().thenAccept(filled::complete);
          return;
        }
      } catch (KubernetesClientException e) {
        LOG.atWarn()
            .addKeyValue("message", e.getMessage())
            .log("whether there are DIJobs cannot be told yet; tried again");
      }
      process
          .delays()
          .after(
              LOOKED_FOR_APART,
              () -> {
                if (!isClosed) {
                  look();
                }
              });
    });
  }

  @Override
  public void close() {
    isClosed = true;
    waits.close();
    server.stop();
    watch.close();
    hangUps.close();
    executor.shutdownNow();
    client.close();
  }
}
