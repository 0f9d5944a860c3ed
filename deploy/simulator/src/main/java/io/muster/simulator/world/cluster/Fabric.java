package io.muster.simulator.world.cluster;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How nodes stand in the network: in blocks of racks. Immutable.
 *
 * @param blocks 1: there are only racks
 * @param racks of each block
 * @param nodes of each rack
 */
public record Fabric(int blocks, int racks, int nodes) {

  /** What its levels are called, outermost first. */
  public static final List<String> LEVELS = List.of("block", "rack");

  /**
   * These nodes in their order, rack by rack; the last rack that is used may have fewer.
   *
   * @throws IllegalArgumentException if there are more of them than places
   */
  public List<Machine> of(List<Machine> machines) {
    long places = (long) blocks * racks * nodes;
    if (machines.size() > places) {
      throw new IllegalArgumentException(
          "%d nodes do not stand in %d racks of %d"
              .formatted(machines.size(), (long) blocks * racks, nodes));
    }
    return IntStream.range(0, machines.size())
        .mapToObj(i ->
            machines
                .get(i)
                .in(List.of("b%d".formatted(i / nodes / racks), "r%d".formatted(i / nodes))))
        .toList();
  }
}
