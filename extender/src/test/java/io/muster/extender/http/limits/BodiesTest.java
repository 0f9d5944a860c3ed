package io.muster.extender.http.limits;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.javalin.http.Context;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BodiesTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int KIB = 1024;
  private static final String BUSY = "503 too much is under way; try again";
  private static final String TOO_LATE = "408 the body did not arrive in time";

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Socket> sockets = new ArrayList<>();
  private Bodies bodies;
  private Javalin server;
  private final CountDownLatch answering = new CountDownLatch(1);
  private final CountDownLatch mayAnswer = new CountDownLatch(1);

  @AfterEach
  void stop() throws IOException {
    for (var socket : sockets) {
      socket.close();
    }
    client.close();
    server.stop();
  }

  @Test
  void aBodyComesAsItWasSent() throws Exception {
    start(limits(KIB * KIB, 2 * KIB * KIB, 10, LONG, LONG));

    assertThat(post("x".repeat(300 * KIB))).isEqualTo("200 307200");
    assertThat(post("")).isEqualTo("200 0");
  }

  @Test
  void aBodyWithoutAStatedLengthComesAsItWasSent() throws Exception {
    start(limits(400 * KIB, 800 * KIB, 10, LONG, LONG));
    var bytes = "x".repeat(300 * KIB).getBytes(US_ASCII);

    var response =
        client.send(
            request()
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)))
                .build(),
            BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("307200");
  }

  @Test
  void aBodyOfExactlyTheLimitIsReceivedAndALongerOneRefused() throws Exception {
    start(limits(64 * KIB, 128 * KIB, 10, LONG, LONG));

    assertThat(post("x".repeat(64 * KIB))).isEqualTo("200 65536");
    assertThat(post("x".repeat(64 * KIB + 1))).isEqualTo("413 the body is longer than 65536 bytes");
  }

  @Test
  void aBodyThatDoesNotArriveIsCutOffAndOthersAreServedMeanwhile() throws Exception {
    start(limits(KIB, 100 * KIB, 1_000, Duration.ofMillis(500), LONG));
    for (int i = 0; i < 300; i++) {
      unfinished(10, 9);
    }

    assertThat(post("fine")).isEqualTo("200 4");

    assertThat(answerTo(sockets.getFirst())).startsWith("HTTP/1.1 408");
    assertThat(answerTo(sockets.getLast())).startsWith("HTTP/1.1 408");
    assertThat(post("fine")).isEqualTo("200 4");
  }

  @Test
  void aCallerWhoBreaksOffLeavesNothingBehind() throws Exception {
    start(limits(KIB, 100 * KIB, 1, LONG, LONG));
    unfinished(10, 1);
    awaitOpen(1);

    sockets.getFirst().close();

    while (bodies.open() > 0) {
      Thread.onSpinWait();
    }
    assertThat(post("fine")).isEqualTo("200 4");
  }

  @Test
  void whereAllTogetherTakeTooMuchTheLargestGoesAndTheSmallAreServed() throws Exception {
    start(limits(64 * KIB, 128 * KIB, 1_000, LONG, LONG));
    for (int i = 0; i < 20; i++) {
      unfinished(64 * KIB, 63 * KIB);
    }

    for (int i = 0; i < 20; i++) {
      assertThat(post("x".repeat(8 * KIB))).isEqualTo("200 8192");
    }
    assertThat(answerTo(sockets.getFirst())).startsWith("HTTP/1.1 503");
  }

  @Test
  void largeBodiesWaitForTheirTurnUnreadAndSmallOnesDoNot() throws Exception {
    start(new Bodies.Limits(64 * KIB * KIB, 16 * KIB, 2, 65L * KIB * KIB, 1_000, LONG, LONG));
    var first = unfinished(60 * KIB * KIB, 17 * KIB);
    unfinished(60 * KIB * KIB, 17 * KIB);
    awaitOpen(2);
    var waiting = CompletableFuture.supplyAsync(() -> posted("x".repeat(30 * KIB * KIB)));
    awaitOpen(3);

    assertThat(post("x".repeat(16 * KIB))).isEqualTo("200 16384");
    assertThat(bodies.reserved()).isLessThan(100 * KIB);
    assertThat(waiting).isNotDone();
    first.close();
    assertThat(waiting.get()).isEqualTo("200 31457280");
    assertThat(post("x".repeat(17 * KIB))).isEqualTo("200 17408");
  }

  @Test
  void aLargeBodyThatWaitsInVainIsRefused() throws Exception {
    start(
        new Bodies.Limits(64 * KIB, 16 * KIB, 1, 65 * KIB, 1_000, Duration.ofMillis(500), LONG),
        (context, body) -> {
          if (body.bytes().length > 16 * KIB) {
            answering.countDown();
            await(mayAnswer);
          }
          context.result("done");
        });
    var first = CompletableFuture.supplyAsync(() -> posted("x".repeat(40 * KIB)));
    await(answering);

    assertThat(post("x".repeat(40 * KIB))).isIn(TOO_LATE, BUSY);
    assertThat(post("small")).isEqualTo("200 done");
    mayAnswer.countDown();
    assertThat(first.get()).isEqualTo("200 done");
    assertThat(post("x".repeat(40 * KIB))).isEqualTo("200 done");
  }

  @Test
  void ofLargeBodiesThatAreFarFromTheLimitMoreAreReadAtOnce() throws Exception {
    start(
        new Bodies.Limits(64 * KIB, 16 * KIB, 1, 65 * KIB, 1_000, Duration.ofMillis(500), LONG),
        (context, body) -> {
          if (body.bytes().length == 20 * KIB) {
            answering.countDown();
            await(mayAnswer);
          }
          context.result("done");
        });
    var first = CompletableFuture.supplyAsync(() -> posted("x".repeat(20 * KIB)));
    await(answering);

    assertThat(post("x".repeat(21 * KIB))).isEqualTo("200 done");
    mayAnswer.countDown();
    assertThat(first.get()).isEqualTo("200 done");
  }

  @Test
  void whereThereAreTooManyTheOldestThatIsStillArrivingGoes() throws Exception {
    start(limits(KIB, 100 * KIB, 4, LONG, LONG));
    for (int i = 1; i <= 4; i++) {
      unfinished(10, 1);
      awaitOpen(i);
    }

    assertThat(post("fine")).isEqualTo("200 4");
    assertThat(answerTo(sockets.getFirst())).startsWith("HTTP/1.1 503");
    finish(sockets.getLast(), 9);
    assertThat(answerTo(sockets.getLast())).startsWith("HTTP/1.1 200");
  }

  @Test
  void anAnswerThatNobodyReadsIsGivenUp() throws Exception {
    var limits = limits(KIB, 2 * KIB, 1, LONG, Duration.ofSeconds(2));
    var large = "x".repeat(64 * KIB * KIB).getBytes(US_ASCII);
    start(
        limits,
        (context, body) -> {
          if (body.bytes().length == 1) {
            context.outputStream().write(large);
          } else {
            context.result("small");
          }
        });
    unfinished(1, 1);
    awaitOpen(1);

    // There is one place, which the first holds until its answer is given up.
    String answer;
    do {
      answer = post("two");
    } while (answer.startsWith("503"));
    assertThat(answer).isEqualTo("200 small");
  }

  private void awaitOpen(int requests) {
    while (bodies.open() < requests) {
      Thread.onSpinWait();
    }
  }

  private interface Answering {
    void answer(Context context, Body body) throws IOException;
  }

  /** With bodies that are all small. */
  private static Bodies.Limits limits(
      int bytes, long bytesTogether, int together, Duration arrival, Duration answer) {
    return new Bodies.Limits(bytes, bytes, 1, bytesTogether, together, arrival, answer);
  }

  private void start(Bodies.Limits limits) {
    start(limits, (context, body) -> context.result(Integer.toString(body.bytes().length)));
  }

  private void start(Bodies.Limits limits, Answering answering) {
    bodies = new Bodies(limits);
    server =
        Javalin.create(
                java -> {
                  java.startup.showJavalinBanner = false;
                  java.concurrency.useVirtualThreads = true;
                  java.routes.post(
                      "/",
                      context -> {
                        try (var body = bodies.receive(context)) {
                          answering.answer(context, body);
                        } catch (NotServedException e) {
                          context.status(e.status()).result(e.getMessage());
                        }
                      });
                })
            .start("127.0.0.1", 0);
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
        .timeout(Duration.ofSeconds(30));
  }

  private String post(String body) throws IOException, InterruptedException {
    var response =
        client.send(request().POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    return response.statusCode() + " " + response.body();
  }

  private String posted(String body) {
    try {
      return post(body);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A request of which so many bytes are sent of those that it states. */
  private Socket unfinished(int stated, int sent) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(30_000);
    sockets.add(socket);
    socket
        .getOutputStream()
        .write(
            ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + stated + "\r\n\r\n")
                .getBytes(US_ASCII));
    finish(socket, sent);
    return socket;
  }

  private static void finish(Socket socket, int bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write("x".repeat(bytes).getBytes(US_ASCII));
    out.flush();
  }

  private static String answerTo(Socket socket) throws IOException {
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine();
  }
}
