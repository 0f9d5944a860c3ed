package io.muster.extender.core.plan;

import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Nodes by the value of a label. Confined to the decision thread. */
final class Domains {

  private final Grid grid;
  private final boolean emptiestFirst;

  /** Fullest domains first, so that whole ones stay whole, unless pods are to be spread. */
  Domains(Grid grid, PackingPolicy policy) {
    this.grid = grid;
    this.emptiestFirst = policy instanceof PackingPolicy.Spread;
  }

  private final class Domain {
    private final int[] slots;
    private final long devices;

    Domain(int[] slots) {
      this.slots = slots;
      devices = IntStream.of(slots).mapToLong(grid::devices).sum();
    }
  }

  /**
   * The slots of each domain of the level that might hold the members, in the order in which they
   * are to be tried; where an outer level is required, a domain ends where that one does.
   */
  List<int[]> of(String level, Optional<String> outer, List<Need> members) {
    return of(level, outer, members, IntStream.range(0, grid.size()).toArray());
  }

  /** The same of these slots alone, which are in order. */
  List<int[]> of(String level, Optional<String> outer, List<Need> members, int[] among) {
    var byValue = new TreeMap<String, IntStream.Builder>();
    for (int slot : among) {
      var labels = grid.room(slot).node().labels();
      var value = labels.get(level);
      var outerValue = outer.isEmpty() ? "" : labels.get(outer.get());
      if (value != null && outerValue != null) {
        byValue.computeIfAbsent(value + "\n" + outerValue, _ -> IntStream.builder()).add(slot);
      }
    }
    var domains = new ArrayList<Domain>();
    for (var builder : byValue.values()) {
      var slots = builder.build().toArray();
      if (mightHold(slots, members)) {
        domains.add(new Domain(slots));
      }
    }
    var byDevices = Comparator.comparingLong((Domain domain) -> domain.devices);
    domains.sort(emptiestFirst ? byDevices.reversed() : byDevices);
    return domains.stream().map(domain -> domain.slots).toList();
  }

  private boolean mightHold(int[] slots, List<Need> members) {
    var asked = new TreeMap<String, Long>();
    for (var need : members) {
      for (int i = 0; i < need.names().length; i++) {
        asked.merge(need.names()[i], need.amounts()[i], Long::sum);
      }
    }
    return asked.entrySet().stream()
        .allMatch(entry -> free(slots, grid.units(entry.getKey())) >= entry.getValue());
  }

  private static long free(int[] slots, long[] units) {
    return units.length == 0
        ? 0
        : IntStream.of(slots).mapToLong(slot -> Math.max(0, units[slot])).sum();
  }
}
