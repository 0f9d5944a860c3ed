package io.muster.simulator.world.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * A node of the simulated cluster. Immutable.
 *
 * @param model of its devices; empty where it has none or nobody says
 * @param domains where it stands in the network, outermost first, as {@link Fabric} says
 */
public record Machine(
    String name, String model, long cpuMillis, long memoryMib, int gpus, List<String> domains) {

  private static final long CPU_MILLIS = 96_000;
  private static final long MEMORY_MIB = 786_432;

  public Machine {
    domains = List.copyOf(domains);
  }

  /** One of which nobody says where it stands. */
  public Machine(String name, String model, long cpuMillis, long memoryMib, int gpus) {
    this(name, model, cpuMillis, memoryMib, gpus, List.of());
  }

  /** So many nodes of so many devices, with processors and memory to spare. */
  public static List<Machine> alike(int count, int gpus) {
    var machines = new ArrayList<Machine>();
    for (int i = 0; i < count; i++) {
      machines.add(new Machine("node-%05d".formatted(i), "", CPU_MILLIS, MEMORY_MIB, gpus));
    }
    return machines;
  }

  /** The same, standing there. */
  Machine in(List<String> other) {
    return new Machine(name, model, cpuMillis, memoryMib, gpus, other);
  }
}
