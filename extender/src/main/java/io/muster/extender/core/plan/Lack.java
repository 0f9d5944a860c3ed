package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.fabric.Division;
import io.muster.extender.core.plan.fabric.DomainTree;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Says of members that are alike and do not fit the levels which level it is, how many of its
 * domains would do, and which one comes nearest.
 */
record Lack(Nest nest, DomainTree tree, Division division, int members) {

  /** There is no level of that name, and no node with such a label. */
  static Shortage unknownLevel(String level) {
    return new Shortage(
        level + " is neither a level of the cluster nor a label of any node",
        "add the level %s to the ConfigMap muster-topology, with a label that nodes have,"
                .formatted(level)
            + " or mend what the pods ask for");
  }

  /** The level is stated, and no node has its label. */
  static Shortage withoutNodes(String level, String label) {
    return new Shortage(
        "no node has the label %s of level %s".formatted(label, level),
        "label the nodes with %s, or mend level %s in the ConfigMap muster-topology"
            .formatted(label, level));
  }

  /** The same of members of several kinds, of which domains are tried and not counted. */
  static String ofKinds(Topology topology, Levels levels, int members) {
    return topology
        .required()
        .map(level -> "no %s holds all %d members".formatted(levels.nameOf(level), members))
        .orElseGet(() ->
            "segments of %d members find no domains"
                .formatted(topology.segments().getFirst().size()));
  }

  /** Part of a sentence; the same for the same state. */
  String shown(Grid grid) {
    for (int depth = nest.sizes().length - 1; depth >= 0; depth--) {
      int size = nest.sizes()[depth];
      if (nest.bound()[depth] && size >= members) {
        if (!holdsAll(depth)) {
          return "no %s holds all %d members%s"
              .formatted(nest.names().get(depth), members, nearest(grid, depth, members));
        }
      } else if (nest.bound()[depth] && whole(depth).sum() < members / size) {
        return segments(grid, depth, size);
      }
    }
    int size = nest.sizes()[nest.sizes().length - 1];
    return "there is room for all whole segments, but not for the %d at the end beside them"
        .formatted(members % size == 0 ? members % nest.sizes()[0] : members % size);
  }

  private boolean holdsAll(int depth) {
    return IntStream.range(0, tree.size(depth))
            .anyMatch(domain -> division.holdsRest(depth, domain))
        || whole(depth).anyMatch(segments -> segments > 0);
  }

  private String segments(Grid grid, int depth, int size) {
    int needed = members / size;
    long have = whole(depth).sum();
    var nearest = nearest(grid, depth, size);
    return whole(depth).allMatch(segments -> segments < 2)
        ? "needs %d domains of %s with room for %d members each, %d have it%s"
            .formatted(needed, nest.names().get(depth), size, have, nearest)
        : "needs room for %d segments of %d members, each in one %s, and there is room for %d%s"
            .formatted(needed, size, nest.names().get(depth), have, nearest);
  }

  private IntStream whole(int depth) {
    return IntStream.range(0, tree.size(depth)).map(domain -> division.whole(depth, domain));
  }

  /** The domain that holds one more first; nothing where smaller domains count, not nodes. */
  private String nearest(Grid grid, int depth, int size) {
    boolean countsNodes = depth == nest.sizes().length - 1 || nest.sizes()[depth + 1] == 1;
    if (!countsNodes || tree.size(depth) == 0) {
      return "";
    }
    long least = lacks(depth, size).min().orElseThrow();
    int domain = (int) lacks(depth, size).takeWhile(lacks -> lacks != least).count();
    int slot = tree.slots(depth, domain)[0];
    return "; %s %s lacks room for %d"
        .formatted(
            nest.names().get(depth),
            grid.room(slot).node().labels().get(nest.labels().get(depth)),
            least);
  }

  private LongStream lacks(int depth, int size) {
    return IntStream.range(0, tree.size(depth))
        .mapToLong(domain -> size - division.room(depth, domain) % size);
  }
}
