package io.muster.extender.core.protocol.query;

import io.muster.extender.core.cluster.Pod;

/**
 * Whether pods that do not exist yet would start, were they made now. Immutable.
 *
 * @param starts whether there is room for all that must start together
 * @param sentence why, for users; byte-stable for the same state
 */
public record Prospect(boolean starts, String sentence) {

  /**
   * So many pods that are alike.
   *
   * @param pod as it would be seen once it is stored; its name and uid do not count
   */
  public record Lot(Pod pod, int count) {}
}
