package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.gang.Topology;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What a topology asks of the levels, outermost first. Levels that the cluster states are in its
 * order; where one is not, the required level is the outermost, then come the preferred ones, then
 * those of segments, the larger outside. Immutable.
 */
final class Nest {

  private final List<String> labels;
  private final List<String> names;
  private final int[] sizes;
  private final boolean[] bound;

  private Nest(List<String> labels, List<String> names, int[] sizes, boolean[] bound) {
    this.labels = labels;
    this.names = names;
    this.sizes = sizes;
    this.bound = bound;
  }

  /** Keys of the labels, at least one. */
  List<String> labels() {
    return labels;
  }

  /** What the levels are called where they are asked for. */
  List<String> names() {
    return names;
  }

  /**
   * How many consecutive members must be in one domain of each; those of an outer level are
   * multiples of those of an inner one.
   */
  int[] sizes() {
    return sizes;
  }

  /** For each level whether it is more than preferred. */
  boolean[] bound() {
    return bound;
  }

  static Nest of(Topology topology, Levels levels, int members) {
    Map<String, Integer> asked = new TreeMap<>();
    Map<String, String> names = new LinkedHashMap<>();
    int largest = topology.segments().isEmpty() ? 1 : topology.segments().getLast().size();
    int all = Math.ceilDiv(members, largest) * largest;
    topology
        .required()
        .ifPresent(level -> {
          names.put(levels.labelOf(level), levels.nameOf(level));
          asked.put(levels.labelOf(level), all);
        });
    for (var level : topology.preferred().reversed()) {
      names.putIfAbsent(levels.labelOf(level), levels.nameOf(level));
    }
    for (var segment : topology.segments().reversed()) {
      names.putIfAbsent(levels.labelOf(segment.level()), segment.level());
      asked.merge(levels.labelOf(segment.level()), segment.size(), Math::max);
    }
    var labels = List.copyOf(names.keySet());
    if (labels.stream().allMatch(label -> levels.depthOf(label) >= 0)) {
      labels = labels.stream().sorted(Comparator.comparingInt(levels::depthOf)).toList();
    }
    var sizes = labels.stream().mapToInt(label -> asked.getOrDefault(label, 1)).toArray();
    var bound = new boolean[sizes.length];
    for (int i = sizes.length - 1; i >= 0; i--) {
      bound[i] = asked.containsKey(labels.get(i));
      sizes[i] = i + 1 < sizes.length ? Math.max(sizes[i], sizes[i + 1]) : sizes[i];
    }
    return new Nest(labels, labels.stream().map(names::get).toList(), sizes, bound);
  }

  /** A level that is more than preferred and that no node is in. */
  Optional<Shortage> unknown(Fabric fabric) {
    return IntStream.range(0, sizes.length)
        .filter(depth -> bound[depth] && !fabric.isBorne(labels.get(depth)))
        .mapToObj(depth ->
            fabric.levels().depthOf(labels.get(depth)) < 0
                ? Lack.unknownLevel(names.get(depth))
                : Lack.withoutNodes(names.get(depth), labels.get(depth)))
        .findFirst();
  }

  /** Every level taken for bound: where that does, no member is on a node without a label. */
  boolean[] allBound() {
    var all = new boolean[bound.length];
    Arrays.fill(all, true);
    return all;
  }
}
