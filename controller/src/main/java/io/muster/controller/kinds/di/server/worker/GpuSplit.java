package io.muster.controller.kinds.di.server.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Divides the GPUs of one learner among pods: as many in each, and the rest in the last one. */
public final class GpuSplit {

  private GpuSplit() {}

  /**
   * As many in each as most nodes have.
   *
   * @param gpus of the learner, at least 1
   * @param nodes how many GPUs each node of the cluster offers
   */
  static List<Integer> usual(int gpus, List<Integer> nodes) {
    return of(gpus, usual(nodes));
  }

  /** Pods of that size; 0 for one that has them all. */
  static List<Integer> of(int gpus, int size) {
    if (size == 0 || gpus <= size) {
      return List.of(gpus);
    }
    var split = new ArrayList<Integer>();
    for (int left = gpus; left > 0; left -= size) {
      split.add(Math.min(left, size));
    }
    return split;
  }

  /** What most nodes have, the larger number if two are as frequent; what the largest has if 0. */
  private static int usual(List<Integer> nodes) {
    var counts = new TreeMap<Integer, Integer>();
    nodes.forEach(node -> counts.merge(node, 1, Integer::sum));
    int usual = 0;
    for (var entry : counts.entrySet()) {
      if (entry.getValue() >= counts.getOrDefault(usual, 0)) {
        usual = entry.getKey();
      }
    }
    return usual == 0 && !counts.isEmpty() ? counts.lastKey() : usual;
  }
}
