package io.muster.extender.core.protocol;

/**
 * How gangs are placed, as the administrator has set it. Immutable.
 *
 * @param pins when members are tied to their places before kube-scheduler asks about them; of no
 *     effect in {@link PlacementMode#AFFINITY}, where every member of a starting gang is
 */
public record Rules(PlacementMode placement, PinPolicy pins) {

  /** kube-scheduler asks Muster, which ties members by this policy. */
  public static Rules extender(PinPolicy pins) {
    return new Rules(PlacementMode.EXTENDER, pins);
  }

  /** kube-scheduler does not ask. */
  public static Rules affinity() {
    return new Rules(PlacementMode.AFFINITY, PinPolicy.NEVER);
  }
}
