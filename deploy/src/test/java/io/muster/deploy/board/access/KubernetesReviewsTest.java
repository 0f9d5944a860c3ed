package io.muster.deploy.board.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.muster.deploy.board.access.Reviews.Answer;
import io.muster.deploy.board.access.Reviews.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reviews against an HTTP server that answers what a test says. */
final class KubernetesReviewsTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Identity ANN =
      new Identity("ann", "u-1", Set.of("team"), Map.of("scopes", List.of("one", "two")));
  private static final String KNOWN =
      """
      {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "status": {
        "authenticated": true, "audiences": %s,
        "user": {"username": "ann", "uid": "u-1", "groups": ["team"],
          "extra": {"scopes": ["one", "two"]}}}}
      """;
  private static final String UNKNOWN =
      """
      {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
       "status": {"user": {}, "error": "[invalid bearer token]"}}
      """;

  private final List<JsonNode> asked = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch over = new CountDownLatch(1);
  private HttpServer server;
  private KubernetesClient client;
  private KubernetesReviews reviews;

  private record Reply(int code, String body) {}

  private Function<JsonNode, Reply> answering = _ -> new Reply(500, "");

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withAutoConfigure(false)
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .build())
            .build();
    reviews =
        new KubernetesReviews(client, List.of("muster-board", "second"), InstantSource.system());
  }

  @AfterEach
  void stop() {
    over.countDown();
    client.close();
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var sent = JSON.readTree(exchange.getRequestBody());
      asked.add(sent);
      var reply = answering.apply(sent);
      var bytes = reply.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(reply.code(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private static Token token(String value) {
    return Token.read(value).orElseThrow();
  }

  private static final Token FOR_US = token(TokenTest.jwt("{\"aud\":[\"muster-board\"]}"));

  @Test
  void aTokenForTheBoardIsReviewedForItsAudiences() {
    answering = _ -> new Reply(201, KNOWN.formatted("[\"muster-board\"]"));
    assertThat(reviews.authenticate(FOR_US)).isEqualTo(new Answer.Known(ANN));
    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst().path("spec").path("token").asText()).isEqualTo(FOR_US.value());
    assertThat(asked.getFirst().path("spec").path("audiences"))
        .extracting(JsonNode::asText)
        .containsExactly("muster-board", "second");
  }

  @Test
  void anyOtherIsReviewedForTheApiServerAlone() {
    answering = _ -> new Reply(201, KNOWN.formatted("[\"https://kubernetes.default.svc\"]"));
    assertThat(reviews.authenticate(token("opaque"))).isEqualTo(new Answer.Known(ANN));
    var other = token(TokenTest.jwt("{\"aud\":[\"somebody-else\"]}"));
    assertThat(reviews.authenticate(other)).isEqualTo(new Answer.Known(ANN));
    assertThat(asked).hasSize(2).allMatch(sent -> sent.path("spec").path("audiences").isEmpty());
  }

  @Test
  void aTokenThatIsRefusedForTheBoardIsTriedForTheApiServer() {
    answering =
        sent ->
            new Reply(
                201,
                sent.path("spec").path("audiences").isEmpty() ? KNOWN.formatted("[]") : UNKNOWN);
    assertThat(reviews.authenticate(FOR_US)).isEqualTo(new Answer.Known(ANN));
    assertThat(asked).hasSize(2);
  }

  @Test
  void anAnswerForOthersIsNoAnswerForUs() {
    answering = _ -> new Reply(201, KNOWN.formatted("[\"somebody-else\"]"));
    assertThat(asked).isEmpty();
    answering =
        sent ->
            new Reply(
                201,
                sent.path("spec").path("audiences").isEmpty()
                    ? UNKNOWN
                    : KNOWN.formatted("[\"somebody-else\"]"));
    assertThat(reviews.authenticate(FOR_US)).isEqualTo(new Answer.Unknown());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"kind\":\"TokenReview\"}",
        "{\"kind\":\"TokenReview\",\"status\":{}}",
        "{\"kind\":\"TokenReview\",\"status\":{\"authenticated\":true}}",
        "{\"kind\":\"TokenReview\",\"status\":{\"authenticated\":true,\"user\":{}}}",
        "{\"kind\":\"TokenReview\",\"status\":{\"authenticated\":true,\"user\":"
            + "{\"username\":\" \"}}}",
        "{\"kind\":\"TokenReview\",\"status\":{\"user\":{\"username\":\"ann\"}}}"
      })
  void anAnswerThatNamesNobodyLetsNobodyIn(String body) {
    answering = _ -> new Reply(201, body);
    assertThat(reviews.authenticate(token("t"))).isEqualTo(new Answer.Unknown());
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 504})
  void aRefusalOfTheReviewItselfIsNoAnswer(int code) {
    answering = _ -> new Reply(code, "{\"kind\":\"Status\",\"message\":\"no\"}");
    assertThat(reviews.authenticate(token("t"))).isInstanceOf(Answer.Unanswered.class);
    assertThat(reviews.may(ANN, Question.NODES)).isEqualTo(Verdict.UNANSWERED);
    assertThat(asked).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<html>", "{", "[]", "null", "{\"kind\":\"Status\"}"})
  void anAnswerThatIsNoReviewIsNoYes(String body) {
    answering = _ -> new Reply(200, body);
    assertThat(reviews.authenticate(token("t"))).isNotInstanceOf(Answer.Known.class);
    assertThat(reviews.may(ANN, Question.NODES)).isNotEqualTo(Verdict.YES);
  }

  @Test
  void anApiServerThatDoesNotAnswerIsGivenUpAfterThreeSeconds() {
    answering =
        _ -> {
          try {
            over.await();
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
          return new Reply(500, "");
        };
    long began = System.nanoTime();
    assertThat(reviews.may(ANN, Question.NODES)).isEqualTo(Verdict.UNANSWERED);
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isBetween(Duration.ofMillis(2500), Duration.ofSeconds(8));
    assertThat(asked).hasSize(1);
  }

  @Test
  void anApiServerThatIsNotThereIsNoAnswer() {
    server.stop(0);
    assertThat(reviews.authenticate(token("t"))).isInstanceOf(Answer.Unanswered.class);
    assertThat(reviews.may(ANN, Question.NODES)).isEqualTo(Verdict.UNANSWERED);
  }

  @Test
  void aQuestionNamesAllThatIsKnownOfWhoAsks() {
    answering = _ -> new Reply(201, "{\"status\":{\"allowed\":true}}");
    assertThat(reviews.may(ANN, Question.queues("muster-system"))).isEqualTo(Verdict.YES);
    var spec = asked.getFirst().path("spec");
    assertThat(spec.path("user").asText()).isEqualTo("ann");
    assertThat(spec.path("uid").asText()).isEqualTo("u-1");
    assertThat(spec.path("groups")).extracting(JsonNode::asText).containsExactly("team");
    assertThat(spec.path("extra").path("scopes"))
        .extracting(JsonNode::asText)
        .containsExactly("one", "two");
    var what = spec.path("resourceAttributes");
    assertThat(what.path("verb").asText()).isEqualTo("get");
    assertThat(what.path("resource").asText()).isEqualTo("configmaps");
    assertThat(what.path("name").asText()).isEqualTo("muster-queues");
    assertThat(what.path("namespace").asText()).isEqualTo("muster-system");
  }

  @Test
  void onlyAllowedIsYes() {
    answering = _ -> new Reply(201, "{\"status\":{\"allowed\":false,\"evaluationError\":\"x\"}}");
    assertThat(reviews.may(ANN, Question.NODES)).isEqualTo(Verdict.NO);
    answering = _ -> new Reply(201, "{\"status\":{\"allowed\":false,\"denied\":true}}");
    assertThat(reviews.may(ANN, Question.NODES)).isEqualTo(Verdict.NO);
    answering = _ -> new Reply(201, "{}");
    assertThat(reviews.may(ANN, Question.NODES)).isEqualTo(Verdict.UNANSWERED);
  }
}
