package io.muster.bench.probe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Deals nodes to gangs when it first hears of them, from the first node to the last, and takes
 * nothing back until told to forget all. Safe for concurrent use.
 */
final class Dealer {

  private final List<String> nodes;
  private final int gpusPerNode;
  private final int[] free;
  private final Map<String, List<Integer>> dealt = new HashMap<>();
  private int first;

  Dealer(String prefix, int nodes, int gpusPerNode) {
    this.nodes = IntStream.range(0, nodes).mapToObj(i -> prefix + "-" + i).toList();
    this.gpusPerNode = gpusPerNode;
    this.free = new int[nodes];
    Arrays.fill(free, gpusPerNode);
  }

  /** The node of a member; dealt for the whole gang at the first call. */
  synchronized String place(Member member) {
    var places = dealt.computeIfAbsent(member.gang(), _ -> deal(member));
    return nodes.get(places.get(member.index()));
  }

  synchronized void forget() {
    dealt.clear();
    Arrays.fill(free, gpusPerNode);
    first = 0;
  }

  private List<Integer> deal(Member member) {
    var places = new ArrayList<Integer>();
    for (int node = first; node < free.length && places.size() < member.min(); node++) {
      while (free[node] >= member.gpus() && places.size() < member.min()) {
        free[node] -= member.gpus();
        places.add(node);
      }
    }
    while (first < free.length && free[first] == 0) {
      first++;
    }
    if (places.size() < member.min()) {
      throw new IllegalStateException("the probe has no room for " + member.gang());
    }
    return places;
  }
}
