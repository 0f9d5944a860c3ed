package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.BoardSource;
import io.muster.deploy.board.feed.BoardView;
import io.muster.deploy.board.feed.GangPage;
import io.muster.deploy.board.feed.MadeView;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.Seen;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.board.history.Look;
import io.muster.deploy.board.history.Look.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.sandbox.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** What the page shows over time, in a Chromium. */
final class HistoryPageIT {

  private static final Path PICTURES = Path.of("target/board");
  private static final Duration DAY = Duration.ofHours(24);

  private BoardFeed feed;
  private LocalBoard server;
  private Browser browser;

  /** Shows nothing by itself. */
  private static final class Empty implements BoardSource {
    @Override
    public Optional<Seen> look() {
      return Optional.empty();
    }

    @Override
    public void awaitChange(Duration longest) throws InterruptedException {
      TimeUnit.MILLISECONDS.sleep(longest.toMillis());
    }

    @Override
    public List<GangPage.EventRow> events(io.muster.extender.core.gang.GangId gang) {
      return List.of();
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  @BeforeEach
  void openBrowser() {
    browser = Browser.open(1440, 1000);
    serve(InstantSource.system());
    Sources.publish(feed, new MadeView(50, 20).view());
  }

  private void serve(InstantSource clock) {
    var source = new Empty();
    feed = new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), clock);
    server = new LocalBoard(feed, source, Sources.whatIf(), clock, 0);
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

  /** Looks at each 10 s of so long, with half an hour in the middle in which nobody looked. */
  private void remember(Duration length) {
    var end = Instant.now();
    long steps = length.toSeconds() / 10;
    for (long step = steps; step > 0; step--) {
      var at = end.minusSeconds(10 * step);
      if (Math.abs(step - steps / 2) > 90) {
        feed.history().take(Optional.of(look(step)), at);
      }
    }
  }

  private static Look look(long step) {
    long used = 200 + Math.round(100 * Math.sin(step / 500.0));
    var gangs = new ArrayList<GangState>();
    for (int id = 0; id < 40; id++) {
      // Each waits for its turn and then runs for some minutes.
      boolean waits = (step / 10 + id * 7L) % 40 < 20 + 10 * Math.sin(step / 900.0);
      var reason = List.of("NoRoom", "Quota", "Fragmented", "HeldOff", "Topology").get(id % 5);
      gangs.add(
          new GangState(
              id,
              waits ? Phase.WAITING : Phase.RUNNING,
              waits ? reason : "Satisfied",
              Optional.empty()));
    }
    return new Look(true, Optional.of(new Look.Devices(400, used, 16, 384 - used, 24)), gangs);
  }

  private void open(String hash) {
    browser.go(server.address());
    browser.goTo(hash);
    browser.awaitText("main h2", "Over time");
  }

  private long ink() {
    return browser.number(
        "[...document.querySelectorAll('.plot canvas')].filter(c => {"
            + "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            + "return d.some((v, i) => i % 4 === 3 && v > 0)}).length");
  }

  private void awaitCharts() {
    Await.until("three charts to be drawn", Duration.ofSeconds(20), () -> ink() == 3);
  }

  @Test
  void theDayIsDrawnInBothThemesWithoutAFaultOrAComplaint() {
    remember(DAY);
    open("#/history?range=24h");
    awaitCharts();
    for (var theme : List.of("light", "dark")) {
      browser.prefer(theme);
      for (var range : List.of("1h", "6h", "24h")) {
        browser.goTo("#/history?range=" + range);
        browser.awaitText(".chart h3", startsBy(range));
        awaitCharts();
        browser.photograph(PICTURES.resolve("history-%s-%s.png".formatted(theme, range)));
        assertThat(browser.faults()).as("%s %s", theme, range).isEmpty();
      }
    }
    assertThat(browser.texts(".panelhead")).noneMatch(text -> text.contains("was started"));
    assertThat(browser.complaints()).isEmpty();
    var origin = server.address().replaceFirst("\\?.*", "");
    assertThat(browser.loaded()).allMatch(name -> name.startsWith(origin));
  }

  private static String startsBy(String range) {
    return switch (range) {
      case "1h" -> "by 1m";
      case "6h" -> "by 5m";
      default -> "by 30m";
    };
  }

