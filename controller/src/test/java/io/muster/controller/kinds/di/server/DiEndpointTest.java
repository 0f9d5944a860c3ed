package io.muster.controller.kinds.di.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.controller.kinds.di.coordinator.WorkerRequests;
import io.muster.controller.metrics.DiMeters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The port itself, with connections of clients. */
final class DiEndpointTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration IDLE = Duration.ofMillis(500);
  private static final String ASKED =
      "{\"namespace\":\"ml\",\"coordinator\":\"qbert-coordinator\",\"collectors\":{\"replicas\":2}}";

  private final PlayedCluster cluster = new PlayedCluster(PlayedCluster.COORDINATED);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final HangUps hangUps = new HangUps();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Javalin server = serve();

  private Javalin serve() {
    var endpoint =
        new DiEndpoint(
            cluster.server(),
            hangUps,
            new DiMeters(registry),
            new DiEndpoint.Limits(IDLE, Duration.ofSeconds(1)),
            "muster-0");
    return Javalin.create(
            java -> {
              java.startup.showJavalinBanner = false;
              endpoint.addTo(java, "127.0.0.1", 0);
            })
        .start();
  }

  @AfterEach
  void stop() {
    client.shutdownNow();
    server.stop();
    hangUps.close();
  }

  private CompletableFuture<HttpResponse<String>> begin(String method, String path, String body) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  /** The cluster's work is done by the test's thread alone. */
  private void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      cluster.settle();
      Thread.onSpinWait();
    }
  }

  private HttpResponse<String> call(String method, String path, String body) {
    var response = begin(method, path, body);
    until("an answer", response::isDone);
    return response.join();
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          GET, /healthz, 200
          PATCH, /v1alpha1/replicas, 501
          OPTIONS, /v1alpha1/replicas/, 501
          GET, /v1alpha1/replicas/failed, 501
          BREW, /v1alpha1/replicas, 501
          GET, /, 404
          GET, /v1alpha1//replicas, 404
          GET, /v1alpha1/replicas?namespace=ml, 200
          GET, /v1alpha1/replicas?x=%25, 400
          GET, /v2alpha1/job/ml%2Fqbert/replicas, 400
          GET, /v2alpha1/ml%2F..%2Fqbert/replicas, 400
          DELETE, /v2alpha1/job/ml.nobody/replicas, 404
          """)
  void everythingIsAnsweredInTheOneForm(String method, String path, int status) throws IOException {
    var response = call(method, path, "");
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    if (!path.equals("/healthz")) {
      assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
      assertThat(JSON.readTree(response.body()).get("success").booleanValue())
          .isEqualTo(status == 200);
    }
    assertThat(response.headers().firstValue("Server")).isEmpty();
  }

  @Test
  void aBodyThatIsTooLongIsRefused() {
    assertThat(call("POST", "/v1alpha1/replicas", "x".repeat(64 * 1024 + 1)).statusCode())
        .isEqualTo(413);
  }

  @Test
  void whoSendsABodyDropByDropIsCutOff() throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      var out = socket.getOutputStream();
      out.write(
          "POST /v1alpha1/replicas HTTP/1.1\r\nHost: m\r\nContent-Length: 60000\r\n\r\n"
              .getBytes(UTF_8));
      socket.setSoTimeout(200);
      until("the connection to end", () -> isOver(socket));
    }
  }

  /** Sends one more byte and checks for an answer. */
  private static boolean isOver(Socket socket) {
    try {
      socket.getOutputStream().write(' ');
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException _) {
      return false;
    } catch (IOException _) {
      return true;
    }
  }

  @Test
  void aHeldCallOutlivesTheIdleTimeOfItsConnection() {
    cluster.run();
    var held = begin("POST", "/v1alpha1/replicas", ASKED);
    until("the request", () -> cluster.requests().requests().size() == 1);
    var later =
        CompletableFuture.runAsync(
            () -> {},
            CompletableFuture.delayedExecutor(3 * IDLE.toMillis(), TimeUnit.MILLISECONDS));
    until("time to pass", later::isDone);
    assertThat(held).isNotDone();
    cluster.run();
    until("the answer", held::isDone);
    assertThat(held.join().statusCode()).isEqualTo(200);
    assertThat(held.join().body()).contains("successfully create replicas");
    assertThat(
            registry
                .get("muster.di.request")
                .tags("route", "replicas", "outcome", "done")
                .timer()
                .count())
        .isEqualTo(1);
  }

  @Test
  void whoHangsUpIsForgottenAtOnceAndHisRequestStays() throws IOException {
    cluster.run();
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket
          .getOutputStream()
          .write(
              "POST /v1alpha1/replicas HTTP/1.1\r\nHost: m\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(ASKED.length(), ASKED)
                  .getBytes(UTF_8));
      until("the request", () -> cluster.requests().requests().size() == 1);
      assertThat(cluster.waiting()).isEqualTo(1);
    }
    until("the wait to end", () -> cluster.waiting() == 0);
    var again = begin("POST", "/v1alpha1/replicas", ASKED);
    until("the next call", () -> cluster.waiting() == 1);
    cluster.run();
    until("the answer", again::isDone);
    assertThat(again.join().statusCode()).isEqualTo(200);
    assertThat(WorkerRequests.of(cluster.job()).requests()).hasSize(1);

    for (var next : List.of(1, 2)) {
      var more = begin("POST", "/v1alpha1/replicas", ASKED);
      until("one more", () -> cluster.requests().requests().size() == 1 + next);
      cluster.run();
      until("its answer", more::isDone);
      assertThat(more.join().statusCode()).as("on the same connection").isEqualTo(200);
    }
  }
}
