package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javalin.Javalin;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.ServerNames;
import io.muster.extender.app.ExtenderService;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.http.ExtenderEndpoint;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.metrics.ExtenderMeters;
import io.muster.extender.port.LeaderLease;
import io.muster.faults.TlsServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A gang of 512 at the barrier, through the real port with all that is behind it but a cluster. */
final class BarrierOverHttp2Test {

  private static final int MEMBERS = 512;
  private static final int ASKED_MEANWHILE = 200;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final InstantSource CLOCK = InstantSource.system();
  private static final Logger ROOT =
      (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<Integer> connections = ConcurrentHashMap.newKeySet();
  private final List<String> names = IntStream.range(0, MEMBERS).mapToObj(i -> "n" + i).toList();
  private final String offer = Serialization.asJson(names);
  private Thread decisions;
  private ExtenderService desk;
  private Javalin server;
  private SSLContext identified;
  private HttpClient scheduler;
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    var meters = new ExtenderMeters(new SimpleMeterRegistry());
    desk =
        new ExtenderService(
            new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.AUTO)),
            Deadlines.DEFAULT,
            (effects, answers) -> effects.forEach(effect -> carryOut(effect, answers::accept)),
            new ExtenderService.Surroundings(
                CLOCK, CLOCK, workers, meters, meters.gangs(), new ForEver()));
    decisions = Thread.ofVirtual().start(desk::takeEvents);
    var store = new InMemoryCertificateStore();
    var certificates = Certificates.ensure(store, ServerNames.of("localhost", "127.0.0.1"), CLOCK);
    server =
        Javalin.create(
                java -> {
                  java.startup.showJavalinBanner = false;
                  TlsListener.on("127.0.0.1", 0, certificates, ClientAuth.NEED).install(java);
                  java.routes.before(context -> connections.add(context.req().getRemotePort()));
                  new ExtenderEndpoint(desk, translation::pod, meters).register(java);
                })
            .start();
    var bundle = store.load().orElseThrow();
    var identity = bundle.leaf(Purpose.SCHEDULER_CLIENT).orElseThrow();
    identified =
        TlsServer.of(
                new io.muster.sandbox.ExtenderEndpoint(
                    url(""),
                    Files.writeString(folder.resolve("ca.crt"), bundle.trustedPem()),
                    Files.writeString(folder.resolve("tls.crt"), identity.chainPem()),
                    Files.writeString(folder.resolve("tls.key"), identity.keyPem())))
            .context();
    scheduler = client();
    ROOT.addAppender(logged);
    logged.start();
  }

  private HttpClient client() {
    return HttpClient.newBuilder().sslContext(identified).build();
  }

  @AfterEach
  void stop() {
    ROOT.detachAppender(logged);
    scheduler.shutdownNow();
    server.stop();
    decisions.interrupt();
    workers.shutdownNow();
  }

  @Test
  void allHeldCallsAreAnsweredAndOthersAreAnsweredMeanwhile() {
    var members = members();
    // Opens the connection that the others share.
    placeIn(ask(members.getFirst()));
    var asked = members.stream().map(this::ask).toList();
    var places = asked.stream().map(BarrierOverHttp2Test::placeIn).toList();
    assertThat(Set.copyOf(places)).hasSize(MEMBERS);
    var held = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < MEMBERS - 1; i++) {
      held.add(post("bind", bindCall(members.get(i), places.get(i))));
    }
    await().atMost(LIMIT).until(() -> desk.heldCalls() == MEMBERS - 1);

    var last = members.getLast();
    for (int i = 0; i < ASKED_MEANWHILE; i++) {
      assertThat(placeIn(ask(last))).isEqualTo(places.getLast());
    }
    // A pool of threads that the held calls had filled would have answered after they were.
    assertThat(held).noneMatch(CompletableFuture::isDone);

    held.add(post("bind", bindCall(last, places.getLast())));
    assertThat(held)
        .allSatisfy(call -> {
          assertThat(call.join().body()).isEqualTo("{\"Error\":\"\"}");
          assertThat(call.join().version()).isEqualTo(HttpClient.Version.HTTP_2);
        });
    assertThat(connections.size()).isLessThanOrEqualTo(2);
  }

  /** Its kube-scheduler has died meanwhile: the next one asks again, and nobody reads of it. */
  @Test
  void callsWhoseSchedulerIsGoneAreAnsweredToNobody() {
    var members = members();
    var places = members.stream().map(this::ask).map(BarrierOverHttp2Test::placeIn).toList();
    var held = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < MEMBERS - 1; i++) {
      held.add(post("bind", bindCall(members.get(i), places.get(i))));
    }
    await().atMost(LIMIT).until(() -> desk.heldCalls() == MEMBERS - 1);
    scheduler.shutdownNow();
    await()
        .atMost(LIMIT)
        .until(() -> held.stream().allMatch(CompletableFuture::isCompletedExceptionally));
    await()
        .atMost(LIMIT)
        .until(() ->
            Stream.of(server.jettyServer().server().getConnectors())
                .allMatch(connector -> connector.getConnectedEndPoints().isEmpty()));
    scheduler = client();

    var last = post("bind", bindCall(members.getLast(), places.getLast()));

    assertThat(last.join().body()).isEqualTo("{\"Error\":\"\"}");
    await().atMost(LIMIT).until(() -> desk.heldCalls() == 0);
    assertThat(post("bind", bindCall(members.getFirst(), places.getFirst())).join().body())
        .isEqualTo("{\"Error\":\"\"}");
    assertThat(List.copyOf(logged.list))
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEmpty();
  }

  private List<Pod> members() {
    names.forEach(name -> desk.accept(new Event.NodeSeen(translation.node(node(name)))));
    var members = IntStream.range(0, MEMBERS).mapToObj(BarrierOverHttp2Test::member).toList();
    members.forEach(pod -> desk.accept(new Event.PodSeen(translation.pod(pod))));
    desk.accept(new Event.Ready());
    await().atMost(LIMIT).until(desk::isReady);
    return members;
  }

  /** Stores and binds without a cluster. */
  private static void carryOut(Effect effect, Consumer<Event> answers) {
    switch (effect) {
      case Effect.WriteRecord record ->
          answers.accept(
              new Event.RecordWritten(record.gang().gang(), record.gang().epoch(), true));
      case Effect.Bind bind ->
          answers.accept(
              new Event.BindingEnded(
                  bind.gang(), bind.pod(), bind.node(), new BindingOutcome.Bound()));
      default -> {
        // Nobody reads reports here, and nobody needs to be woken.
      }
    }
  }

  private CompletableFuture<HttpResponse<String>> ask(Pod pod) {
    return post(
        "filter",
        "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":%s}".formatted(Serialization.asJson(pod), offer));
  }

  private static String placeIn(CompletableFuture<HttpResponse<String>> reply) {
    Map<?, ?> answer = Serialization.unmarshal(reply.join().body(), Map.class);
    assertThat(answer.get("Error")).isEqualTo("");
    return ((List<?>) answer.get("NodeNames")).getFirst().toString();
  }

  private static String bindCall(Pod pod, String node) {
    var metadata = pod.getMetadata();
    return "{\"PodName\":\"%s\",\"PodNamespace\":\"ml\",\"PodUID\":\"%s\",\"Node\":\"%s\"}"
        .formatted(metadata.getName(), metadata.getUid(), node);
  }

  private CompletableFuture<HttpResponse<String>> post(String verb, String body) {
    return scheduler.sendAsync(
        HttpRequest.newBuilder(URI.create(url("/v1/" + verb)))
            .timeout(LIMIT)
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private String url(String path) {
    return "https://127.0.0.1:" + server.port() + path;
  }

  private static Pod member(int i) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("w-" + i)
        .withNamespace("ml")
        .withUid("u-" + i)
        .addToAnnotations("muster.io/gang-name", "large")
        .addToAnnotations("muster.io/gang-min", Integer.toString(MEMBERS))
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withNewResources()
        .addToLimits("nvidia.com/gpu", new Quantity("8"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private static io.fabric8.kubernetes.api.model.Node node(String name) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .addToAllocatable("nvidia.com/gpu", new Quantity("8"))
        .addToAllocatable("pods", new Quantity("110"))
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }

  /** A lease that nobody takes away. */
  private record ForEver() implements LeaderLease {

    @Override
    public Instant heldUntil() {
      return Instant.MAX;
    }

    @Override
    public boolean followsAnother() {
      return false;
    }
  }
}
