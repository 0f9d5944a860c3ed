package io.muster.deploy.board.feed;

import io.muster.deploy.board.whatif.WhatIf;
import io.muster.deploy.config.Config;
import io.muster.deploy.view.Fitting;
import io.muster.deploy.view.Views;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What sources of a board may have seen. */
public final class Sources {

  public static final BoardView.Source LED =
      new BoardView.Source("cluster", "lab", true, false, null, List.of(), null);
  public static final BoardView.Source NOT_LED =
      new BoardView.Source("cluster", "lab", false, false, null, List.of(), null);

  private Sources() {}

  /** With the settings that a command has by itself. */
  public static WhatIf whatIf() {
    return new WhatIf(new Fitting(Config.load(Optional.empty(), Map.of())));
  }

  /** Shows a view that was made without looking. */
  public static void publish(BoardFeed feed, BoardView view) {
    feed.publish(view, Optional.empty());
  }

  public static Seen seen(BoardView.Source source, Views cluster, Gang... objects) {
    return seen(source, cluster, Map.of(), objects);
  }

  public static Seen seen(
      BoardView.Source source, Views cluster, Map<GangId, ExpectedStart> starts, Gang... objects) {
    var view = cluster.view();
    return new Seen(
        source,
        view.takenAt(),
        Optional.of(new Replay(view)),
        Seen.byNamespace(view.pods()),
        Arrays.stream(objects)
            .collect(Collectors.toMap(one -> GangObjects.idOf(one).orElseThrow(), one -> one)),
        starts);
  }
}
