package io.muster.controller.core.job;

/**
 * What becomes of lost members. Immutable.
 *
 * @param which of them are recreated
 * @param anHour how many of a role at most within any hour
 * @param ofOne how often one member at most; those that were killed from outside do not count
 * @param inAll how often those of followed size that keep their names, all together; one failure
 *     more is the end of the job
 * @param keeps what who takes a lost one's place has of it
 * @param isPaced whether those of followed size are recreated ever more slowly, as long as it goes
 *     on
 * @param isTogether whether all members of a role of followed size are lost with any of them
 */
public record Recovery(
    Replacement which,
    int anHour,
    int ofOne,
    int inAll,
    Keeps keeps,
    boolean isPaced,
    boolean isTogether) {

  private static final int ANY = Integer.MAX_VALUE;

  /** What a lost member leaves to who takes its place. */
  public enum Keeps {
    NOTHING,
    /** Its rank, under an index of its own. */
    RANK,
    /** Its index, and so its name and rank: it is made once the lost one is gone. */
    NAME
  }

  /** As often as members are lost. */
  public static Recovery of(Replacement which) {
    return new Recovery(which, ANY, ANY, ANY, Keeps.NOTHING, false, false);
  }

  /** The same within an hourly limit. */
  public Recovery withinAnHour(int most) {
    return new Recovery(which, most, ofOne, inAll, keeps, isPaced, isTogether);
  }

  /** The same, but one member not so often. */
  public Recovery ofOne(int most) {
    return new Recovery(which, anHour, most, inAll, keeps, isPaced, isTogether);
  }

  /** The same, but all together not so often. */
  public Recovery inAll(int most) {
    return new Recovery(which, anHour, ofOne, most, keeps, isPaced, isTogether);
  }

  /** The same, and ranks stay. */
  public Recovery keepingRanks() {
    return new Recovery(which, anHour, ofOne, inAll, Keeps.RANK, isPaced, isTogether);
  }

  /** The same, and names stay. */
  public Recovery keepingNames() {
    return new Recovery(which, anHour, ofOne, inAll, Keeps.NAME, isPaced, isTogether);
  }

  /** The same, ever more slowly. */
  public Recovery paced() {
    return new Recovery(which, anHour, ofOne, inAll, keeps, true, isTogether);
  }

  /** The same, all of them with any. */
  public Recovery together() {
    return new Recovery(which, anHour, ofOne, inAll, keeps, isPaced, true);
  }

  public boolean keepsRank() {
    return keeps == Keeps.RANK;
  }
}
