package io.muster.extender.core.plan.fabric;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Domains within domains, and in the innermost ones the nodes. Depth 0 is the outermost. The
 * domains of a depth are numbered in order, so that those within one domain follow one another.
 * Immutable.
 */
public final class DomainTree {

  /** For each depth where each domain's children begin: domains one deeper, at last nodes. */
  private final int[][] begins;

  private final int[] slots;

  /**
   * @param columns for each depth the rank of each node's value among all values; negative: none
   * @param order the nodes, sorted by these values and then as members are to meet them
   * @param strict for each depth whether nodes without a value are left out; if not, those within
   *     one domain are one more domain
   */
  public DomainTree(int[][] columns, int[] order, boolean[] strict) {
    slots =
        IntStream.of(order)
            .filter(slot ->
                IntStream.range(0, columns.length)
                    .allMatch(d -> !strict[d] || columns[d][slot] >= 0))
            .toArray();
    begins = new int[columns.length][];
    var inner = IntStream.rangeClosed(0, slots.length).toArray();
    for (int depth = columns.length - 1; depth >= 0; depth--) {
      begins[depth] = begins(columns, depth, inner);
      int[] within = inner;
      inner = IntStream.of(begins[depth]).map(child -> within[child]).toArray();
    }
  }

  /**
   * @param inner where each child begins among the slots, and where the last one ends
   */
  private int[] begins(int[][] columns, int depth, int[] inner) {
    var found = IntStream.builder();
    for (int i = 0; i + 1 < inner.length; i++) {
      if (i == 0 || !sameDomain(columns, depth, slots[inner[i - 1]], slots[inner[i]])) {
        found.add(i);
      }
    }
    found.add(inner.length - 1);
    return found.build().toArray();
  }

  private static boolean sameDomain(int[][] columns, int depth, int one, int other) {
    for (int d = 0; d <= depth; d++) {
      if (columns[d][one] != columns[d][other]) {
        return false;
      }
    }
    return true;
  }

  /** How many depths there are, at least 1. */
  public int depths() {
    return begins.length;
  }

  /** How many domains there are of that depth. */
  public int size(int depth) {
    return begins[depth].length - 1;
  }

  int begin(int depth, int domain) {
    return begins[depth][domain];
  }

  int end(int depth, int domain) {
    return begins[depth][domain + 1];
  }

  int slot(int position) {
    return slots[position];
  }

  /** The nodes of a domain of any depth, in order. */
  public int[] slots(int depth, int domain) {
    int from = domain;
    int to = domain + 1;
    for (int d = depth; d < begins.length; d++) {
      from = begins[d][from];
      to = begins[d][to];
    }
    return Arrays.copyOfRange(slots, from, to);
  }
}
