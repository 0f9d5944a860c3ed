package io.muster.extender.core.cluster;

/**
 * What many nodes offer, or many pods ask for, together: CPU in thousandths of a core, memory in
 * bytes, accelerators of every name in whole units. Immutable.
 */
public record ResourceSum(long cpuMillis, long memoryBytes, long devices) {

  /** Of nobody. */
  public static final ResourceSum NONE = new ResourceSum(0, 0, 0);

  /** With one more. */
  public ResourceSum plus(Resources more) {
    return new ResourceSum(
        cpuMillis + more.cpuMillis(), memoryBytes + more.memoryBytes(), devices + more.devices());
  }

  /** Without one of them. */
  public ResourceSum minus(Resources less) {
    return new ResourceSum(
        cpuMillis - less.cpuMillis(), memoryBytes - less.memoryBytes(), devices - less.devices());
  }
}
