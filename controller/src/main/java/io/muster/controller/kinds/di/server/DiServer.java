package io.muster.controller.kinds.di.server;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javalin.Javalin;
import io.muster.controller.framework.KindController;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.server.call.Access;
import io.muster.controller.kinds.di.server.call.Tokens;
import io.muster.controller.kinds.di.server.presence.NameStore;
import io.muster.controller.kinds.di.server.presence.Presence;
import io.muster.controller.kinds.di.server.presence.ServingProcess;
import io.muster.controller.kinds.di.server.presence.WatchedJobs;
import io.muster.controller.kinds.di.server.presence.WatchedNames;
import io.muster.controller.kinds.di.server.worker.ApiStore;
import io.muster.controller.kinds.di.server.worker.FailedWorkers;
import io.muster.controller.kinds.di.server.worker.Sizing;
import io.muster.controller.kinds.di.server.worker.TaskCalls;
import io.muster.controller.kinds.di.server.worker.Waits;
import io.muster.controller.kinds.di.server.worker.WorkerDeletes;
import io.muster.controller.kinds.di.server.worker.WorkerGets;
import io.muster.controller.kinds.di.server.worker.WorkerPosts;
import io.muster.controller.port.DiMeter;
import io.muster.extender.http.Servers;
import io.muster.extender.port.Delays;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server for DIJobs, from {@link #start} to {@link #close}: in every process, whether it leads
 * or not, since what it does is to write on jobs and to check. Safe for concurrent use.
 */
public final class DiServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DiServer.class);
  private static final Duration LOOKED_FOR_APART = Duration.ofSeconds(10);
  private static final long LEAVE_TIMEOUT_MILLIS = 2_000;

  private final KubernetesClient client;
  private final Surroundings process;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final HangUps hangUps = new HangUps();
  private final CompletableFuture<Void> filled = new CompletableFuture<>();
  private final Waits waits;
  private final WatchedJobs watch;
  private final Javalin server;
  private final Optional<Names> names;
  private volatile boolean isClosed;

  /**
   * How it serves.
   *
   * @param isOpen whether everybody may do everything
   * @param hold how long a call for workers is held; empty: without end
   * @param splitsToFit whether learners of several GPUs are divided by what is free now
   * @param refusesWhatNeverFits whether calls that no node could ever hold are answered at once
   */
  public record Settings(
      Place place,
      boolean isOpen,
      Optional<Duration> hold,
      boolean splitsToFit,
      boolean refusesWhatNeverFits) {}

  /**
   * Where it serves.
   *
   * @param process a name that no other process of the cluster's has
   * @param address that it listens at
   * @param advertised at which pods reach it under its names; empty: it is not to have any
   */
  public record Place(String process, String address, int port, Optional<String> advertised) {}

  /** What keeps this process among those that its names lead to. */
  private record Names(NameStore store, Greeting greeting, Presence presence) {}

  /** What it needs of the process. */
  public record Surroundings(Delays delays, InstantSource clock, DiMeter meter) {}

  private DiServer(KubernetesClient client, Settings settings, Surroundings process) {
    this.client = client;
    this.process = process;
    waits = new Waits(executor, process.delays());
    watch = new WatchedJobs(client, waits::changed);
    var store = new ApiStore(client, process.clock());
    var sizing = new Sizing(store, settings.splitsToFit(), settings.refusesWhatNeverFits());
    var api =
        new DiApi(
            filled,
            new Access(settings.isOpen(), watch, new Tokens(client, process.clock())),
            new DiApi.Desks(
                new WorkerGets(watch, store),
                new WorkerPosts(
                    watch,
                    store,
                    waits,
                    process.clock(),
                    new WorkerPosts.Terms(settings.hold(), sizing)),
                new WorkerDeletes(watch, store, waits),
                new FailedWorkers(watch, store, waits),
                new TaskCalls(watch, store)),
            executor);
    var place = settings.place();
    names = place.advertised().map(address -> names(place, address));
    var endpoint =
        new DiEndpoint(api, hangUps, process.meter(), DiEndpoint.Limits.DEFAULT, place.process());
    server = Servers.of(java -> endpoint.addTo(java, place.address(), place.port()));
  }

  private Names names(Place place, String address) {
    var store = new WatchedNames(client);
    var greeting = new Greeting(executor);
    var self = new ServingProcess(place.process(), Access.canonical(address), place.port());
    return new Names(
        store, greeting, new Presence(store, self, greeting::answers, process.clock()));
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
    server.check();
    return server;
  }

  /** The port that is open. */
  public int port() {
    return server.port();
  }

  private void check() {
    executor.execute(() -> {
      try {
        if (isClosed) {
          return;
        }
        if (KindController.isInstalled(client, DIJob.class)) {
          var _ = watch.start().thenAccept(filled::complete).thenRun(this::appear);
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
                  check();
                }
              });
    });
  }

  /** Callers are led here from now on: it knows what they ask about. */
  private void appear() {
    names.ifPresent(known -> {
      known.store().start();
      lookAtNames(known.presence());
    });
  }

  private void lookAtNames(Presence presence) {
    process
        .delays()
        .after(
            Presence.ROUND,
            () -> {
              if (!isClosed) {
                executor.execute(() -> {
                  try {
                    presence.check();
                  } finally {
                    lookAtNames(presence);
                  }
                });
              }
            });
  }

  /** Has no more callers led here; those that come nevertheless are still served. */
  public void leave() {
    names.ifPresent(known ->
        CompletableFuture.runAsync(known.presence()::leave, executor)
            // An API server that is away does not keep the process from ending.
            .completeOnTimeout(null, LEAVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
            .join());
  }

  @Override
  public void close() {
    isClosed = true;
    names.ifPresent(known -> {
      known.greeting().close();
      known.store().close();
    });
    waits.close();
    server.stop();
    watch.close();
    hangUps.close();
    executor.shutdownNow();
    client.close();
  }
}
