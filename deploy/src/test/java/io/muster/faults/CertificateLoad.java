package io.muster.faults;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.ExtenderEndpoint;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.TestSpace;
import io.muster.webhook.kube.Registration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls that must not fail while certificates change: pods admitted by the apiserver through the
 * webhook at a steady rate, pods placed by kube-scheduler through the extender, and new TLS
 * connections to all ports of both processes, as a caller makes them that believes what the
 * registration says, or the CA that kube-scheduler read at its start and nothing since. Whatever
 * fails is kept. Closing it ends the load.
 */
final class CertificateLoad implements AutoCloseable {

  private static final Duration PLACED = Duration.ofSeconds(30);
  private static final Duration BETWEEN_HANDSHAKES = Duration.ofMillis(100);
  private static final int MOST_AT_ONCE = 64;

  private final TestSpace space;
  private final TwoMusters musters;
  private final Path folder;
  private final Duration between;
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger admitted = new AtomicInteger();
  private final AtomicInteger placed = new AtomicInteger();
  private final AtomicInteger handshakes = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();
  private final Semaphore places = new Semaphore(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean ended;

  private CertificateLoad(TestSpace space, TwoMusters musters, Path folder, int admissions) {
    this.space = space;
    this.musters = musters;
    this.folder = folder;
    this.between = Duration.ofSeconds(1).dividedBy(admissions);
  }

  /**
   * Begins it.
   *
   * @param admissions per second
   */
  static CertificateLoad begin(TestSpace space, TwoMusters musters, Path folder, int admissions)
      throws IOException {
    var load = new CertificateLoad(space, musters, folder, admissions);
    space.nodes(1, NodeShape.GPU8);
    // What kube-scheduler read at its start.
    Files.writeString(
        folder.resolve("known-ca.crt"), load.field("muster-scheduler-client", "ca.crt"));
    load.threads.execute(load::admit);
    load.threads.execute(load::place);
    load.threads.execute(load::connect);
    return load;
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  int admitted() {
    return admitted.get();
  }

  int placed() {
    return placed.get();
  }

  int handshakes() {
    return handshakes.get();
  }

  /** Calls admitted in a second, over the whole time. */
  double rate() {
    return admitted.get() * 1e9 / Math.max(1, nanos.get());
  }

  /**
   * Ends kube-scheduler's connections while none of its calls is under way, so that its next call
   * has to shake hands anew.
   */
  void cutTheScheduler() throws InterruptedException {
    places.acquire();
    try {
      musters.toLeader().cut();
    } finally {
      places.release();
    }
    int before = placed.get();
    Await.until("pods placed over a new connection", PLACED, () -> placed.get() > before + 1);
  }

  private void admit() {
    var atOnce = new Semaphore(MOST_AT_ONCE);
    long begin = System.nanoTime();
    for (long call = 0; !ended; call++) {
      long due = begin + call * between.toNanos();
      while (System.nanoTime() < due) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      atOnce.acquireUninterruptibly();
      var pod = GangManifest.of(space, "load", 2).pod("load-" + call);
      threads.execute(() -> {
        try {
          space.client().pods().inNamespace(space.namespace()).resource(pod).dryRun(true).create();
          admitted.incrementAndGet();
        } catch (KubernetesClientException e) {
          failures.add("admission: " + e.getMessage());
        } finally {
          atOnce.release();
        }
      });
      nanos.set(System.nanoTime() - begin);
    }
    atOnce.acquireUninterruptibly(MOST_AT_ONCE);
  }

  private void place() {
    var pods = space.client().pods().inNamespace(space.namespace());
    for (int i = 0; !ended; i++) {
      var name = "single-" + i;
      places.acquireUninterruptibly();
      try {
        var single =
            GangManifest.of(space, "single", 1)
                .without(GangManifest.NAME)
                .without(GangManifest.MIN)
                .pod(name);
        pods.resource(single).create();
        if (Await.within(PLACED, () -> pods.withName(name).get().getSpec().getNodeName() != null)) {
          placed.incrementAndGet();
        } else {
          failures.add("kube-scheduler did not place " + name);
        }
        pods.withName(name).withGracePeriod(0).delete();
      } catch (KubernetesClientException e) {
        failures.add("single: " + e.getMessage());
      } finally {
        places.release();
      }
    }
  }

  private void connect() {
    while (!ended) {
      for (var replica : musters.replicas()) {
        try {
          webhook(replica.process().webhookUrl());
          handshakes.incrementAndGet();
          // The other one ends such connections by itself.
          if (musters.leads(replica)) {
            scheduler(replica.process().extenderUrl());
            handshakes.incrementAndGet();
          }
        } catch (IOException | IllegalStateException | KubernetesClientException e) {
          failures.add("handshake: " + e);
        }
      }
      LockSupport.parkNanos(BETWEEN_HANDSHAKES.toNanos());
    }
  }

  private void webhook(String url) throws IOException {
    var registration =
        space
            .client()
            .admissionRegistration()
            .v1()
            .mutatingWebhookConfigurations()
            .withName(Registration.NAME)
            .require();
    var bundle = registration.getWebhooks().getFirst().getClientConfig().getCaBundle();
    var file = Files.writeString(folder.resolve("webhook-ca.crt"), decoded(bundle));
    answered(TlsServer.at(url, file));
  }

  private void scheduler(String url) throws IOException {
    var secret =
        space.client().secrets().inNamespace("muster-system").withName("muster-scheduler-client");
    var data = secret.require().getData();
    var endpoint =
        new ExtenderEndpoint(
            url,
            folder.resolve("known-ca.crt"),
            Files.writeString(folder.resolve("known.crt"), decoded(data.get("tls.crt"))),
            Files.writeString(folder.resolve("known.key"), decoded(data.get("tls.key"))));
    answered(TlsServer.of(endpoint));
  }

  /** A refused client learns of it at its first read only. */
  private static void answered(TlsServer server) throws IOException {
    try (var socket = server.connect()) {
      socket.setSoTimeout((int) PLACED.toMillis());
      socket
          .getOutputStream()
          .write(
              "GET /none HTTP/1.1\r\nHost: muster\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      if (!answer.startsWith("HTTP/1.1 404")) {
        throw new IOException("unexpected answer " + answer.lines().findFirst().orElse("none"));
      }
    }
  }

  String field(String secret, String key) {
    return decoded(
        space
            .client()
            .secrets()
            .inNamespace("muster-system")
            .withName(secret)
            .require()
            .getData()
            .get(key));
  }

  private static String decoded(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    ended = true;
    threads.close();
  }
}
