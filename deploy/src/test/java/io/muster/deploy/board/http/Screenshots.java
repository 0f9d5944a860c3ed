package io.muster.deploy.board.http;

import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.SnapshotSource;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.view.ClusterSight;
import java.nio.file.Path;
import java.time.InstantSource;

/** Makes the pictures of the documentation: arguments are a snapshot and where they are kept. */
public final class Screenshots {

  private static final int WIDTH = 1440;
  private static final int HEIGHT = 900;

  private Screenshots() {}

  public static void main(String[] arguments) throws ClusterSight.NoSightException {
    var snapshot = Path.of(arguments[0]);
    var folder = Path.of(arguments[1]);
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
      browser.photograph(folder.resolve("board-light.png"));
      browser.prefer("dark");
      browser.awaitText("main", "Line");
      browser.photograph(folder.resolve("board-dark.png"));
    }
    System.exit(0);
  }
}
