package io.muster.extender.core.device;

import io.muster.extender.core.device.Slice.Pool;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Slices by pool and by node. Not safe for concurrent use. */
final class Pools {

  private final Map<String, Slice> slices = new HashMap<>();
  private final Map<Pool, Map<String, Slice>> pools = new HashMap<>();
  private final Map<String, Set<Pool>> ofNode = new HashMap<>();

  /** The nodes that this may concern. */
  Set<String> seen(Slice slice) {
    if (slice.equals(slices.get(slice.name()))) {
      return Set.of();
    }
    var touched = new HashSet<>(gone(slice.name()));
    slices.put(slice.name(), slice);
    pools.computeIfAbsent(slice.pool(), _ -> new HashMap<>()).put(slice.name(), slice);
    slice
        .node()
        .ifPresent(node -> ofNode.computeIfAbsent(node, _ -> new HashSet<>()).add(slice.pool()));
    touched.addAll(nodes(slice.pool()));
    return touched;
  }

  Set<String> gone(String name) {
    var slice = slices.remove(name);
    if (slice == null) {
      return Set.of();
    }
    var touched = nodes(slice.pool());
    var ofPool = pools.get(slice.pool());
    ofPool.remove(name);
    if (ofPool.isEmpty()) {
      pools.remove(slice.pool());
    }
    slice
        .node()
        .filter(node -> !nodes(slice.pool()).contains(node))
        .ifPresent(node -> {
          ofNode.get(node).remove(slice.pool());
          if (ofNode.get(node).isEmpty()) {
            ofNode.remove(node);
          }
        });
    return touched;
  }

  /** Those that have slices of the pool. */
  Set<String> nodes(Pool pool) {
    var nodes = new HashSet<String>();
    pools.getOrDefault(pool, Map.of()).values().forEach(it -> it.node().ifPresent(nodes::add));
    return nodes;
  }

  Collection<Slice> all() {
    return slices.values();
  }

  Set<String> nodes() {
    return ofNode.keySet();
  }

  /** Slices of the node that count: of the newest generation of a pool that is complete. */
  List<Slice> complete(String node) {
    return newest(node, true);
  }

  /** Slices of the node that are the newest of a pool of which others are missing. */
  List<Slice> incomplete(String node) {
    return newest(node, false);
  }

  private List<Slice> newest(String node, boolean isComplete) {
    return ofNode.getOrDefault(node, Set.of()).stream()
        .map(pool -> newest(pools.get(pool)))
        .filter(
            newest -> newest.stream().allMatch(it -> it.slices() == newest.size()) == isComplete)
        .flatMap(List::stream)
        .filter(slice -> slice.node().filter(node::equals).isPresent())
        .sorted(Comparator.comparing(Slice::name))
        .toList();
  }

  private static List<Slice> newest(Map<String, Slice> ofPool) {
    long generation = ofPool.values().stream().mapToLong(Slice::generation).max().orElse(0);
    return ofPool.values().stream().filter(it -> it.generation() == generation).toList();
  }
}
