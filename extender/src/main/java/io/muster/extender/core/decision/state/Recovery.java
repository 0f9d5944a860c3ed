package io.muster.extender.core.decision.state;

import java.time.Instant;
import java.util.Set;

/** What a life of Muster found of a gang that began in an earlier one. */
public final class Recovery {

  /**
   * With what a life of Muster took a gang up.
   *
   * @param at when; {@link Instant#MIN} if it began in this life
   * @param isUnrecorded nothing was stored of it
   * @param recorded uids of the members of its record
   */
  public record TakenUp(Instant at, boolean isUnrecorded, Set<String> recorded) {

    /** It began in this life. */
    public static final TakenUp NOT = new TakenUp(Instant.MIN, false, Set.of());
  }

  private boolean isUnderWay;
  private boolean wasStored;
  private boolean wasEnding;
  private TakenUp takenUp = TakenUp.NOT;

  /** Its object is there; its members are still to be told. */
  void begin(boolean ending) {
    isUnderWay = true;
    wasStored = true;
    wasEnding = ending;
  }

  /** All of its members have been told. */
  public void end() {
    isUnderWay = false;
  }

  public void takeUp(TakenUp how) {
    takenUp = how;
  }

  /** Another incarnation begins, which is of this life. */
  void forget() {
    takenUp = TakenUp.NOT;
  }

  /** Stored state has been told, but not yet all members: no life begins meanwhile. */
  public boolean isUnderWay() {
    return isUnderWay;
  }

  /** Whether its object was there before this life of Muster, which has not told anything yet. */
  public boolean wasStored() {
    return wasStored;
  }

  /** Whether it is stored that members of an earlier incarnation were to end. */
  public boolean wasEnding() {
    return wasEnding;
  }

  public TakenUp takenUp() {
    return takenUp;
  }
}
