package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.Seen;
import io.muster.deploy.board.feed.SnapshotSource;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.view.Views;
import io.muster.sandbox.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The sight "What if" in a Chromium. */
final class WhatIfPageIT {

  private static final Path PICTURES = Path.of("target/board");
  private static final Duration SOON = Duration.ofSeconds(20);

  private BoardFeed feed;
  private LocalBoard server;
  private Browser browser;

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

  private void show(Seen seen) {
    var source = new BoardPageIT.Still(Optional.of(seen));
    feed = new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), InstantSource.system());
    server = new LocalBoard(feed, source, Sources.whatIf(), InstantSource.system(), 0);
    feed.start();
    browser.go(server.address());
    browser.goTo("#/whatif");
    browser.awaitText("h2", "What if");
  }

  private static Seen cluster() {
    return Sources.seen(
        Sources.NOT_LED,
        new Views()
            .node("node-a", 8)
            .node("node-b", 8)
            .pod("runs-0", 8, "node-a", gang("runs", 2))
            .pod("runs-1", 4, "node-b", gang("runs", 2)));
  }

  private static Map<String, String> gang(String name, int min) {
    return Map.of("muster.io/gang-name", name, "muster.io/gang-min", "" + min);
  }

  /** As somebody types it, in place of what is there. */
  private void type(String name, CharSequence text) {
    browser.run(
        "const e = document.getElementById(arguments[0]); e.focus(); if (e.select) e.select()",
        "ask-" + name);
    browser.keys(text.isEmpty() ? Keys.BACK_SPACE : text);
  }

  private void ask() {
    browser.click("button.ask");
  }

  @Test
  void theFormIsAnsweredWithPlacesThatAreLitUpOnTheMap() {
    show(cluster());
    var unlit = lights();
    type("members", "2");
    type("devicesEach", "2");
    ask();

    browser.awaitText(".told", "would start now: there is room for all");
    browser.awaitText(".told .phase", "Starts now");
    assertThat(browser.texts(".places li")).containsExactly("node-b2 members");
    Await.until("the map to light up the place", SOON, () -> lights() > unlit);
    assertThat(browser.complaints()).isEmpty();
  }

  /** How much there is on the canvas of highlights. */
  private long lights() {
    return browser.number(
        """
        (() => {
          const c = document.querySelectorAll('.canvases canvas')[1];
          const copy = new OffscreenCanvas(c.width, c.height)
            .getContext('2d', {willReadFrequently: true});
          copy.drawImage(c, 0, 0);
          return copy.getImageData(0, 0, c.width, c.height).data
            .reduce((sum, part) => sum + (part ? 1 : 0), 0);
        })()\
        """);
  }

  @Test
  void whatHasToEndFirstLeadsToItsPageAndTheFormIsStillFilledAfterwards() {
    show(cluster());
    type("members", "2");
    type("devicesEach", "8");
    ask();
    browser.awaitText(".told", "would start once gang train/runs (for 10m here) has ended; now: ");
    browser.photograph(PICTURES.resolve("light-#-whatif-after.png"));
    browser.click(".places .ganglink");
    browser.awaitText("main h2", "train/runs");

    browser.goTo("#/whatif");
    browser.awaitText(".told", "would start once gang train/runs");
    assertThat((String) browser.run("return document.getElementById('ask-devicesEach').value"))
        .isEqualTo("8");
  }

  @Test
  void moreNodesChangeTheAnswerByThemselves() {
    show(cluster());
    type("members", "2");
    type("devicesEach", "8");
    ask();
    browser.awaitText(".told", "would start once gang train/runs");

    browser.run("document.querySelector('input[type=range]').focus()");
    browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
    browser.awaitText(".told", "would start now");
    browser.awaitText(".told", "with 2 more nodes like node-a");
    assertThat(browser.texts(".places li"))
        .containsExactly("node-a+1new1 member", "node-a+2new1 member");
  }

  @Test
  void aManifestIsAnswered() {
    show(cluster());
    browser.click(".askform .choice button:nth-child(2)");
    type(
        "manifest",
        "{kind: Job, metadata: {name: new}, spec: {parallelism: 2, template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 9}}}]}}}}");
    ask();
    browser.awaitText(".told", "would never start: not even on empty nodes: 0/2 nodes");
    browser.awaitText(".told .phase", "Never starts");

    type("manifest", "kind: [");
    ask();
    browser.awaitText("#ask-problem", "line 1: no valid YAML");
  }

  @Test
  void whatIsWrongIsSaidAtItsFieldAndReadOut() {
    show(cluster());
    type("members", "0");
    ask();

    browser.awaitText("#ask-problem", "whole number from 1 to 5000, not 0");
    browser.awaitText("[role=status]", "whole number from 1 to 5000, not 0");
    assertThat((String) browser.run("return document.activeElement.id")).isEqualTo("ask-members");
    assertThat(
            (String)
                browser.run(
                    "const e = document.activeElement;"
                        + "return e.ariaInvalid + ' ' + e.getAttribute('aria-describedby')"))
        .isEqualTo("true ask-problem");
    assertThat(browser.faults()).isEmpty();
    type("members", "1");
    assertThat(browser.texts("#ask-problem")).isEmpty();
    type("nodeSelector", "po$l=a");
    ask();
    browser.awaitText("#ask-problem", "po$l has to be a label of nodes");
  }

  @Test
  void theKeyboardAloneAsks() {
    show(cluster());
    for (int presses = 0; presses < 60 && !isOn("ask-members"); presses++) {
      browser.keys(Keys.TAB);
    }
    assertThat(isOn("ask-members")).as("the form is reached by Tab").isTrue();
    browser.keys("1", Keys.ENTER);
    browser.awaitText(".told", "would start now");
  }

  private boolean isOn(String id) {
    return id.equals(browser.run("return document.activeElement.id"));
  }

  @Test
  void aServerThatIsBusyIsAskedAgain() {
    show(cluster());
    browser.run(
        """
        const real = window.fetch;
        window.asked = 0;
        window.fetch = (...all) => window.asked++ > 0 ? real(...all)
          : Promise.resolve(new Response('{"message": "busy: others are being answered"}',
            {status: 503, headers: {'Retry-After': '1'}}));
        """);
    ask();
    browser.awaitText(".told", "busy: others are being answered. Trying again");
    browser.awaitText(".told", "would start now");
    assertThat(browser.number("window.asked")).isEqualTo(2);
  }

  /** B6. */
  @Test
  void namesThatMeanHarmAreText() {
    var name = "<img src=x onerror=document.title='harmed'>";
    show(
        Sources.seen(
            Sources.NOT_LED, new Views().node("node-a", 8).pod("p", 8, "node-a", gang(name, 1))));
    type("devicesEach", "2");
    ask();
    browser.awaitText(".told", "would start once gang train/" + name);
    browser.awaitText(".places .ganglink", name);
    assertThat(browser.number("document.querySelectorAll('main img').length")).isZero();
    assertThat((String) browser.run("return document.title")).isEqualTo("Muster board");
  }

  /** B7. */
  @Test
  void readersOfScreensFindNoFaultInEitherTheme() {
    show(cluster());
    for (var theme : List.of("light", "dark")) {
      browser.prefer(theme);
      for (var each : List.of("2", "8")) {
        type("members", "2");
        type("devicesEach", each);
        ask();
        browser.awaitText(".told .phase", each.equals("2") ? "now" : "after other gangs");
        browser.photograph(PICTURES.resolve(theme + "-#-whatif-" + each + ".png"));
        assertThat(browser.faults()).as("%s, %s", theme, each).isEmpty();
      }
      browser.click(".askform .choice button:nth-child(2)");
      browser.awaitText("label", "Manifests of pods");
      assertThat(browser.faults()).as("%s, manifest", theme).isEmpty();
      browser.click(".askform .choice button:nth-child(1)");
    }
  }

  @Test
  void aSmallScreenHasTheFormAndTheAnswer() {
    browser.resize(420, 800);
    show(cluster());
    ask();
    browser.awaitText(".told", "would start now");
    browser.run("document.querySelector('.answer').scrollIntoView()");
    browser.photograph(PICTURES.resolve("small-whatif.png"));

    assertThat(browser.number("document.querySelectorAll('canvas').length")).isZero();
    assertThat(browser.number("document.documentElement.scrollWidth - window.innerWidth"))
        .isLessThanOrEqualTo(0);
    assertThat(browser.faults()).isEmpty();
  }

  /** A snapshot is asked about as a cluster is. */
  @Test
  void aSnapshotIsAnsweredOfItsOwnTime() throws InterruptedException {
    var view = new Views().node("node-a", 8).runs("old", "node-a", 8).view();
    show(new SnapshotSource("file.json", view).look().orElseThrow());
    ask();
    browser.awaitText(".told", "would start once gang train/old (for 10m here) has ended");
    browser.awaitText(".answer .panelhead", "as of ");
  }
}
