package io.muster.deploy.board;

import io.muster.deploy.view.Views;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What sources of a board may have seen. */
final class Sources {

  static final BoardView.Source LED =
      new BoardView.Source("cluster", "lab", true, false, null, List.of(), null);
  static final BoardView.Source NOT_LED =
      new BoardView.Source("cluster", "lab", false, false, null, List.of(), null);

  private Sources() {}

  static Seen seen(BoardView.Source source, Views cluster, Gang... objects) {
    return seen(source, cluster, Map.of(), objects);
  }

  static Seen seen(
      BoardView.Source source, Views cluster, Map<GangId, ExpectedStart> starts, Gang... objects) {
    var view = cluster.view();
    return new Seen(
        source,
        view.takenAt(),
        java.util.Optional.of(new Replay(view)),
        Seen.byNamespace(view.pods()),
        Arrays.stream(objects)
            .collect(Collectors.toMap(one -> GangObjects.idOf(one).orElseThrow(), one -> one)),
        starts);
  }
}
