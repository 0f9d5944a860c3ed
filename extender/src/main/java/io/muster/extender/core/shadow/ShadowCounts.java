package io.muster.extender.core.shadow;

import io.muster.extender.core.bounds.Bounds;

/**
 * What was seen of one namespace in shadow over some time. None is negative; sums end at the
 * largest long. Immutable.
 *
 * @param gangs gangs of which a first member was seen
 * @param whole gangs of which enough members were bound, without Muster
 * @param inPart gangs of which some members were bound, and not enough, for longer than it takes to
 *     bind one after the other
 * @param podsEarly members that were bound in those gangs before enough could be
 * @param deviceSeconds devices that those members held until the gang was whole, times seconds
 * @param refused pods that the webhook would have refused
 */
public record ShadowCounts(
    long gangs, long whole, long inPart, long podsEarly, long deviceSeconds, long refused) {

  /** Nothing was seen. */
  public static final ShadowCounts NONE = new ShadowCounts(0, 0, 0, 0, 0, 0);

  /** A pod that would have been refused. */
  public static final ShadowCounts REFUSED = new ShadowCounts(0, 0, 0, 0, 0, 1);

  public ShadowCounts {
    if (gangs < 0 || whole < 0 || inPart < 0 || podsEarly < 0 || deviceSeconds < 0 || refused < 0) {
      throw new IllegalArgumentException("counts are not negative");
    }
  }

  /** Both together. */
  public ShadowCounts plus(ShadowCounts other) {
    return new ShadowCounts(
        Bounds.sum(gangs, other.gangs),
        Bounds.sum(whole, other.whole),
        Bounds.sum(inPart, other.inPart),
        Bounds.sum(podsEarly, other.podsEarly),
        Bounds.sum(deviceSeconds, other.deviceSeconds),
        Bounds.sum(refused, other.refused));
  }
}
