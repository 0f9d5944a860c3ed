package io.muster.faults;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.Sandbox;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;

/**
 * Two Muster processes in a sandbox, as a Deployment of two would be: a switch leads kube-scheduler
 * to the endpoint of the Service muster-extender, which the leader keeps, another the API server to
 * any that is ready; each asks the API server through a proxy of its own. Closing it puts the one
 * Muster of the sandbox back. Confined to the test's thread.
 */
public final class TwoMusters implements AutoCloseable {

  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** As timeoutSeconds and failureThreshold of the chart's readiness probe. */
  private static final Duration LOOK_LIMIT = Duration.ofSeconds(2);

  private static final int SLOW_ANSWERS = 2;

  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final Sandbox sandbox;
  private final InstantSource clock;
  private final TcpSwitch toLeader = TcpSwitch.open();

  /** Between the API server and the webhooks. */
  private final TcpSwitch toReady = TcpSwitch.open();

  private final HttpClient health = HttpClient.newHttpClient();
  private final List<Replica> replicas;

  /** How often in a row no answer came in time, by URL; of the thread that probes. */
  private final Map<String, Integer> slow = new HashMap<>();

  private volatile Optional<Replica> only = Optional.empty();
  private volatile boolean closed;

  /** A process and the proxy between it and the API server. */
  public record Replica(MusterProcess process, KillingProxy toApiServer) {}

  private TwoMusters(Sandbox sandbox, InstantSource clock, Map<String, Object> settings) {
    this.sandbox = sandbox;
    this.clock = clock;
    sandbox.muster().ifPresent(MusterProcess::kill);
    replicas = List.of(replica("muster-one", settings), replica("muster-two", settings));
    Thread.ofVirtual()
        .name("endpoint-eye")
        .start(() -> keep(() -> toLeader.turnTo(ofEndpoint(toLeader.target()))));
    Thread.ofVirtual()
        .name("probe-eye")
        .start(() -> keep(() -> toReady.turnTo(ready(toReady.target()))));
    Await.until("one of them to lead", START_LIMIT, () -> leader().isPresent());
    var prefix = "https://127.0.0.1:" + toLeader.port() + "/v1";
    sandbox.scheduler().start(Optional.of(sandbox.extender().via(prefix)));
  }

  /**
   * Stops the Muster of the sandbox and starts two in its place.
   *
   * @param settings of both, beside those of the sandbox
   */
  public static TwoMusters in(Sandbox sandbox, InstantSource clock, Map<String, Object> settings) {
    return new TwoMusters(sandbox, clock, settings);
  }

  public Sandbox sandbox() {
    return sandbox;
  }

  /** Both of them. */
  public List<Replica> replicas() {
    return replicas;
  }

  /** The one to which kube-scheduler is led now. */
  public Optional<Replica> leader() {
    var target = toLeader.target();
    return replicas.stream().filter(replica -> target.equals(extenderPort(replica))).findFirst();
  }

  /** The other one. */
  public Replica other(Replica replica) {
    return replicas.getFirst().equals(replica) ? replicas.getLast() : replicas.getFirst();
  }

  /** Between kube-scheduler and the leader. */
  public TcpSwitch toLeader() {
    return toLeader;
  }

  /** Whether its /leader says 200 now. */
  public boolean leads(Replica replica) {
    return status(replica.process().healthUrl() + "/leader") == Status.OK;
  }

  /** Does the work while the API server is led to the webhook of that one alone. */
  public void askingOnly(Replica replica, Runnable work) {
    only = Optional.of(replica);
    try {
      Await.until(
          "the webhook of one", START_LIMIT, () -> toReady.target().equals(webhookPort(replica)));
      work.run();
    } finally {
      only = Optional.empty();
    }
  }

  /** Waits until both run and answer, one of them as leader. */
  public void settle() {
    for (var replica : replicas) {
      if (!replica.process().isAlive()) {
        replica.process().launch();
      }
      replica.process().awaitReady(START_LIMIT);
    }
    Await.until("one of them to lead", START_LIMIT, () -> leader().isPresent());
  }

