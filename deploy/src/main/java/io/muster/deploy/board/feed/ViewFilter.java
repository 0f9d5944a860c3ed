package io.muster.deploy.board.feed;

import io.muster.deploy.board.access.Access;
import io.muster.deploy.board.feed.BoardView.GangRow;
import io.muster.deploy.board.feed.BoardView.NodeCell;
import io.muster.deploy.board.feed.BoardView.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Leaves out of views what a viewer may not see: gangs of other namespaces, whose devices stay as
 * those of others, so that the map is whole; names of nodes, which get numbers; and queues. What is
 * said of a gang names nothing of other namespaces, whoever may see it. Confined to one thread at a
 * time.
 */
final class ViewFilter {

  private static final String UNCONFIRMED =
      ", and the API server has not confirmed that you have it";

  private final Access access;
  private final SharedCells shared;

  /**
   * @param shared by all filters of one view
   */
  ViewFilter(Access access, SharedCells shared) {
    this.access = access;
    this.shared = shared;
  }

  /** That of the view which may be seen. */
  BoardView of(BoardView view) {
    var gangs = view.gangs().stream().filter(gang -> access.sees(gang.namespace())).toList();
    var shown = gangs.stream().map(GangRow::id).collect(Collectors.toSet());
    var queues = gangs.stream().map(GangRow::queue).collect(Collectors.toSet());
    return new BoardView(
        view.version(),
        view.run(),
        view.number(),
        view.asOf(),
        source(view.source()),
        view.totals(),
        view.devices(),
        cells(view.nodes(), shown),
        gangs,
        view.queues().stream()
            .filter(queue -> access.queues() || queues.contains(queue.name()))
            .toList());
  }

  private Source source(Source source) {
    var left = new ArrayList<>(source.left());
    if (!access.allNamespaces()) {
      left.add(
          "gangs of "
              + (access.namespaces().isEmpty() ? "all" : "other")
              + " namespaces: it takes the right to list gangs.muster.io and pods there"
              + UNCONFIRMED);
    }
    if (!access.nodes()) {
      left.add("names of nodes: it takes the right to list nodes" + UNCONFIRMED);
    }
    if (!access.queues()) {
      left.add("other queues: it takes the right to get the ConfigMap muster-queues" + UNCONFIRMED);
    }
    return new Source(
        source.kind(),
        source.name(),
        source.led(),
        source.released(),
        source.namespace(),
        List.copyOf(left),
        source.stale());
  }

  private List<NodeCell> cells(List<NodeCell> nodes, Set<Integer> shown) {
    shared.of(nodes);
    var cells = shared.cells(access.nodes());
    var foreign = shared.foreign(access.nodes());
    var seen = new ArrayList<NodeCell>(cells.size());
    for (int i = 0; i < cells.size(); i++) {
      var cell = cells.get(i);
      boolean isMine = SharedCells.gangs(cell).anyMatch(gang -> shown.contains((int) gang));
      seen.add(
          isMine
              ? SharedCells.withDevices(cell, pairs(cell.held(), shown), pairs(cell.kept(), shown))
              : foreign.get(i));
    }
    return seen;
  }

  private static List<List<Long>> pairs(List<List<Long>> byGang, Set<Integer> shown) {
    if (byGang == null) {
      return null;
    }
    var visible = new TreeMap<Long, Long>();
    for (var pair : byGang) {
      long gang = pair.getFirst();
      visible.merge(
          shown.contains((int) gang) ? gang : BoardView.NO_GANG, pair.getLast(), Long::sum);
    }
    return visible.entrySet().stream()
        .map(each -> List.of(each.getKey(), each.getValue()))
        .toList();
  }
}
