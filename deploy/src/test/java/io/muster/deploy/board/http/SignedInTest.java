package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.muster.deploy.board.access.AccessSettings;
import io.muster.deploy.board.access.Identity;
import io.muster.deploy.board.access.Question;
import io.muster.deploy.board.access.Reviews;
import io.muster.deploy.board.access.SignIn;
import io.muster.deploy.board.access.Token;
import io.muster.extender.http.Servers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cookie of a session, at an API server that knows every token. */
final class SignedInTest {

  private static final AccessSettings SETTINGS =
      new AccessSettings("muster-system", 50, 200, 0, Duration.ZERO, 10);

  /** Whoever comes is Ana, who may do nothing. */
  private static final class Everybody implements Reviews {
    @Override
    public Answer authenticate(Token token) {
      return new Answer.Known(new Identity("ana", "", Set.of(), Map.of()));
    }

    @Override
    public Verdict may(Identity who, Question what) {
      return Verdict.NO;
    }
  }

  private Javalin server;

  @BeforeEach
  void start() {
    var signedIn =
        new SignedIn(SignIn.start(new Everybody(), SETTINGS, Set::of, InstantSource.system()));
    server =
        Servers.of(java -> {
          java.jetty.host = "127.0.0.1";
          java.jetty.port = 0;
          signedIn.addTo(java);
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  private HttpRequest.Builder session() {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:%d/api/v1/session".formatted(server.port())));
  }

  /** What the browser is told to keep. */
  private static String cookie(HttpRequest request) throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      var answer = client.send(request, HttpResponse.BodyHandlers.discarding());
      assertThat(answer.statusCode()).isEqualTo(204);
      return answer.headers().firstValue("Set-Cookie").orElseThrow();
    }
  }

  @Test
  void whoSignsOutLosesTheCookieThatTheyGot() throws IOException, InterruptedException {
    var given =
        cookie(
            session()
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"token\": \"of-ana\"}"))
                .build());
    var value = given.substring(0, given.indexOf(';'));
    var name = value.substring(0, value.indexOf('='));
    assertThat(name).isEqualTo(SignedIn.COOKIE + "-" + server.port());

    assertThat(cookie(session().header("Cookie", value).DELETE().build()))
        .startsWith(name + "=;")
        .endsWith("; Max-Age=0");
  }
}