  @Test
  void theTableHasTheSameAndSaysWhereNobodyLooked() {
    remember(DAY);
    open("#/history?range=24h");
    browser.click(".historytable summary");
    browser.awaitText(".historytable thead", "Of these stranded");
    var heads = browser.texts(".historytable thead th");
    assertThat(heads).contains("NoRoom", "Quota", "Fragmented", "HeldOff", "Topology");
    assertThat(browser.number("document.querySelectorAll('.historytable tbody tr').length"))
        .isBetween(48L, 49L);
    assertThat(
            browser.number(
                "[...document.querySelectorAll('.historytable tbody tr')].filter("
                    + "r => [...r.querySelectorAll('td')].every(d => d.textContent === '–')).length"))
        .as("half an hour is a gap, which may begin within an interval")
        .isBetween(0L, 1L);
    assertThat(browser.texts(".historytable tbody td")).contains("400");
    assertThat(browser.faults()).isEmpty();
  }

  @Test
  void aYoungHistorySaysSinceWhen() {
    remember(Duration.ofMinutes(40));
    open("#/history");
    browser.awaitText(".panelhead", "when the board was started");
  }

  @Test
  void theKeyboardGoesAlongTime() {
    remember(Duration.ofHours(1));
    open("#/history");
    awaitCharts();
    browser.run("document.querySelector('.plot').focus()");
    browser.keys(Keys.HOME);
    browser.awaitText(".chart [role=status]", "all 400");
    var first = browser.texts(".chart [role=status]").getFirst();
    browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
    browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
    assertThat(browser.texts(".chart [role=status]").getFirst()).isNotEqualTo(first);
    assertThat(browser.texts(".chart figcaption .muted"))
        .as("all charts show that time")
        .hasSize(3)
        .noneMatch(String::isEmpty);
    browser.keys(Keys.ESCAPE);
    assertThat(browser.texts(".chart figcaption .muted")).containsOnly("");
  }

  @Test
  void aSmallScreenHasIt() {
    browser.resize(420, 800);
    remember(DAY);
    open("#/history?range=24h");
    awaitCharts();
    browser.photograph(PICTURES.resolve("history-small.png"));
    assertThat(browser.number("document.documentElement.scrollWidth - window.innerWidth"))
        .isLessThanOrEqualTo(0);
    assertThat(browser.faults()).isEmpty();
  }

  /** A tab that is open for days: the answers of 10 days, one after the other. */
  @Test
  void whatIsKeptDoesNotGrow() {
    remember(Duration.ofHours(1));
    open("#/history");
    awaitCharts();
    var script =
        "const done = arguments[arguments.length - 1];"
            + "import(document.querySelector('script').src.replace('app.js', 'series.js'))"
            + ".then(({Series}) => {"
            + " const s = new Series(86400); const t0 = 1795000000; let asked = 0;"
            + " for (let t = t0; t < t0 + 864000; t += 90) {"
            + "  const from = s.times.length ? s.times.at(-1) : t - 86400;"
            + "  const n = Math.floor((t - from) / 90) + 1; const c = () => Array(n).fill(1);"
            + "  const m = Math.floor(t / 1800) - Math.floor(from / 1800) + 1;"
            + "  const a = () => ({stepSeconds: 90, from, now: new Date(t * 1000).toISOString(),"
            + "   began: 'b', columns: {devices: c(), running: c()}, reasons: {NoRoom: c()},"
            + "   starts: {stepSeconds: 1800, from: Math.floor(from / 1800) * 1800,"
            + "    started: Array(m).fill(1), medianWaitSeconds: Array(m).fill(null)}});"
            + "  if (!s.take(a())) asked++; }"
            + " done([s.times.length, s.columns.devices.length, s.reasons.NoRoom.length,"
            + "  s.startTimes.length, s.started.length, asked,"
            + "  new Set(s.times).size, s.times.every((v, i) => !i || v === s.times[i - 1] + 90)]);})";
    var sizes = (List<?>) browser.runUntilCalled(script);
    assertThat(sizes.subList(0, 3))
        .allSatisfy(size -> assertThat((Long) size).isBetween(959L, 961L));
    assertThat(sizes.subList(3, 5)).allSatisfy(size -> assertThat((Long) size).isBetween(47L, 49L));
    assertThat(sizes.get(5)).as("never asked for anew").isEqualTo(0L);
    assertThat(sizes.get(6)).isEqualTo(sizes.get(0));
    assertThat(sizes.get(7)).isEqualTo(true);
  }

