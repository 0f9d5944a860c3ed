package io.muster.extender.core.device;

import io.muster.extender.core.device.Slice.Pool;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Slices by pool and by node. Not safe for concurrent use. */
final class Pools {

  private final Map<String, Slice> slices = new HashMap<>();

  /** Slices by pool, node and name. */
  private final Map<Pool, Map<String, Map<String, Slice>>> pools = new HashMap<>();

  /** How many slices each pool has of each generation, on whatever nodes. */
  private final Map<Pool, NavigableMap<Long, Integer>> generations = new HashMap<>();

  private final Map<String, Set<Pool>> ofNode = new HashMap<>();

  /**
   * Slices of one node and pool, of their newest generation.
   *
   * @param problem why their devices are not handed out, if they are not
   */
  record Part(List<Slice> slices, Optional<String> problem) {}

  /** The nodes that this may concern. */
  Set<String> seen(Slice slice) {
    if (slice.equals(slices.get(slice.name()))) {
      return Set.of();
    }
    var touched = new HashSet<>(gone(slice.name()));
    slices.put(slice.name(), slice);
    generations
        .computeIfAbsent(slice.pool(), _ -> new TreeMap<>())
        .merge(slice.generation(), 1, Integer::sum);
    slice
        .node()
        .ifPresent(node -> {
          pools
              .computeIfAbsent(slice.pool(), _ -> new HashMap<>())
              .computeIfAbsent(node, _ -> new HashMap<>())
              .put(slice.name(), slice);
          ofNode.computeIfAbsent(node, _ -> new HashSet<>()).add(slice.pool());
        });
    touched.addAll(nodes(slice.pool()));
    return touched;
  }

  Set<String> gone(String name) {
    var slice = slices.remove(name);
    if (slice == null) {
      return Set.of();
    }
    var touched = Set.copyOf(nodes(slice.pool()));
    generations.computeIfPresent(
        slice.pool(),
        (_, counts) -> {
          counts.computeIfPresent(slice.generation(), (_, n) -> n == 1 ? null : n - 1);
          return counts.isEmpty() ? null : counts;
        });
    slice.node().ifPresent(node -> leave(slice, node));
    return touched;
  }

  private void leave(Slice slice, String node) {
    var ofPool = pools.get(slice.pool());
    ofPool.get(node).remove(slice.name());
    if (!ofPool.get(node).isEmpty()) {
      return;
    }
    ofPool.remove(node);
    if (ofPool.isEmpty()) {
      pools.remove(slice.pool());
    }
    ofNode.get(node).remove(slice.pool());
    if (ofNode.get(node).isEmpty()) {
      ofNode.remove(node);
    }
  }

  /** Those that have slices of the pool. */
  Set<String> nodes(Pool pool) {
    return pools.getOrDefault(pool, Map.of()).keySet();
  }

  Collection<Slice> all() {
    return slices.values();
  }

  Set<String> nodes() {
    return ofNode.keySet();
  }

  /**
   * What kube-scheduler looks at for the node, those without a problem first. Slices of other nodes
   * count only where those of the node are not a whole pool by themselves; then a newer generation
   * elsewhere says that the driver replaces them, and has nothing for this node yet.
   */
  List<Part> on(String node) {
    return ofNode.getOrDefault(node, Set.of()).stream()
        .flatMap(pool -> newest(pool, pools.get(pool).get(node).values()).stream())
        .sorted(
            Comparator.comparing((Part part) -> part.problem().isPresent())
                .thenComparing(part -> part.slices().getFirst().name()))
        .toList();
  }

  private Optional<Part> newest(Pool pool, Collection<Slice> ofPool) {
    long generation = ofPool.stream().mapToLong(Slice::generation).max().orElseThrow();
    var newest =
        ofPool.stream()
            .filter(it -> it.generation() == generation)
            .sorted(Comparator.comparing(Slice::name))
            .toList();
    if (isWhole(newest, newest.size())) {
      return Optional.of(new Part(newest, twice(pool, newest)));
    }
    var counts = generations.get(pool);
    if (counts.lastKey() > generation) {
      return Optional.empty();
    }
    return Optional.of(
        new Part(
            newest,
            isWhole(newest, counts.get(generation))
                ? twice(pool, newest)
                : Optional.of("pool " + pool.name() + " lacks slices")));
  }

  private static boolean isWhole(List<Slice> slices, int count) {
    return slices.stream().allMatch(it -> it.slices() == count);
  }

  private static Optional<String> twice(Pool pool, List<Slice> slices) {
    var names = new HashSet<String>();
    return slices.stream()
        .flatMap(slice -> slice.devices().stream())
        .map(Device::name)
        .filter(name -> !names.add(name))
        .findFirst()
        .map(name -> "pool %s names device %s twice".formatted(pool.name(), name));
  }
}
