package io.muster.extender.core.protocol.query;

import io.muster.extender.core.cluster.Node;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a node has, in devices of every name. Immutable.
 *
 * @param used by pods on it
 * @param free neither in use nor reserved
 * @param gangs with pods on it, as {@code namespace/name}
 */
public record NodeStanding(Node node, long devices, long used, long free, SortedSet<String> gangs) {
  public NodeStanding {
    gangs = new TreeSet<>(gangs);
  }

  /** Devices that are reserved without a pod on them. */
  public long kept() {
    return Math.max(0, devices - used - free);
  }
}
