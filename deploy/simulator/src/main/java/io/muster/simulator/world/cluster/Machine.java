package io.muster.simulator.world.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * A node of the simulated cluster. Immutable.
 *
 * @param model of its devices; empty where it has none or nobody says
 */
public record Machine(String name, String model, long cpuMillis, long memoryMib, int gpus) {

  private static final long CPU_MILLIS = 96_000;
  private static final long MEMORY_MIB = 786_432;

  /** So many nodes of so many devices, with processors and memory to spare. */
  public static List<Machine> alike(int count, int gpus) {
    var machines = new ArrayList<Machine>();
    for (int i = 0; i < count; i++) {
      machines.add(new Machine("node-%05d".formatted(i), "", CPU_MILLIS, MEMORY_MIB, gpus));
    }
    return machines;
  }
}
