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
 * said of a gang names nothing of other namespaces, whoever may see it. Confined to one thread.
 */
final class ViewFilter {

  private static final String UNCONFIRMED =
      ", and the API server has not confirmed that you have it";

  private final Access access;
  private final Numbers<String> blocks = new Numbers<>();
  private final Numbers<String> racks = new Numbers<>();

  ViewFilter(Access access) {
    this.access = access;
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
        view.nodes().stream().map(node -> cell(node, shown)).toList(),
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

  private NodeCell cell(NodeCell node, Set<Integer> shown) {
    boolean isOpen = access.nodes();
    return new NodeCell(
        node.id(),
        isOpen ? node.name() : nameOf(node.id()),
        isOpen ? node.block() : numbered("block", blocks, node.block()),
        isOpen ? node.rack() : numbered("rack", racks, node.rack()),
        node.state(),
        node.tainted(),
        node.device(),
        node.devices(),
        pairs(node.held(), shown),
        pairs(node.kept(), shown));
  }

  /** What a node is called where its name may not be seen. */
  static String nameOf(int id) {
    return "node " + (id + 1);
  }

  private static String numbered(String kind, Numbers<String> numbers, String name) {
    return name == null ? null : kind + " " + (numbers.of(name) + 1);
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
