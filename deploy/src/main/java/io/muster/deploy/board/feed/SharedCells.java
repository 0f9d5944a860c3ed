package io.muster.deploy.board.feed;

import io.muster.deploy.board.feed.BoardView.NodeCell;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Cells of nodes for those who may see less than all, made once for each view: most nodes look the
 * same to all who may see neither name nor gangs. Confined to one thread at a time.
 */
final class SharedCells {

  private final Numbers<String> blocks = new Numbers<>();
  private final Numbers<String> racks = new Numbers<>();
  private List<NodeCell> whole = List.of();
  private List<NodeCell> unnamed = List.of();
  private List<NodeCell> foreign = List.of();
  private List<NodeCell> unnamedForeign = List.of();

  /** Those of that list from now on. */
  void of(List<NodeCell> nodes) {
    if (!nodes.equals(whole)) {
      unnamed = kept(unnamed, nodes.stream().map(this::unnamed));
      foreign = kept(foreign, nodes.stream().map(SharedCells::foreign));
      unnamedForeign = kept(unnamedForeign, unnamed.stream().map(SharedCells::foreign));
      whole = nodes;
    }
  }

  /** All that is to be seen of gangs; nodes without their names where they are not to be seen. */
  List<NodeCell> cells(boolean areNamed) {
    return areNamed ? whole : unnamed;
  }

  /** The same with all gangs as others. */
  List<NodeCell> foreign(boolean areNamed) {
    return areNamed ? foreign : unnamedForeign;
  }

  /** What has not changed stays the same object, which is compared and kept at no cost. */
  private static List<NodeCell> kept(List<NodeCell> before, Stream<NodeCell> now) {
    var each = before.iterator();
    return now.map(
            cell -> {
              var last = each.hasNext() ? each.next() : cell;
              return last.equals(cell) ? last : cell;
            })
        .toList();
  }

  private NodeCell unnamed(NodeCell node) {
    return new NodeCell(
        node.id(),
        nameOf(node.id()),
        numbered("block", blocks, node.block()),
        numbered("rack", racks, node.rack()),
        node.state(),
        node.tainted(),
        node.device(),
        node.devices(),
        node.held(),
        node.kept());
  }

  /** What a node is called where its name may not be seen. */
  private static String nameOf(int id) {
    return "node " + (id + 1);
  }

  private static String numbered(String kind, Numbers<String> numbers, String name) {
    return name == null ? null : kind + " " + (numbers.of(name) + 1);
  }

  private static NodeCell foreign(NodeCell node) {
    return withDevices(node, ofOthers(node.held()), ofOthers(node.kept()));
  }

  private static List<List<Long>> ofOthers(List<List<Long>> byGang) {
    return byGang == null
        ? null
        : List.of(
            List.of((long) BoardView.NO_GANG, byGang.stream().mapToLong(List::getLast).sum()));
  }

  /** The node with these on it. */
  static NodeCell withDevices(NodeCell node, List<List<Long>> held, List<List<Long>> kept) {
    return new NodeCell(
        node.id(),
        node.name(),
        node.block(),
        node.rack(),
        node.state(),
        node.tainted(),
        node.device(),
        node.devices(),
        held,
        kept);
  }

  /** Numbers of gangs that have something on a node. */
  static LongStream gangs(NodeCell node) {
    return Stream.of(node.held(), node.kept())
        .filter(pairs -> pairs != null)
        .flatMap(List::stream)
        .mapToLong(List::getFirst);
  }
}
