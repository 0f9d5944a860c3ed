package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.HostPort;
import io.muster.extender.core.cluster.Resources;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Members placed on trial: what they take of each node, over and above the grid, with a log by
 * which it is taken back. Not safe for concurrent use.
 */
final class Trial {

  /** What members on trial take of one node. */
  private static final class Taken {
    private long cpuMillis;
    private long memoryBytes;
    private int pods;
    private long devices;
    private final long[] units;
    private final List<Need> withPorts = new ArrayList<>(0);

    Taken(int resources) {
      units = new long[resources];
    }
  }

  private final Taken[] taken;
  private final List<String> resources;
  private int[] slots = new int[16];
  private Need[] needs = new Need[16];
  private int size;

  /** The resources are those that any member asks for. */
  Trial(int nodes, List<String> resources) {
    taken = new Taken[nodes];
    this.resources = resources;
  }

  int resource(String name) {
    return resources.indexOf(name);
  }

  void place(int slot, Need need) {
    if (taken[slot] == null) {
      taken[slot] = new Taken(resources.size());
    }
    count(taken[slot], need, 1);
    if (need.hasPorts()) {
      taken[slot].withPorts.add(need);
    }
    if (size == slots.length) {
      slots = Arrays.copyOf(slots, 2 * size);
      needs = Arrays.copyOf(needs, 2 * size);
    }
    slots[size] = slot;
    needs[size] = need;
    size++;
  }

  /** How many members are placed; {@link #rollback} goes back to it. */
  int mark() {
    return size;
  }

  void rollback(int mark) {
    while (size > mark) {
      size--;
      var from = taken[slots[size]];
      count(from, needs[size], -1);
      if (needs[size].hasPorts()) {
        from.withPorts.removeLast();
      }
    }
  }

  /** The node of the n-th member placed. */
  int slot(int n) {
    return slots[n];
  }

  long cpuMillis(int slot) {
    return taken[slot] == null ? 0 : taken[slot].cpuMillis;
  }

  long memoryBytes(int slot) {
    return taken[slot] == null ? 0 : taken[slot].memoryBytes;
  }

  int pods(int slot) {
    return taken[slot] == null ? 0 : taken[slot].pods;
  }

  long devices(int slot) {
    return taken[slot] == null ? 0 : taken[slot].devices;
  }

  long units(int slot, int resource) {
    return taken[slot] == null ? 0 : taken[slot].units[resource];
  }

  /** What of these members on trial have there already. */
  Optional<HostPort> collision(int slot, Resources asked) {
    return taken[slot] == null
        ? Optional.empty()
        : taken[slot].withPorts.stream()
            .flatMap(need -> asked.collision(need.requests()).stream())
            .findFirst();
  }

  private static void count(Taken node, Need need, int sign) {
    node.cpuMillis += sign * need.cpuMillis();
    node.memoryBytes += sign * need.memoryBytes();
    node.pods += sign;
    node.devices += sign * need.devices();
    need.addUnits(node.units, sign);
  }
}
