package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.gang.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a topology asks of the levels, outermost first. Levels that the cluster states are in its
 * order; where one is not, the required level is the outermost, then come the preferred ones, then
 * those of segments, the larger outside. Immutable.
 *
 * @param labels keys of the labels, at least one
 * @param sizes how many consecutive members must be in one domain of each; those of an outer level
 *     are multiples of those of an inner one; 1: it is only preferred
 * @param bound for each level whether it is more than preferred
 */
record Nest(List<String> labels, int[] sizes, boolean[] bound) {

  static Nest of(Topology topology, Levels levels, int members) {
    Map<String, Integer> asked = new TreeMap<>();
    var labels = new ArrayList<String>();
    int largest = 1;
    for (var segment : topology.segments().reversed()) {
      largest = Math.max(largest, segment.size());
      asked.merge(levels.labelOf(segment.level()), segment.size(), Math::max);
    }
    int all = Math.ceilDiv(members, largest) * largest;
    topology
        .required()
        .map(levels::labelOf)
        .ifPresent(label -> {
          labels.add(label);
          asked.merge(label, all, Math::max);
        });
    topology.preferred().reversed().stream().map(levels::labelOf).forEach(labels::add);
    topology.segments().reversed().stream()
        .map(segment -> levels.labelOf(segment.level()))
        .forEach(labels::add);
    var nested = labels.stream().distinct().toList();
    if (nested.stream().allMatch(label -> levels.depthOf(label) >= 0)) {
      nested = nested.stream().sorted(Comparator.comparingInt(levels::depthOf)).toList();
    }
    var sizes = nested.stream().mapToInt(label -> asked.getOrDefault(label, 1)).toArray();
    for (int i = sizes.length - 2; i >= 0; i--) {
      sizes[i] = Math.max(sizes[i], sizes[i + 1]);
    }
    var bound = new boolean[sizes.length];
    for (int i = 0; i < bound.length; i++) {
      bound[i] = asked.containsKey(nested.get(i));
    }
    return new Nest(nested, sizes, bound);
  }

  /** Every level taken for bound: where that does, no member is on a node without a label. */
  boolean[] allBound() {
    var all = new boolean[bound.length];
    Arrays.fill(all, true);
    return all;
  }
}
