package io.muster.extender.core.plan.fabric;

import java.util.stream.IntStream;

/**
 * In which order nodes are taken between which nothing else decides: first those of the domain of
 * which the fewest are left, so that domains with much room stay whole for those who need that. The
 * innermost level decides; of domains with as many left, the next level outwards, and at last their
 * order in the network. What is without the label of a level is in no domain of it, and so comes
 * first. Immutable.
 */
public final class DomainOrder {

  /** The turns of slots that are taken in the order in which they are given. */
  public static final int[] AS_THEY_COME = {};

  /** By slot, the innermost domain; its number is its place in the network. */
  private final int[] domains;

  /** For each depth and innermost domain, the domain of that depth in which it is. */
  private final int[][] outer;

  /** The same: whether the nodes have the label of that depth. */
  private final boolean[][] named;

  /**
   * @param tree of all nodes
   * @param columns for each depth the rank of each node's value among all values; negative: none
   */
  public DomainOrder(DomainTree tree, int[][] columns) {
    int depths = tree.depths();
    int innermost = tree.size(depths - 1);
    domains = new int[columns[0].length];
    outer = new int[depths][innermost];
    named = new boolean[depths][innermost];
    for (int depth = 0; depth < depths; depth++) {
      for (int domain = 0; domain < tree.size(depth); domain++) {
        enter(tree, depth, domain, columns[depth]);
      }
    }
  }

  private void enter(DomainTree tree, int depth, int domain, int[] column) {
    int from = domain;
    int to = domain + 1;
    for (int d = depth; d < tree.depths() - 1; d++) {
      from = tree.begin(d, from);
      to = tree.begin(d, to);
    }
    for (int within = from; within < to; within++) {
      outer[depth][within] = domain;
      for (int i = tree.begin(tree.depths() - 1, within);
          i < tree.end(tree.depths() - 1, within);
          i++) {
        domains[tree.slot(i)] = within;
        named[depth][within] = column[tree.slot(i)] >= 0;
      }
    }
  }

  /**
   * For each of these slots its turn, from 0; empty where they are taken as they come. This counts
   * and compares nothing: it takes time by their number and that of the domains. Those of one
   * domain stay in the order given.
   */
  public int[] turns(int[] slots) {
    int first = Integer.MAX_VALUE;
    int last = -1;
    for (int slot : slots) {
      first = Math.min(first, domains[slot]);
      last = Math.max(last, domains[slot]);
    }
    if (last <= first) {
      return AS_THEY_COME;
    }
    var all = new int[last - first + 1];
    for (int slot : slots) {
      all[domains[slot] - first]++;
    }
    var order = IntStream.range(0, all.length).toArray();
    for (int depth = 0; depth < outer.length; depth++) {
      order = sorted(order, left(depth, all, first), slots.length);
    }
    var next = new int[all.length];
    int begin = 0;
    for (int domain : order) {
      next[domain] = begin;
      begin += all[domain];
    }
    var turns = new int[slots.length];
    for (int i = 0; i < slots.length; i++) {
      turns[i] = next[domains[slots[i]] - first]++;
    }
    return turns;
  }

  /** By innermost domain, from the first one on, how many are left of its domain of that depth. */
  private int[] left(int depth, int[] all, int first) {
    int from = outer[depth][first];
    var sums = new int[outer[depth][first + all.length - 1] - from + 1];
    for (int i = 0; i < all.length; i++) {
      sums[outer[depth][first + i] - from] += all[i];
    }
    var left = new int[all.length];
    for (int i = 0; i < left.length; i++) {
      left[i] = named[depth][first + i] ? sums[outer[depth][first + i] - from] : 0;
    }
    return left;
  }

  /** The fewest first; those that are equal stay in the order given. */
  private static int[] sorted(int[] order, int[] left, int most) {
    var next = new int[most + 2];
    for (int domain : order) {
      next[left[domain] + 1]++;
    }
    for (int i = 1; i < next.length; i++) {
      next[i] += next[i - 1];
    }
    var sorted = new int[order.length];
    for (int domain : order) {
      sorted[next[left[domain]]++] = domain;
    }
    return sorted;
  }
}
