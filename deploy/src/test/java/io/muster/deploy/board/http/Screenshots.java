package io.muster.deploy.board.http;

import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.SnapshotSource;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.view.ClusterSight;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/** Makes the pictures of the documentation: arguments are a snapshot and where they are kept. */
public final class Screenshots {

  private static final int WIDTH = 1440;
  private static final int HEIGHT = 900;
  private static final Duration SOON = Duration.ofSeconds(20);

  private Screenshots() {}

  public static void main(String[] arguments) throws ClusterSight.NoSightException {
    make(Path.of(arguments[0]), Path.of(arguments[1]));
    System.exit(0);
  }

  /** Makes them of a snapshot, and puts them into a folder. */
  static void make(Path snapshot, Path folder) throws ClusterSight.NoSightException {
    var source =
        new SnapshotSource(snapshot.getFileName().toString(), ClusterSight.ofFile(snapshot));
    var feed =
        new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), InstantSource.system());
    try (var server = new LocalBoard(feed, source, Sources.whatIf(), InstantSource.system(), 0);
        feed;
        var browser = Browser.open(WIDTH, HEIGHT)) {
      feed.start();
      browser.resize(WIDTH, HEIGHT);
      browser.prefer("light");
      browser.go(server.address());
      browser.awaitText(".message", "");
      browser.awaitText(".notice", "left out");
      photograph(browser, folder.resolve("board-light.png"));
      browser.prefer("dark");
      photograph(browser, folder.resolve("board-dark.png"));
    }
  }

  /** When nothing moves any more. */
  private static void photograph(Browser browser, Path file) {
    browser.photograph(file);
    var last = new AtomicReference<>(read(file));
    Await.until(
        "the page to be still",
        SOON,
        () -> {
          browser.photograph(file);
          var now = read(file);
          return Arrays.equals(now, last.getAndSet(now));
        });
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
