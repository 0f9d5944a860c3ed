package io.muster.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javalin.Javalin;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.ServerNames;
import io.muster.extender.app.ExtenderService;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.http.ExtenderEndpoint;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.metrics.ExtenderMeters;
import io.muster.extender.port.LeaderLease;
import io.muster.extender.port.RequestMeter;
import io.muster.faults.TlsServer;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ForkJoinPool;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How long one filter call takes inside Muster's server: its port, its decisions over 5,000 nodes,
 * one caller over TLS, after a time of warming up. The time is the one that Muster's own meter is
 * told; the round trip as the caller sees it is printed beside it.
 */
final class FilterTime {

  private static final int NODES = 5_000;
  private static final int GPUS = 8;
  private static final int CALLS = 5_000;
  private static final Duration WARM_UP = Duration.ofSeconds(20);
  private static final Pattern ACCEPTED = Pattern.compile("\"NodeNames\":\\[\"([^\"]+)\"]");
  private static final double ACCEPT_BAR = 1;
  private static final double REFUSE_BAR = 3;
  private static final double PINNED_BAR = 0.3;

  private final InstantSource clock = InstantSource.system();
  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final List<Double> inServer = Collections.synchronizedList(new ArrayList<>());

  Verdict measure() {
    var desk = desk();
    // A gang is planned once its minimum is there.
    var gangs = Map.of("fits", members("fits", 8, 1), "waits", members("waits", 4_000, 8));
    gangs.values().stream()
        .flatMap(List::stream)
        .forEach(pod -> desk.accept(new Event.PodSeen(translation.pod(pod))));
    var fits = gangs.get("fits").getFirst();
    var waits = gangs.get("waits").getFirst();
    var thread = Thread.ofPlatform().daemon().start(desk::takeEvents);
    Await.until("all members to be seen", WARM_UP, () -> desk.queuedEvents() == 0);
    var names = IntStream.range(0, NODES).mapToObj(i -> "node-" + i).toList();
    Map<String, Double> p99;
    try (var port = new Port(desk)) {
      var answered = ACCEPTED.matcher(port.answer(call(fits, names)));
      if (!answered.find()) {
        throw new SandboxException("the gang that fits was not accepted");
      }
      var planned = answered.group(1);
      if (!port.answer(call(waits, names)).contains("\"NodeNames\":[]")) {
        throw new SandboxException("the gang that does not fit was not refused");
      }
      p99 =
          Map.of(
              "accept", port.p99("accept, 5,000 names", call(fits, names)),
              "refuse", port.p99("refuse, 5,000 names", call(waits, names)),
              "pinned", port.p99("accept, one name", call(fits, List.of(planned))));
    }
    thread.interrupt();
    return new Verdict(
        "filter",
        "ms p99",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, p99.get("accept"))),
        OptionalDouble.empty(),
        "muster < %s, refuse < %s, pinned < %s".formatted(ACCEPT_BAR, REFUSE_BAR, PINNED_BAR),
        Optional.of(
            p99.get("accept") < ACCEPT_BAR
                && p99.get("refuse") < REFUSE_BAR
                && p99.get("pinned") < PINNED_BAR),
        Map.of("refuse", p99.get("refuse"), "pinned", p99.get("pinned")));
  }

  /** Muster's decisions over nodes that are all there; what they want written goes nowhere. */
  private ExtenderService desk() {
    var lease =
        new LeaderLease() {
          @Override
          public Instant heldUntil() {
            return Instant.MAX;
          }

          @Override
          public boolean followsAnother() {
            return false;
          }
        };
    var desk =
        new ExtenderService(
            new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.AUTO)),
            Deadlines.DEFAULT,
            (_, _) -> {},
            new ExtenderService.Surroundings(
                clock,
                clock,
                ForkJoinPool.commonPool(),
                _ -> {},
                new ExtenderMeters(new SimpleMeterRegistry()).gangs(),
                lease));
    for (int i = 0; i < NODES; i++) {
      desk.accept(new Event.NodeSeen(node("node-" + i, i < NODES / 2 ? GPUS : 1)));
    }
    desk.accept(new Event.Ready());
    return desk;
  }

  private static Node node(String name, int gpus) {
    return new Node(
        name,
        Map.of("kubernetes.io/hostname", name),
        List.of(),
        Node.Availability.READY,
        new Resources(128_000, 1L << 40, Map.of("nvidia.com/gpu", (long) gpus)),
        110);
  }

  private List<Pod> members(String name, int count, int gpus) {
    var gang = new Gang(name, count, gpus);
    return IntStream.range(0, count).mapToObj(i -> pod(new Gang.Member(gang, i))).toList();
  }

  private Pod pod(Gang.Member member) {
    var gang = member.gang().name();
    var pod =
        Serialization.unmarshal(
            Manifests.member(member, "job-" + gang, Manifests.DEFAULT_SCHEDULER), Pod.class);
    pod.getMetadata().setNamespace(Manifests.NAMESPACE);
    pod.getMetadata().setUid("uid-" + pod.getMetadata().getName());
    pod.getMetadata().setCreationTimestamp(clock.instant().toString());
    return pod;
  }

  private static String call(Pod pod, List<String> names) {
    return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":%s}"
        .formatted(
            Serialization.asJson(pod),
            names.stream().collect(Collectors.joining("\",\"", "[\"", "\"]")));
  }

  /** Muster's port for kube-scheduler, and its one caller. */
  private final class Port implements AutoCloseable {

    private final Javalin server;
    private final HttpClient caller;
    private final URI address;

    Port(ExtenderService desk) {
      var store = new InMemoryCertificateStore();
      var certificates =
          Certificates.ensure(store, ServerNames.of("localhost", "127.0.0.1"), clock);
      var meter =
          new RequestMeter() {
            @Override
            public void answered(Verb verb, Outcome outcome, Duration took) {
              inServer.add(took.toNanos() / 1e6);
            }

            @Override
            public void offered(Verb verb, int nodes) {}
          };
      server =
          Javalin.create(
                  java -> {
                    java.startup.showJavalinBanner = false;
                    java.startup.showOldJavalinVersionWarning = false;
                    TlsListener.on("127.0.0.1", 0, certificates, ClientAuth.NEED).install(java);
                    new ExtenderEndpoint(desk, translation::pod, meter).register(java);
                  })
              .start();
      address = URI.create("https://127.0.0.1:" + server.port() + "/v1/filter");
      try {
        Path folder = Files.createTempDirectory("muster-filter");
        var identity =
            SchedulerIdentity.of(store)
                .writtenTo(folder, "https://127.0.0.1:" + server.port() + "/v1");
        caller = HttpClient.newBuilder().sslContext(TlsServer.of(identity).context()).build();
      } catch (IOException e) {
        throw new SandboxException("no temporary folder can be made", e);
      }
    }

    String answer(String body) {
      var request =
          HttpRequest.newBuilder(address)
              .timeout(Duration.ofSeconds(10))
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      try {
        return caller.send(request, BodyHandlers.ofString()).body();
      } catch (IOException e) {
        throw new SandboxException("the filter call failed", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SandboxException("the filter call was interrupted", e);
      }
    }

    /** Milliseconds inside the server that 99 of 100 calls do not exceed. */
    double p99(String what, String body) {
      long end = System.nanoTime() + WARM_UP.toNanos();
      while (System.nanoTime() < end) {
        answer(body);
      }
      inServer.clear();
      var roundTrips = new ArrayList<Double>();
      for (int i = 0; i < CALLS; i++) {
        long begun = System.nanoTime();
        answer(body);
        roundTrips.add((System.nanoTime() - begun) / 1e6);
      }
      double p99 = percentile(inServer, 99);
      System.out.printf(
          "  %-20s in the server: median %.3f ms, p99 %.3f ms; round trip: median %.3f ms, p99 %.3f"
              + " ms%n",
          what,
          percentile(inServer, 50),
          p99,
          percentile(roundTrips, 50),
          percentile(roundTrips, 99));
      return p99;
    }

    private static double percentile(List<Double> values, int percent) {
      var sorted = values.stream().sorted().toList();
      return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    @Override
    public void close() {
      caller.shutdownNow();
      server.stop();
    }
  }
}
