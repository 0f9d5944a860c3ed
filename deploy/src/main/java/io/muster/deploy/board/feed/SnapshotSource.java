package io.muster.deploy.board.feed;

import io.muster.deploy.view.ForeseenStarts;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A snapshot, in which nothing happens any more. Safe for concurrent use. */
public final class SnapshotSource implements BoardSource {

  private final String name;
  private final ClusterView view;
  private boolean isSeen;

  /**
   * @param name of the file
   */
  public SnapshotSource(String name, ClusterView view) {
    this.name = name;
    this.view = view;
  }

  @Override
  public synchronized Optional<Seen> look() {
    if (isSeen) {
      return Optional.empty();
    }
    isSeen = true;
    var source =
        new BoardView.Source(
            BoardView.SNAPSHOT,
            name,
            false,
            view.released(),
            null,
            List.of("events are not in a snapshot, nor what a running Muster said of its gangs"),
            null);
    return Optional.of(
        new Seen(
            source,
            view.takenAt(),
            Optional.of(new Replay(view)),
            Seen.byNamespace(view.pods()),
            Map.of(),
            ForeseenStarts.of(new Replay(view))));
  }

  @Override
  public void awaitChange(Duration longest) throws InterruptedException {
    Thread.sleep(longest);
  }

  @Override
  public List<GangPage.EventRow> events(GangId gang) {
    return List.of();
  }

  @Override
  public void close() {
    // A file that has been read.
  }
}
