package io.muster.extender.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;

/**
 * What a node offers or a pod takes of it. CPU in thousandths of a core, memory in bytes,
 * everything else (GPUs and other extended resources) counted in whole units under its resource
 * name; and the ports of the node, and what else one pod of it alone may have. Never negative.
 * Immutable.
 */
public record Resources(
    long cpuMillis, long memoryBytes, Map<String, Long> extended, List<HostPort> hostPorts) {

  /** Nothing at all. */
  public static final Resources NONE = new Resources(0, 0, Map.of());

  public Resources {
    extended = Map.copyOf(extended);
    hostPorts = List.copyOf(hostPorts);
    boolean isNegative = cpuMillis < 0 || memoryBytes < 0;
    for (long units : extended.values()) {
      isNegative |= units < 0;
    }
    if (isNegative) {
      throw new IllegalArgumentException(
          "negative amount: cpu %dm, memory %d, %s".formatted(cpuMillis, memoryBytes, extended));
    }
  }

  /** Amounts without a port. */
  public Resources(long cpuMillis, long memoryBytes, Map<String, Long> extended) {
    this(cpuMillis, memoryBytes, extended, List.of());
  }

  /** The same amounts with these ports. */
  public Resources withHostPorts(List<HostPort> ports) {
    return new Resources(cpuMillis, memoryBytes, extended, ports);
  }

  /** Whether a port of each cannot be on one node. */
  public boolean collidesWith(Resources other) {
    return collision(other).isPresent();
  }

  /** What of these cannot be on one node with the other. */
  public Optional<HostPort> collision(Resources other) {
    return hostPorts.isEmpty()
        ? Optional.empty()
        : hostPorts.stream()
            .filter(port -> other.hostPorts.stream().anyMatch(port::collidesWith))
            .findFirst();
  }

  /** Units of one extended resource; 0 where it is not named. */
  public long of(String resourceName) {
    return extended.getOrDefault(resourceName, 0L);
  }

  /** Of {@code cpu} in thousandths, of {@code memory} in bytes, or of such a resource. */
  public long amount(String name) {
    return switch (name) {
      case "cpu" -> cpuMillis;
      case "memory" -> memoryBytes;
      default -> of(name);
    };
  }

  /** Tells each accelerator of which there is at least one unit, in no order. */
  public void eachAccelerator(ObjLongConsumer<String> told) {
    extended.forEach((name, units) -> {
      if (units > 0 && Accelerators.isManaged(name)) {
        told.accept(name, units);
      }
    });
  }

  /** Units of accelerators, whatever their names. */
  public long devices() {
    long sum = 0;
    for (var entry : extended.entrySet()) {
      if (Accelerators.isManaged(entry.getKey())) {
        sum += entry.getValue();
      }
    }
    return sum;
  }

  /** The amounts as their user might write them: {@code cpu 8, memory 16Gi, nvidia.com/gpu 1}. */
  public String shown() {
    var shown = new ArrayList<String>();
    if (cpuMillis > 0) {
      shown.add("cpu " + (cpuMillis % 1000 == 0 ? cpuMillis / 1000 : cpuMillis + "m"));
    }
    if (memoryBytes > 0) {
      shown.add("memory " + binary(memoryBytes));
    }
    new TreeMap<>(extended).forEach((name, units) -> shown.add(name + " " + units));
    return shown.isEmpty() ? "no amounts" : String.join(", ", shown);
  }

  private static String binary(long bytes) {
    var units = List.of("", "Ki", "Mi", "Gi", "Ti");
    int unit = 0;
    long amount = bytes;
    while (amount % 1024 == 0 && unit < units.size() - 1) {
      amount /= 1024;
      unit++;
    }
    return amount + units.get(unit);
  }

  /** The sum of both. */
  public Resources plus(Resources other) {
    return new Resources(
        cpuMillis + other.cpuMillis,
        memoryBytes + other.memoryBytes,
        merged(extended, other.extended, 1),
        other.hostPorts.isEmpty()
            ? hostPorts
            : Stream.concat(hostPorts.stream(), other.hostPorts.stream()).toList());
  }

  /** The difference; fails where it would be negative, which is a fault of the book-keeping. */
  public Resources minus(Resources other) {
    return new Resources(
        cpuMillis - other.cpuMillis,
        memoryBytes - other.memoryBytes,
        merged(extended, other.extended, -1),
        without(hostPorts, other.hostPorts));
  }

  /**
   * Per resource the larger of both, as init containers and containers share one budget. Ports are
   * left as they are here.
   */
  public Resources max(Resources other) {
    var most = new TreeMap<>(extended);
    other.extended.forEach((name, units) -> most.merge(name, units, Math::max));
    return new Resources(
        Math.max(cpuMillis, other.cpuMillis),
        Math.max(memoryBytes, other.memoryBytes),
        most,
        hostPorts);
  }

  private static Map<String, Long> merged(Map<String, Long> a, Map<String, Long> b, int sign) {
    if (b.isEmpty()) {
      return a;
    }
    if (sign > 0 && a.isEmpty() && !b.containsValue(0L)) {
      return b;
    }
    if (sign < 0 && a.equals(b)) {
      return Map.of();
    }
    var sum = new TreeMap<>(a);
    b.forEach((name, units) -> sum.merge(name, sign * units, Long::sum));
    sum.values().removeIf(units -> units == 0);
    return sum;
  }

  /** Each of the others is taken out once: more than one pod may have been given the same port. */
  private static List<HostPort> without(List<HostPort> ports, List<HostPort> others) {
    if (others.isEmpty()) {
      return ports;
    }
    var left = new ArrayList<>(ports);
    others.forEach(left::remove);
    return left;
  }
}
