package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.deploy.serve.lease.Clocks;
import io.muster.deploy.serve.lease.Leadership;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A term goes by what it has read, and ends where the apiserver's data has gone back. */
final class RestoredTermTest {

  private static final Duration LEASE = Duration.ofSeconds(4);
  private static final Duration SOON = Duration.ofSeconds(20);

  /** The version of the Lease at first. */
  private static final long MADE = 701;

  private final AtomicInteger gained = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger restored = new AtomicInteger();
  private HttpServer server;
  private KubernetesClient client;
  private ServeTimers timers;
  private Leadership leadership;
  private Optional<Lease> stored = Optional.empty();
  private long version = MADE - 1;
  private Optional<CountDownLatch> away = Optional.empty();

  @BeforeEach
  void stand() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .build())
            .build();
    timers = new ServeTimers();
    leadership =
        new Leadership(
            client,
            new Leadership.Terms("muster-system", "me", LEASE),
            Clocks.ofTheMachine(),
            timers,
            () -> true);
    leadership.start(gained::incrementAndGet, lost::incrementAndGet, restored::incrementAndGet);
    Await.until("it to lead", SOON, () -> gained.get() == 1);
    Await.until("it to have read its Lease", SOON, this::isRenewed);
  }

  @AfterEach
  void end() {
    comeBack();
    leadership.close();
    timers.close();
    client.close();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    boolean isWatch = Optional.ofNullable(exchange.getRequestURI().getQuery()).isPresent();
    if (!isWatch) {
      await();
    }
    var answer = isWatch ? Optional.<String>empty() : answer(exchange.getRequestMethod(), body);
    var bytes = answer.orElse("{}").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(answer.isPresent() ? 200 : 404, bytes.length);
    try (exchange) {
      exchange.getResponseBody().write(bytes);
    }
  }

  private synchronized Optional<String> answer(String method, String body) {
    if (!method.equals("GET")) {
      version++;
      var written = Serialization.unmarshal(body, Lease.class);
      if (written.getSpec().getHolderIdentity() == null) {
        stored.get().getSpec().setHolderIdentity(null);
      } else {
        stored = Optional.of(written);
      }
    }
    stored.ifPresent(lease -> lease.getMetadata().setResourceVersion(Long.toString(version)));
    return stored.map(Serialization::asJson);
  }

  private void await() {
    try {
      var latch = presentlyAway();
      assertThat(latch.isEmpty() || latch.get().await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private synchronized Optional<CountDownLatch> presentlyAway() {
    return away;
  }

  private synchronized void goAway() {
    away = Optional.of(new CountDownLatch(1));
  }

  private synchronized void comeBack() {
    away.ifPresent(CountDownLatch::countDown);
    away = Optional.empty();
  }

  /** It is made, read, and written again. */
  private synchronized boolean isRenewed() {
    return version > MADE;
  }

  private synchronized void goBackTo(long earlier) {
    version = earlier;
  }

  /** One request to renew it asks for as long as the apiserver is away. */
  @Test
  void oneWhoseLeaseIsOverBeforeTheAnswerComesEndsToo() {
    goAway();
    Await.until("the lease to be over", SOON, this::isOver);

    goBackTo(600);
    comeBack();

    Await.until("the next term", SOON, () -> gained.get() > 1);
    assertThat(lost).hasPositiveValue();
    assertThat(restored).hasValue(1);
  }

  /** What decides about gangs has seen it in what it reads, before the Lease was asked for. */
  @Test
  void oneThatHasSeenItItselfWritesNothingMoreAndEnds() {
    leadership.goneBack();
    boolean isHeld = leadership.heldUntil().isAfter(Instant.MIN);

    Await.until("the next term", SOON, () -> gained.get() > 1);
    assertThat(isHeld).isFalse();
    assertThat(lost).hasPositiveValue();
    assertThat(restored).hasValue(1);
  }

  /** Or nobody would be told of a leader that alone stands, and decides nothing. */
  @Test
  void oneWhoseRenewalsGetNoAnswerIsSeenNotToRenewItsLease() {
    assertThat(leadership.unrenewed()).isZero();
    goAway();

    Await.until("the lease to be over", SOON, this::isOver);

    assertThat(leadership.unrenewed()).isGreaterThan(LEASE.dividedBy(2));
  }

  private boolean isOver() {
    return Clocks.ofTheMachine().steady().instant().isAfter(leadership.heldUntil());
  }
}