  @Test
  void itIsAskedForWhileItIsShownAndNoLonger() throws InterruptedException {
    remember(Duration.ofHours(1));
    open("#/history");
    awaitCharts();
    TimeUnit.SECONDS.sleep(12);
    long asked = asked();
    assertThat(asked).isBetween(2L, 3L);
    assertThat(
            (String)
                browser.run(
                    "return performance.getEntriesByType('resource').map(e => e.name)"
                        + ".filter(n => n.includes('history?')).at(-1)"))
        .contains("step=10");
    browser.goTo("#/line");
    browser.awaitText("main h2", "Line");
    TimeUnit.SECONDS.sleep(12);
    assertThat(asked()).isEqualTo(asked);
  }

  private long asked() {
    return browser.number(
        "performance.getEntriesByType('resource').filter(e => e.name.includes('history?')).length");
  }

  @Test
  void hoursAreThoseOfTheReader() {
    remember(DAY);
    browser.moveTo("Asia/Kolkata");
    open("#/history?range=24h");
    awaitCharts();
    browser.run("document.querySelector('.plot').focus()");
    browser.keys(Keys.HOME);
    var said = browser.texts(".chart [role=status]").getFirst();
    var there =
        (String)
            browser.run(
                "return new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit'})"
                    + ".format(Date.now() - 86400000)");
    assertThat(minutes(said)).isCloseTo(minutes(there), org.assertj.core.data.Offset.offset(3));
  }

  /** In the night in which an hour comes twice, and in the one in which one is left out. */
  @Test
  void hoursThatComeTwiceAreToldApart() {
    browser.moveTo("Europe/Berlin");
    open("#/history");
    for (var night : List.of("2026-10-25T00:00:00Z", "2026-03-29T00:00:00Z")) {
      var labels =
          (List<?>)
              browser.runUntilCalled(
                  "const done = arguments[1]; const from = Date.parse(arguments[0]) / 1000;"
                      + "import(document.querySelector('script').src.replace('app.js', 'charts.js'))"
                      + ".then(({timeLabels}) => done(timeLabels([0, 1, 2, 3, 4].map("
                      + "i => from + i * 3600)).map(l => l.split('\\n')[0])))",
                  night);
      assertThat(labels).hasSize(5).doesNotHaveDuplicates();
      assertThat(labels.stream().map(Object::toString)).allMatch(label -> label.contains("GMT+"));
    }
  }

  /** As somebody does who looks at everything for days. */
  @Test
  void chartsThatAreGoneLeaveNothingBehind() {
    remember(DAY);
    open("#/history?range=24h");
    awaitCharts();
    comeAndGo(5);
    double before = browser.heap();
    comeAndGo(60);
    double after = browser.heap();
    System.out.printf("history: heap %.1f MB, after 60 visits %.1f MB%n", before, after);
    assertThat(after).isLessThan(before + 5);
    assertThat(browser.complaints()).isEmpty();
  }

  private void comeAndGo(int times) {
    for (int i = 0; i < times; i++) {
      browser.goTo("#/line");
      browser.awaitText("main h2", "Line");
      browser.goTo("#/history?range=" + List.of("1h", "6h", "24h").get(i % 3));
      browser.awaitText(".chart h3", startsBy(List.of("1h", "6h", "24h").get(i % 3)));
    }
  }

  private static int minutes(String text) {
    var clock = java.util.regex.Pattern.compile("(\\d{1,2}):(\\d{2})\\s?([AP]M)").matcher(text);
    assertThat(clock.find()).as(text).isTrue();
    int hour = Integer.parseInt(clock.group(1)) % 12 + (clock.group(3).equals("PM") ? 12 : 0);
    return hour * 60 + Integer.parseInt(clock.group(2));
  }

  @Test
  void gangsAreCountedFromWhatTheFeedPublishes() {
    feed.start();
    open("#/history");
    awaitCharts();
    browser.awaitText(".chart", "NoRoom");
    assertThat(IntStream.range(0, 20).filter(id -> id % 3 != 0).count()).isEqualTo(13);
    browser.awaitText(".chart", "13");
  }

  /** Nothing happens in it. */
  @Test
  void aSnapshotHasNone() {
    var view = new MadeView(5, 2).view();
    var source = new BoardView.Source("snapshot", "lab.json", false, false, null, List.of(), null);
    Sources.publish(
        feed,
        new BoardView(
            1,
            "run",
            99,
            view.asOf(),
            source,
            view.totals(),
            view.devices(),
            view.nodes(),
            view.gangs(),
            view.queues()));
    open("#/history");
    browser.awaitText(".history", "A snapshot has no history");
    assertThat(asked()).isZero();
    assertThat(browser.faults()).isEmpty();
  }
}
