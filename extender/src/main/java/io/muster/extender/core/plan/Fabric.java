package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.plan.fabric.DomainOrder;
import io.muster.extender.core.plan.fabric.DomainTree;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Where the nodes of one grid are in the network, by their labels. Worked out when it is first
 * asked for; holds as long as no label changes. Confined to the decision thread.
 */
final class Fabric {

  /** Anybody may ask by other labels: beyond that what is kept is begun anew. */
  private static final int MOST_TREES = 64;

  private static final int NONE = -1;

  private record Key(List<String> labels, int strict) {}

  private final List<Node> nodes;
  private final Levels levels;
  private final Map<String, int[]> columns = new HashMap<>();
  private final Map<Key, DomainTree> trees = new HashMap<>();
  private Optional<DomainOrder> order = Optional.empty();

  /** The nodes in order of their slots. */
  Fabric(Collection<Node> nodes, Levels levels) {
    this.nodes = List.copyOf(nodes);
    this.levels = levels.among(nodes);
  }

  Levels levels() {
    return levels;
  }

  /**
   * The nodes that are kept in reserve: of each domain idle ones, the last in order. Those that are
   * closed to all pods count as kept, so that what breaks is what was kept for that.
   */
  BitSet kept(Grid grid) {
    var kept = new BitSet();
    for (int depth = levels.all().size() - 1; depth >= 0; depth--) {
      int keep = levels.all().get(depth).keep();
      if (keep > 0) {
        var strict = new boolean[depth + 1];
        strict[depth] = true;
        var tree = tree(levels.labels().subList(0, depth + 1), strict);
        for (int domain = 0; domain < tree.size(depth); domain++) {
          keep(grid, tree.slots(depth, domain), keep, kept);
        }
      }
    }
    return kept;
  }

  private static void keep(Grid grid, int[] slots, int keep, BitSet kept) {
    long closed =
        IntStream.of(slots)
            .filter(slot -> kept.get(slot) || !grid.room(slot).node().isAvailable())
            .count();
    for (int i = slots.length - 1; i >= 0 && closed < keep; i--) {
      long offered = grid.room(slots[i]).node().allocatable().devices();
      if (!kept.get(slots[i])
          && grid.room(slots[i]).node().isAvailable()
          && offered > 0
          && grid.devices(slots[i]) == offered) {
        kept.set(slots[i]);
        closed++;
      }
    }
  }

  /** Whether any node has the label. */
  boolean isBorne(String label) {
    return IntStream.of(column(label)).anyMatch(rank -> rank != NONE);
  }

  /** For each slot the rank of its label's value among all; negative without the label. */
  private int[] column(String label) {
    return columns.computeIfAbsent(label, this::ranks);
  }

  /** Those of all levels, the outermost first. */
  private int[][] levelColumns() {
    return levels.labels().stream().map(this::column).toArray(int[][]::new);
  }

  private int[] ranks(String label) {
    var values = new TreeMap<String, Integer>();
    nodes.forEach(node -> {
      var value = node.labels().get(label);
      if (value != null) {
        values.put(value, 0);
      }
    });
    int rank = 0;
    for (var entry : values.entrySet()) {
      entry.setValue(rank++);
    }
    return nodes.stream()
        .mapToInt(node -> {
          var value = node.labels().get(label);
          return value == null ? NONE : values.get(value);
        })
        .toArray();
  }

  /**
   * For each of these slots its turn where nothing else decides between them; empty: they are taken
   * as they come.
   */
  int[] turns(int[] slots) {
    if (levels.all().isEmpty()) {
      return DomainOrder.AS_THEY_COME;
    }
    if (order.isEmpty()) {
      var tree = tree(levels.labels(), new boolean[levels.all().size()]);
      order = Optional.of(new DomainOrder(tree, levelColumns()));
    }
    return order.get().turns(slots);
  }

  /** Puts slots into the order in which members meet them: level by level, then by name. */
  void sort(int[] slots) {
    var by = levelColumns();
    if (by.length == 0 || slots.length < 2) {
      Arrays.sort(slots);
    } else {
      System.arraycopy(sorted(slots, by), 0, slots, 0, slots.length);
    }
  }

  private static int[] sorted(int[] slots, int[][] by) {
    return IntStream.of(slots)
        .boxed()
        .sorted((a, b) -> {
          for (int[] column : by) {
            if (column[a] != column[b]) {
              return Integer.compare(column[a], column[b]);
            }
          }
          return Integer.compare(a, b);
        })
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /**
   * The domains of these labels within one another, outermost first.
   *
   * @param strict of which of them nodes without the label are left out
   */
  DomainTree tree(List<String> labels, boolean[] strict) {
    var flags = new BitSet();
    IntStream.range(0, strict.length).filter(i -> strict[i]).forEach(flags::set);
    if (trees.size() >= MOST_TREES) {
      trees.clear();
      columns.clear();
    }
    return trees.computeIfAbsent(
        new Key(labels, flags.isEmpty() ? 0 : (int) flags.toLongArray()[0]),
        _ -> {
          var by = labels.stream().map(this::column).toArray(int[][]::new);
          var all = levels.labels().stream().map(this::column);
          var order = Stream.concat(Stream.of(by), all).toArray(int[][]::new);
          var slots = IntStream.range(0, nodes.size()).toArray();
          return new DomainTree(by, sorted(slots, order), strict);
        });
  }
}
