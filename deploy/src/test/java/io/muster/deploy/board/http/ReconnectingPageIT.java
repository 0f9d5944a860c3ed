package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.view.Views;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page in a Chromium where it does not get at once what it asks for. */
final class ReconnectingPageIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int MOST_WINDOWS = 10;
  private static final String GANG = "#/gangs/train/waits";

  private BoardFeed feed;
  private LocalBoard server;
  private Browser browser;

  /** Streams of others. */
  private static final class Windows implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<InputStream> streams = new ArrayList<>();

    void open(HttpRequest stream, int count) throws IOException, InterruptedException {
      for (int i = 0; i < count; i++) {
        streams.add(client.send(stream, BodyHandlers.ofInputStream()).body());
      }
    }

    @Override
    public void close() {
      client.shutdownNow();
    }
  }

  @BeforeEach
  void show() {
    browser = Browser.open(1440, 900);
    var waits = Map.of("muster.io/gang-name", "waits", "muster.io/gang-min", "1");
    var views = new Views().node("node-a", 8).pod("waits-0", 16, "", waits);
    var source = new BoardPageIT.Still(Optional.of(Sources.seen(Sources.NOT_LED, views)));
    feed = new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), InstantSource.system());
    server = new LocalBoard(feed, source, Sources.whatIf(), InstantSource.system(), 0);
    feed.start();
  }

  @AfterEach
  void stop() {
    if (browser != null) {
      browser.close();
    }
    feed.close();
    server.close();
  }

  /** As when the links of several gangs are clicked with Ctrl: a browser has six connections. */
  @Test
  void aPageThatIsOpenedInTheBackgroundConnectsWhenItIsLookedAt() {
    browser.runFirst(
        "window.streams = 0; window.isHidden = true;"
            + "Object.defineProperty(document, 'hidden', {get: () => window.isHidden});"
            + "const Real = EventSource; window.EventSource = class extends Real {"
            + " constructor(address) { super(address); window.streams++; }}");
    browser.go(server.address());
    browser.goTo(GANG);
    browser.reload();
    browser.awaitText(".opening", "The cluster is being read");
    assertThat(browser.number("window.streams")).isZero();
    assertThat((String) browser.run("return document.title"))
        .as("windows are told apart by it")
        .isEqualTo("train/waits – Muster board");

    browser.run("isHidden = false; document.dispatchEvent(new Event('visibilitychange'))");
    browser.awaitText("main", "waits-0");
    assertThat(browser.number("window.streams")).isOne();
  }

  @Test
  void whoHasTooManyWindowsOpenIsToldSo() throws IOException, InterruptedException {
    browser.go(server.address());
    browser.awaitText(".message", "no room");
    var stream =
        HttpRequest.newBuilder(URI.create(server.address()).resolve("/api/v1/stream"))
            .header("Cookie", browser.cookies())
            .build();
    try (var windows = new Windows()) {
      windows.open(stream, MOST_WINDOWS);
      browser.reload();
      browser.awaitText(".notices", "trying again: too many windows are open: 100 in all or 10 of");
    }
    Await.until("a connection", SOON, () -> browser.texts(".notices").contains(""));
    browser.awaitText(".message", "no room");
  }

  /** As over a connection that is dead. */
  @Test
  void aWhatIfThatIsNeverAnsweredMayBeAskedAgain() {
    browser.runFirst(
        "const real = fetch; let asked = 0; window.fetch = (address, how) =>"
            + " address === '/api/v1/fit' && asked++ === 0 ? new Promise((_, fail) =>"
            + " how.signal.addEventListener('abort', () => fail(new Error('aborted'))))"
            + " : real(address, how)");
    browser.go(server.address());
    browser.goTo("#/whatif");
    browser.click("button.ask");
    browser.awaitText(".told", "Asking…");
    browser.awaitText(".told", "The server cannot be asked now.");
    browser.click("button.ask");
    browser.awaitText(".told", "Starts now");
  }

  /** Nothing happens to the gang for which the page would ask again. */
  @Test
  void aGangThatCouldNotBeReadIsReadAgain() {
    browser.runFirst(
        "const real = fetch; let asked = 0; window.fetch = (address, how) =>"
            + " address.startsWith('/api/v1/gangs/') && asked++ === 0"
            + " ? Promise.resolve(Response.json({message: 'others are read'}, {status: 503}))"
            + " : real(address, how)");
    browser.go(server.address());
    browser.goTo(GANG);
    browser.awaitText("main", "others are read");
    browser.awaitText("main", "kubectl -n train describe pod waits-0");
    assertThat(browser.texts("main")).noneMatch(text -> text.contains("others are read"));
  }
}
