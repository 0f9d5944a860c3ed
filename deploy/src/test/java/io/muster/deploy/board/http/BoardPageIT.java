package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.BoardSource;
import io.muster.deploy.board.feed.GangPage;
import io.muster.deploy.board.feed.MadeView;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.Seen;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.view.Views;
import io.muster.extender.core.gang.GangId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page in a Chromium, by itself: what it shows is made up. */
final class BoardPageIT {

  private static final Path PICTURES = Path.of("target/board");

  /** Each with what it shows. */
  private static final Map<String, String> SIGHTS =
      Map.of(
          "#/", "train/waits",
          "#/map", "Color by",
          "#/line", "train/waits",
          "#/queues", "asked for by 1 gang",
          "#/gangs/train/waits", "waits-0");

  private BoardFeed feed;
  private LocalBoard server;
  private Browser browser;

  /** A source in which nothing happens by itself. */
  record Still(Optional<Seen> seen) implements BoardSource {
    @Override
    public Optional<Seen> look() {
      return seen;
    }

    @Override
    public void awaitChange(Duration longest) throws InterruptedException {
      TimeUnit.HOURS.sleep(1);
    }

    @Override
    public List<GangPage.EventRow> events(GangId gang) {
      return List.of(
          new GangPage.EventRow("2026-11-22T05:59:00Z", "Warning", "Why", "it waits", 2));
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  @BeforeEach
  void openBrowser() {
    browser = Browser.open(1440, 900);
  }

  @AfterEach
  void stop() {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      feed.close();
      server.close();
    }
  }

