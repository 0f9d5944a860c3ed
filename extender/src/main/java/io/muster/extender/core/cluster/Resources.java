package io.muster.extender.core.cluster;

import java.util.Map;
import java.util.TreeMap;

/**
 * An amount of what a node offers or a pod asks for. CPU in thousandths of a core, memory in bytes,
 * everything else (GPUs and other extended resources) counted in whole units under its resource
 * name. Never negative. Immutable.
 */
public record Resources(long cpuMillis, long memoryBytes, Map<String, Long> extended) {

  /** Nothing at all. */
  public static final Resources NONE = new Resources(0, 0, Map.of());

  public Resources {
    extended = Map.copyOf(extended);
    if (cpuMillis < 0 || memoryBytes < 0 || extended.values().stream().anyMatch(v -> v < 0)) {
      throw new IllegalArgumentException(
          "negative amount: cpu %dm, memory %d, %s".formatted(cpuMillis, memoryBytes, extended));
    }
  }

  /** Units of one extended resource; 0 where it is not named. */
  public long of(String resourceName) {
    return extended.getOrDefault(resourceName, 0L);
  }

  /** The sum of both. */
  public Resources plus(Resources other) {
    return new Resources(
        cpuMillis + other.cpuMillis,
        memoryBytes + other.memoryBytes,
        merged(extended, other.extended, 1));
  }

  /** The difference; fails where it would be negative, which is a fault of the book-keeping. */
  public Resources minus(Resources other) {
    return new Resources(
        cpuMillis - other.cpuMillis,
        memoryBytes - other.memoryBytes,
        merged(extended, other.extended, -1));
  }

  /** Per resource the larger of both, as init containers and containers share one budget. */
  public Resources max(Resources other) {
    var most = new TreeMap<>(extended);
    other.extended.forEach((name, units) -> most.merge(name, units, Math::max));
    return new Resources(
        Math.max(cpuMillis, other.cpuMillis), Math.max(memoryBytes, other.memoryBytes), most);
  }

  private static Map<String, Long> merged(Map<String, Long> a, Map<String, Long> b, int sign) {
    if (b.isEmpty()) {
      return a;
    }
    var sum = new TreeMap<>(a);
    b.forEach((name, units) -> sum.merge(name, sign * units, Long::sum));
    sum.values().removeIf(units -> units == 0);
    return sum;
  }
}
