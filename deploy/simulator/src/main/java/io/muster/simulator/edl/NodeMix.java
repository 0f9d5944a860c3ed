package io.muster.simulator.edl;

import io.muster.simulator.edl.regime.EdlMachine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The nodes of a cluster. What the nodes of the published experiment were is not known: the mix
 * named {@link #FITTED} was chosen because its fixed-size runs come out like the published ones.
 */
record NodeMix(String name, List<Size> sizes) {

  /** So many nodes of that many cores and GPUs. */
  record Size(int nodes, int cores, int gpus) {}

  /** Taken of each node by pods of the system, in thousandths of a core. */
  static final int SYSTEM_CPU = 380;

  static final NodeMix FITTED = cpu(86, 12, 47, 28);

  NodeMix {
    sizes = List.copyOf(sizes);
  }

  static NodeMix cpu(int nodes, int cores, int others, int otherCores) {
    return new NodeMix(
        "%dx%d+%dx%d".formatted(nodes, cores, others, otherCores),
        List.of(new Size(nodes, cores, 0), new Size(others, otherCores, 0)));
  }

  static NodeMix gpu(int nodes, int gpus) {
    return new NodeMix("%dx%d GPUs".formatted(nodes, gpus), List.of(new Size(nodes, 96, gpus)));
  }

  /** The nodes, their names in the order of the list. */
  List<EdlMachine> machines(Random shuffle) {
    var shuffled = new ArrayList<Size>();
    sizes.forEach(size -> shuffled.addAll(Collections.nCopies(size.nodes(), size)));
    Collections.shuffle(shuffled, shuffle);
    var machines = new ArrayList<EdlMachine>();
    for (var size : shuffled) {
      machines.add(
          new EdlMachine(
              "node-%03d".formatted(machines.size()),
              size.cores() * 1_000,
              size.gpus(),
              SYSTEM_CPU));
    }
    return machines;
  }
}
