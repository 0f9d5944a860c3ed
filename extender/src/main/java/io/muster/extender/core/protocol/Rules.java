package io.muster.extender.core.protocol;

import io.muster.extender.core.queue.Waiting;

/**
 * How gangs are placed, as the administrator has set it. Immutable.
 *
 * @param pins when members are tied to their places before kube-scheduler asks about them; of no
 *     effect in {@link PlacementMode#AFFINITY}, where every member of a starting gang is
 * @param speculativeShare percent of the cluster's devices, at most, that are kept for members that
 *     are not there yet while gangs wait whose members are; 0 to 100
 * @param waiting how long gangs wait before something is done for them
 */
public record Rules(
    PlacementMode placement, PinPolicy pins, int speculativeShare, Waiting waiting) {

  private static final int SHARE = 25;

  /** kube-scheduler asks Muster, which ties members by this policy. */
  public static Rules extender(PinPolicy pins) {
    return new Rules(PlacementMode.EXTENDER, pins, SHARE, Waiting.DEFAULT);
  }

  /** kube-scheduler does not ask. */
  public static Rules affinity() {
    return new Rules(PlacementMode.AFFINITY, PinPolicy.NEVER, SHARE, Waiting.DEFAULT);
  }
}
