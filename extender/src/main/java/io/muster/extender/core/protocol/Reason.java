package io.muster.extender.core.protocol;

import java.util.Set;

/** Why a gang is where it is: one dominant reason at a time. The code is stable. */
public enum Reason {
  /** Fewer members exist than minAvailable. */
  MEMBERS_MISSING("MembersMissing"),
  /** Gangs that start together with this one have not come yet. */
  GANGS_MISSING("GangsMissing"),
  /** The present nodes have no room for minAvailable members together. */
  NO_ROOM("NoRoom"),
  /** Annotations that cannot be honoured. */
  INVALID_TERMS("InvalidTerms"),
  /** Gates of somebody else hold members back. */
  HELD_BY_OTHER_GATES("HeldByOtherGates"),
  /** An attempt failed and the next one is held off for a while. */
  HELD_OFF("HeldOff"),
  /** Places are reserved, members are on their way. */
  RESERVED("Reserved"),
  /** Bindings are being written. */
  BINDING("Binding"),
  /** Bindings were cut off and are being completed. */
  COMPLETING("Completing"),
  /** At least minAvailable members are bound. */
  SATISFIED("Satisfied"),
  /** Members were lost after the start, fewer than minAvailable are left. */
  BELOW_MINIMUM("BelowMinimum"),
  /** The same, and what becomes of the gang is its owner's business. */
  LEFT_TO_OWNER("LeftToOwner"),
  /** A member was lost and the others end, so that all start again together. */
  RESTARTING("Restarting"),
  /** The namespace only looks on; the sentence says what would become of the gang. */
  SHADOW("Shadow"),
  /** Every member has ended. */
  FINISHED("Finished");

  private static final Set<Reason> OF_WAITING =
      Set.of(MEMBERS_MISSING, GANGS_MISSING, NO_ROOM, INVALID_TERMS, HELD_BY_OTHER_GATES, HELD_OFF);

  private final String code;

  Reason(String code) {
    this.code = code;
  }

  /** Those of a gang that holds nothing and waits. */
  public static Set<Reason> ofWaiting() {
    return OF_WAITING;
  }

  /** Stable code for objects, events and metrics. */
  public String code() {
    return code;
  }
}