  @Override
  public void close() {
    closed = true;
    replicas.forEach(replica -> {
      if (replica.process().isAlive()) {
        replica.process().kill();
      }
      replica.toApiServer().close();
    });
    toLeader.close();
    toReady.close();
    health.shutdownNow();
    // Killed, its holder never gives it back, and the next to start would wait for its end.
    sandbox.client().leases().inNamespace("muster-system").withName("muster").delete();
    sandbox.startMuster(MusterOptions.DEFAULT);
    sandbox.scheduler().start(Optional.of(sandbox.extender()));
  }

  private Replica replica(String name, Map<String, Object> settings) {
    var proxy = KillingProxy.before(TlsServer.at(sandbox.server(), sandbox.certificate()), clock);
    var all = new HashMap<>(settings);
    all.put("identity", name);
    all.put("webhookUrl", "https://127.0.0.1:" + toReady.port());
    // At the address that a sandbox says, neither finds the other.
    all.putIfAbsent("diServices", false);
    var options = MusterOptions.DEFAULT.named(name).seeing(proxy.url()).configured(all);
    var process = sandbox.prepareMuster(options);
    process.start();
    return new Replica(process, proxy);
  }

  private void keep(Runnable look) {
    while (!closed) {
      look.run();
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  /** As kube-proxy would: to what stands in the EndpointSlice of the Service, whatever is there. */
  private OptionalInt ofEndpoint(OptionalInt present) {
    try {
      return endpoint().map(TwoMusters::extenderPort).orElse(OptionalInt.empty());
    } catch (KubernetesClientException _) {
      return present;
    }
  }

  /** The one to which calls of the Service are led; each has a port of its own. */
  public Optional<Replica> endpoint() {
    var ports =
        Optional.ofNullable(endpointSlice().get()).stream()
            .flatMap(slice -> slice.getPorts().stream())
            .map(port -> OptionalInt.of(port.getPort()))
            .toList();
    return replicas.stream().filter(replica -> ports.contains(extenderPort(replica))).findFirst();
  }

  /** The one of the Service. */
  public Resource<EndpointSlice> endpointSlice() {
    return sandbox
        .client()
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace("muster-system")
        .withName("muster-extender");
  }

  /** The port led to now as long as its process is ready, else that of one that is. */
  private OptionalInt ready(OptionalInt present) {
    var willing =
        replicas.stream()
            .filter(replica -> isWilling(replica, webhookPort(replica).equals(present)))
            .filter(replica -> only.map(replica::equals).orElse(true))
            .map(TwoMusters::webhookPort)
            .toList();
    return willing.contains(present)
        ? present
        : willing.stream().findFirst().orElse(OptionalInt.empty());
  }

  /** Whether it says 200 there, or was in service before and has only just become slow. */
  private boolean isWilling(Replica replica, boolean isInService) {
    var url = replica.process().healthUrl() + "/readyz";
    var status = status(url);
    if (status == Status.SLOW) {
      return slow.merge(url, 1, Integer::sum) < SLOW_ANSWERS && isInService;
    }
    slow.remove(url);
    return status == Status.OK;
  }

  private enum Status {
    OK,
    NOT_OK,
    SLOW
  }

  private Status status(String url) {
    try {
      var request = HttpRequest.newBuilder(URI.create(url)).timeout(LOOK_LIMIT).build();
      var answer = health.send(request, BodyHandlers.discarding());
      return answer.statusCode() == 200 ? Status.OK : Status.NOT_OK;
    } catch (HttpTimeoutException _) {
      return Status.SLOW;
    } catch (IOException _) {
      return Status.NOT_OK;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Status.NOT_OK;
    }
  }

  private static OptionalInt extenderPort(Replica replica) {
    return OptionalInt.of(URI.create(replica.process().extenderUrl()).getPort());
  }

  private static OptionalInt webhookPort(Replica replica) {
    return OptionalInt.of(URI.create(replica.process().webhookUrl()).getPort());
  }
}
