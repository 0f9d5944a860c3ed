package io.muster.controller.core.job;

/**
 * What becomes of lost members. Immutable.
 *
 * @param which of them are made anew
 * @param anHour how many of a role at most within any hour
 * @param ofOne how often one member at most; those that were killed from outside do not count
 * @param keepsRank whether who takes a lost one's place has its rank, under an index of its own
 */
public record Recovery(Replacement which, int anHour, int ofOne, boolean keepsRank) {

  /** As often as members are lost. */
  public static Recovery of(Replacement which) {
    return new Recovery(which, Integer.MAX_VALUE, Integer.MAX_VALUE, false);
  }

  /** The same within an hourly limit. */
  public Recovery withinAnHour(int most) {
    return new Recovery(which, most, ofOne, keepsRank);
  }

  /** The same, but one member not so often. */
  public Recovery ofOne(int most) {
    return new Recovery(which, anHour, most, keepsRank);
  }

  /** The same, and ranks stay. */
  public Recovery keepingRanks() {
    return new Recovery(which, anHour, ofOne, true);
  }
}
