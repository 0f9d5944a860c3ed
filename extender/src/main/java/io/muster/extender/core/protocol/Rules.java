package io.muster.extender.core.protocol;

import io.muster.extender.core.queue.Waiting;

/**
 * How gangs are placed, as the administrator has set it. Immutable.
 *
 * @param pins when members get required node affinity to their planned nodes as their gate is
 *     removed; of no effect in {@link PlacementMode#AFFINITY}, where every member of a starting
 *     gang is
 * @param waiting how long gangs wait before something is done for them
 */
public record Rules(PlacementMode placement, NodePinPolicy pins, Waiting waiting) {

  /** kube-scheduler asks Muster, which ties members by this policy. */
  public static Rules extender(NodePinPolicy pins) {
    return new Rules(PlacementMode.EXTENDER, pins, Waiting.DEFAULT);
  }

  /** The same, but that no gang is ended for another. */
  public Rules withoutPreemption() {
    return new Rules(placement, pins, waiting.withoutPreemption());
  }

  /** kube-scheduler does not ask. */
  public static Rules affinity() {
    return new Rules(PlacementMode.AFFINITY, NodePinPolicy.NEVER, Waiting.DEFAULT);
  }
}