  private void show(Optional<Seen> seen) {
    var source = new Still(seen);
    feed = new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), InstantSource.system());
    server = new LocalBoard(feed, source, Sources.whatIf(), InstantSource.system(), 0);
    feed.start();
  }

  private static Map<String, String> gang(String name, int min) {
    return Map.of("muster.io/gang-name", name, "muster.io/gang-min", "" + min);
  }

  private static Views cluster() {
    return new Views()
        .node("node-a", 8)
        .node("node-b", 8)
        .pod("runs-0", 8, "node-a", gang("runs", 2))
        .pod("runs-1", 4, "node-b", gang("runs", 2))
        .pod("waits-0", 8, "", gang("waits", 2))
        .pod("waits-1", 8, "", gang("waits", 2));
  }

  /** B12. */
  @Test
  void nothingIsLoadedFromElsewhereAndNothingIsComplainedOf() {
    show(Optional.of(Sources.seen(Sources.NOT_LED, cluster())));
    browser.go(server.address());
    SIGHTS.forEach((sight, shown) -> {
      browser.goTo(sight);
      browser.awaitText("main", shown);
    });

    var origin = server.address().replaceFirst("\\?.*", "");
    assertThat(browser.loaded()).hasSizeGreaterThan(20).allMatch(name -> name.startsWith(origin));
    assertThat(browser.complaints()).isEmpty();
  }

  /** B7: axe-core finds nothing, in both themes. */
  @Test
  void noSightHasAFaultForReadersOfScreens() {
    show(Optional.of(Sources.seen(Sources.NOT_LED, cluster())));
    browser.go(server.address());
    for (var theme : List.of("light", "dark")) {
      browser.prefer(theme);
      SIGHTS.forEach((sight, shown) -> {
        browser.goTo(sight);
        browser.awaitText("main", shown);
        browser.photograph(PICTURES.resolve(theme + sight.replace('/', '-') + ".png"));
        assertThat(browser.faults()).as("%s, %s", sight, theme).isEmpty();
      });
    }
  }

  /** B7: everything by keyboard. */
  @Test
  void theKeyboardAloneFindsAGangAndPinsIt() {
    show(Optional.of(Sources.seen(Sources.NOT_LED, cluster())));
    browser.go(server.address());
    browser.awaitText(".message", "no room for 2 members together");

    browser.keys("/");
    browser.keys("runs");
    browser.awaitText("main", "No gang here passes the filters.");
    browser.keys(Keys.ESCAPE);
    browser.awaitText(".message", "no room for 2 members together");

    for (int presses = 0; presses < 60 && !isOnMap(); presses++) {
      browser.keys(Keys.TAB);
    }
    assertThat(isOnMap()).as("the map is reached by Tab").isTrue();
    browser.keys(Keys.ARROW_RIGHT);
    browser.awaitText(".mapbox [role=status]", "node-a, ready, 0 of 8 devices free, train/runs 8");
    browser.keys(Keys.ARROW_RIGHT);
    browser.awaitText(".mapbox [role=status]", "node-b, ready, 4 of 8 devices free, train/runs 4");
    browser.keys(Keys.ENTER);
    browser.awaitText("body", "train/runs");
    assertThat((String) browser.run("return location.hash")).contains("pin=train%2Fruns");
    browser.keys(Keys.ESCAPE);
    assertThat((String) browser.run("return location.hash")).doesNotContain("pin=");
  }

  private boolean isOnMap() {
    return (Boolean)
        browser.run("return document.activeElement.querySelector(':scope > canvas') !== null");
  }

  @Test
  void aThemeIsChosenWhereTheBrowserStoresNothing() {
    browser.runFirst(
        "for (const way of ['getItem', 'setItem', 'removeItem']) {"
            + " Storage.prototype[way] = () => { throw new Error('SecurityError'); }; }");
    show(Optional.of(Sources.seen(Sources.NOT_LED, cluster())));
    browser.go(server.address());
    browser.awaitText(".message", "no room for 2 members together");
    for (var theme : List.of("dark", "light")) {
      browser.run(
          "const choice = document.querySelector('select.theme'); choice.value = arguments[0];"
              + "choice.dispatchEvent(new Event('change', {bubbles: true}))",
          theme);
      assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo(theme);
    }
  }

  /** B6. */
  @Test
  void namesThatMeanHarmAreTextAndTheLayoutHolds() {
    var longest = "x".repeat(253);
    var names =
        List.of(
            "<img src=x onerror=document.title='harmed'>",
            "\"'><script>document.title='harmed'</script>",
            "javascript:document.title='harmed'",
            "\u202Eright-to-left \u05D0\u05D1\u05D2",
            "🚀".repeat(60),
            "${7*7}{{7*7}}",
            longest);
    var views = new Views().node("node-a", 8);
    for (var name : names) {
      views.pod("p" + names.indexOf(name), 8, "", gang(name, 2));
    }
    show(Optional.of(Sources.seen(Sources.NOT_LED, views)));
    browser.go(server.address());
    browser.goTo("#/line");
    for (var name : names) {
      browser.awaitText(".gangcell", name);
    }
    assertThat(browser.number("document.querySelectorAll('main img, main script').length"))
        .isZero();
    for (var width : List.of(1440, 600)) {
      browser.resize(width, 900);
      assertThat(browser.number("document.documentElement.scrollWidth - window.innerWidth"))
          .as("nothing sticks out at %d", width)
          .isLessThanOrEqualTo(0);
    }
    browser.run(
        "location.hash = '#/gangs/train/' + encodeURIComponent(arguments[0])", names.getFirst());
    browser.awaitText("main h2", names.getFirst());
    assertThat((String) browser.run("return document.title")).doesNotContain("harmed'<");
    assertThat(browser.complaints()).isEmpty();
  }

  /** What a small screen shows. */
  @Test
  void aSmallScreenHasTheGangsAndNoMap() {
    browser.resize(420, 800);
    show(Optional.of(Sources.seen(Sources.NOT_LED, cluster())));
    browser.go(server.address());
    browser.awaitText(".message", "no room for 2 members together");
    browser.photograph(PICTURES.resolve("small.png"));

    assertThat(browser.number("document.querySelectorAll('canvas').length")).isZero();
    assertThat(browser.faults()).isEmpty();
  }

  @Test
  void thatTheCommandHasEndedIsSaid() {
    show(Optional.of(Sources.seen(Sources.NOT_LED, cluster())));
    browser.go(server.address());
    browser.awaitText(".message", "no room for 2 members together");

    feed.close();
    server.close();
    browser.awaitText("body", "Connection lost, as of ");
    assertThat(browser.texts(".message")).as("what was known stays").isNotEmpty();
  }

  /** B2, short. */
  @Test
  void aLargeClusterThatChangesAllTheTimeIsFollowed() throws InterruptedException {
    follow(Duration.ofSeconds(20));
  }

  /** B2. */
  @Test
  @Tag("long")
  void aLargeClusterThatChangesAllTheTimeIsFollowedForMinutes() throws InterruptedException {
    follow(Duration.ofMinutes(5));
  }

  private void follow(Duration length) throws InterruptedException {
    show(Optional.empty());
    var made = new MadeView(5_000, 2_000);
    Sources.publish(feed, made.view());
    browser.go(server.address());
    browser.awaitText("body", "40,000");
    browser.run(
        "window.long = []; new PerformanceObserver(l => l.getEntries().forEach("
            + "e => window.long.push(e.duration))).observe({type: 'longtask'})");
    long whole = browser.number("performance.getEntriesByName('board:map-whole').at(-1).duration");

    long until = System.nanoTime() + length.toNanos();
    while (System.nanoTime() - until < 0) {
      Sources.publish(feed, made.changed(64));
      TimeUnit.MILLISECONDS.sleep(20);
    }
    var last = made.changed(64);
    Sources.publish(feed, last);
    io.muster.sandbox.Await.until(
        "the page to know the last change",
        Duration.ofSeconds(30),
        () ->
            browser.texts("body").getFirst().contains("as of change")
                || !browser.texts(".message").isEmpty());

    var figures =
        (Map<?, ?>)
            browser.run(
                "const d = n => performance.getEntriesByName(n).map(e => e.duration)"
                    + ".sort((a, b) => a - b);"
                    + "const c = d('board:map-change');"
                    + "return {changes: c.length, median: c[c.length >> 1] || 0,"
                    + " worst: c.at(-1) || 0, long: Math.max(0, ...window.long),"
                    + " heap: performance.memory.usedJSHeapSize / 1e6}");
    System.out.printf(
        "board: whole map %d ms; %s changes drawn, median %.1f ms, worst %.1f ms;"
            + " longest task %.0f ms; heap %.0f MB%n",
        whole,
        figures.get("changes"),
        ((Number) figures.get("median")).doubleValue(),
        ((Number) figures.get("worst")).doubleValue(),
        ((Number) figures.get("long")).doubleValue(),
        ((Number) figures.get("heap")).doubleValue());
    assertThat(((Number) figures.get("changes")).longValue())
        .as("the map follows")
        .isGreaterThan(length.toSeconds());
    assertThat(((Number) figures.get("heap")).doubleValue()).isLessThan(250);
    assertThat(browser.complaints()).isEmpty();
  }
}
