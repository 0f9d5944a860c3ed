package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The kinds of fake nodes there are, by name. */
public enum NodeShape {
  CPU(16, 64, 0),
  GPU1(32, 128, 1),
  GPU4(64, 512, 4),
  GPU8(128, 1024, 8);

  private static final int PODS = 110;

  private final int cores;
  private final int memoryGib;
  private final int gpus;

  NodeShape(int cores, int memoryGib, int gpus) {
    this.cores = cores;
    this.memoryGib = memoryGib;
    this.gpus = gpus;
  }

  public int gpus() {
    return gpus;
  }

  /** The name on the command line and in node names: {@code gpu8}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Map<String, Quantity> capacity() {
    var capacity = new HashMap<String, Quantity>();
    capacity.put("cpu", new Quantity(Integer.toString(cores)));
    capacity.put("memory", new Quantity(memoryGib + "Gi"));
    capacity.put("ephemeral-storage", new Quantity("1Ti"));
    capacity.put("pods", new Quantity(Integer.toString(PODS)));
    if (gpus > 0) {
      capacity.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
    }
    return capacity;
  }

  /** What GPU feature discovery would say about such a node. */
  Map<String, String> labels() {
    return gpus == 0
        ? Map.of()
        : Map.of(
            "nvidia.com/gpu.present", "true",
            "nvidia.com/gpu.count", Integer.toString(gpus),
            "nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3",
            "nvidia.com/gpu.memory", "81559");
  }
}
