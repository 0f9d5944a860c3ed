package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.plan.packing.SharedCluster.Ask;
import io.muster.extender.core.plan.packing.SharedCluster.Machine;
import java.util.List;
import java.util.Map;

/** Machines and pods of a cluster on paper, as a live one shows them: devices counted whole. */
public final class WholeDevices {

  /** The name that they have there. */
  public static final String GPU = "nvidia.com/gpu";

  /** Pods that a node takes at most. */
  public static final int PODS_OF_A_NODE = 110;

  private WholeDevices() {}

  /** An available node without labels or taints. */
  public static Node node(Machine machine) {
    return new Node(
        machine.name(),
        Map.of(),
        List.of(),
        Node.Availability.READY,
        offered(machine),
        PODS_OF_A_NODE);
  }

  /** What the machine offers. */
  public static Resources offered(Machine machine) {
    return resources(machine.cpuMillis(), machine.memoryBytes(), machine.devices());
  }

  /** What the pod asks for. */
  public static Resources asked(Ask ask) {
    return resources(ask.cpuMillis(), ask.memoryBytes(), ask.devices());
  }

  private static Resources resources(long cpuMillis, long memoryBytes, int devices) {
    return new Resources(cpuMillis, memoryBytes, Map.of(GPU, (long) devices));
  }
}
