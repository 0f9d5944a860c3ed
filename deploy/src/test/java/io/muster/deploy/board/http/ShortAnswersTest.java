package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.ServerNames;
import io.muster.deploy.board.access.Access;
import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.view.Views;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over real connections, that are as mean as they may be. */
final class ShortAnswersTest {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final Duration LONGEST = Duration.ofSeconds(2);
  private static final Duration LATER = Duration.ofSeconds(6);
  private static final Duration STEP = Duration.ofMillis(200);
  private static final int STREAMS = 16;

  private BoardFeed feed;
  private BoardServer server;

  /** Lets in whoever asks for the live view, and nobody else. */
  private static final class Doorkeeper implements Entrance {

    private static final Viewer SOMEBODY =
        new Viewer() {
          @Override
          public Access access() {
            return Access.ALL;
          }

          @Override
          public String account() {
            return "somebody";
          }

          @Override
          public boolean isIn() {
            return true;
          }
        };

    @Override
    public Optional<Admission.Refused> barred(Context context) {
      return Optional.empty();
    }

    @Override
    public Admission admit(Context context) {
      return context.path().endsWith("/stream")
          ? new Admission.Admitted(SOMEBODY)
          : new Admission.Refused(HttpStatus.UNAUTHORIZED, "sign in to see the board");
    }

    @Override
    public boolean opens(Context context) {
      return false;
    }

    @Override
    public void addTo(JavalinConfig java) {
      // Nobody signs in.
    }
  }

  @BeforeEach
  void start() {
    var certificates =
        Certificates.ensure(new InMemoryCertificateStore(), ServerNames.of("localhost"), CLOCK);
    var source =
        new BoardPageIT.Still(
            Optional.of(Sources.seen(Sources.NOT_LED, new Views().node("node-a", 8))));
    feed = new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), CLOCK);
    server =
        new BoardServer(
            feed,
            source,
            new Doorkeeper(),
            Sources.whatIf(),
            Optional.empty(),
            CLOCK,
            java ->
                TlsListener.on("127.0.0.1", 0, certificates, ClientAuth.NONE)
                    .withMaxConcurrentStreams(STREAMS)
                    .install(java),
            LONGEST);
    feed.start();
  }

  @AfterEach
  void stop() {
    feed.close();
    server.close();
  }

  private Http2Connection connect(int window) throws IOException {
    return new Http2Connection(server.port(), window);
  }

  private String authority() {
    return "localhost:" + server.port();
  }

  /** Takes a byte of an answer now and then; whether the server has ended that. */
  private static boolean isCut(Http2Connection connection, int streams) throws IOException {
    long until = System.nanoTime() + LATER.toNanos();
    while (System.nanoTime() - until < 0) {
      if (connection.isClosedWithin(STEP)) {
        return true;
      }
      try {
        connection.ping();
        for (int i = 0; i < streams; i++) {
          connection.takeOne(1 + 2 * i);
        }
      } catch (IOException _) {
        return true;
      }
    }
    return false;
  }

  @Test
  void answersThatNobodyReadsAreEnded() throws IOException {
    for (var path : new String[] {"/", "/api/v1/view", "/nowhere"}) {
      try (var connection = connect(0)) {
        for (int i = 0; i < STREAMS; i++) {
          connection.get(1 + 2 * i, path, authority());
        }
        long began = System.nanoTime();
        assertThat(isCut(connection, STREAMS)).as(path).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
            .as("%s had its time", path)
            .isGreaterThan(LONGEST.dividedBy(2));
      }
    }
  }

  @Test
  void aConnectionOnWhichAnswersAreReadStaysAndSoDoesTheLiveView() throws IOException {
    try (var connection = connect(100)) {
      connection.get(1, "/nowhere", authority());
      connection.get(3, "/api/v1/stream", authority());
      assertThat(isCut(connection, 0)).isFalse();
    }
  }
}
