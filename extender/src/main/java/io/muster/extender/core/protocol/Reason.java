package io.muster.extender.core.protocol;

import io.muster.extender.core.plan.diagnosis.Diagnosis;
import java.util.Set;

/** Why a gang is where it is: one dominant reason at a time. The code is stable. */
public enum Reason {
  /** Fewer members exist than minAvailable. */
  MEMBERS_MISSING("MembersMissing"),
  /** The object in which the terms of the gang stand does not exist. */
  TERMS_MISSING("TermsMissing"),
  /** Members mount PersistentVolumeClaims that are not there. */
  VOLUME_CLAIMS_MISSING("VolumeClaimsMissing"),
  /** Gangs that start together with this one have not come yet. */
  GANGS_MISSING("GangsMissing"),
  /** Too little is free for minAvailable members together. */
  NO_ROOM("NoRoom"),
  /** The present nodes could not hold them even if they were empty. */
  TOO_LARGE("TooLarge"),
  /** Enough is free, in pieces that are too small. */
  FRAGMENTED("Fragmented"),
  /** Devices are free with too little of something else beside them. */
  NOT_ENOUGH_BESIDE("NotEnoughBeside"),
  /** There is room, but not in one domain. */
  TOPOLOGY("Topology"),
  /** There is room on nodes that selectors, affinities or volumes leave out. */
  NODES_UNSUITABLE("NodesUnsuitable"),
  /** There is room on nodes with taints that are not tolerated. */
  NODES_TAINTED("NodesTainted"),
  /** There is room on nodes that are not available. */
  NODES_UNAVAILABLE("NodesUnavailable"),
  /** Its queue has no devices left for it. */
  QUOTA("Quota"),
  /** It names a queue that there is not. */
  UNKNOWN_QUEUE("UnknownQueue"),
  /** It names a queue that does not let its namespace in. */
  QUEUE_NOT_ALLOWED("QueueNotAllowed"),
  /** There is room, kept for a gang that comes before it. */
  BEHIND_BACKFILL_RESERVATION("BehindBackfillReservation"),
  /** Others end to make room for it. */
  PREEMPTING("Preempting"),
  /** It has run for its run-time limit. */
  RUN_TIME_LIMIT("RunTimeLimit"),
  /** The NVLink domain that its members claim cannot be had. */
  NVLINK_DOMAIN("NvlinkDomain"),
  /** The PodGroup that its members are in cannot be had. */
  POD_GROUP("PodGroup"),
  /** Annotations that cannot be honoured. */
  INVALID_TERMS("InvalidTerms"),
  /** Gates of somebody else hold members back. */
  HELD_BY_OTHER_GATES("HeldByOtherGates"),
  /** Deciding about it met a fault of Muster's own; it is tried again later. */
  MUSTER_FAULT("MusterFault"),
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
  /** It ends as a whole for a gang that comes before it. */
  PREEMPTED("Preempted"),
  /** The namespace only observes; the sentence says what would become of the gang. */
  SHADOW("Shadow"),
  /** Another scheduler starts the gang; Muster only counts and tells. */
  OBSERVED("Observed"),
  /** Every member has ended. */
  FINISHED("Finished");

  private static final Set<Reason> OF_WAITING =
      Set.of(
          MEMBERS_MISSING,
          TERMS_MISSING,
          VOLUME_CLAIMS_MISSING,
          GANGS_MISSING,
          NO_ROOM,
          TOO_LARGE,
          FRAGMENTED,
          NOT_ENOUGH_BESIDE,
          TOPOLOGY,
          NODES_UNSUITABLE,
          NODES_TAINTED,
          NODES_UNAVAILABLE,
          QUOTA,
          UNKNOWN_QUEUE,
          QUEUE_NOT_ALLOWED,
          BEHIND_BACKFILL_RESERVATION,
          PREEMPTING,
          RUN_TIME_LIMIT,
          NVLINK_DOMAIN,
          POD_GROUP,
          INVALID_TERMS,
          HELD_BY_OTHER_GATES,
          MUSTER_FAULT,
          HELD_OFF);

  private static final Set<Reason> OF_NO_ROOM =
      Set.of(
          NO_ROOM,
          TOO_LARGE,
          FRAGMENTED,
          NOT_ENOUGH_BESIDE,
          TOPOLOGY,
          NODES_UNSUITABLE,
          NODES_TAINTED,
          NODES_UNAVAILABLE);

  private static final Set<Reason> WITHOUT_ROOM_FOR_NOW =
      Set.of(BEHIND_BACKFILL_RESERVATION, PREEMPTING, RESTARTING, HELD_OFF, MUSTER_FAULT);

  private final String code;

  Reason(String code) {
    this.code = code;
  }

  /** Those of a gang that holds nothing and waits. */
  public static Set<Reason> ofWaiting() {
    return OF_WAITING;
  }

  /** Whether it is the nodes that have no room for it. */
  public boolean isWantOfRoom() {
    return OF_NO_ROOM.contains(this);
  }

  /** Whether nodes that are added might let it start. */
  public boolean isHelpedByNodes() {
    return isWantOfRoom() || WITHOUT_ROOM_FOR_NOW.contains(this);
  }

  /** What the planner has found. */
  public static Reason of(Diagnosis.Cause cause) {
    return switch (cause) {
      case TOO_LARGE -> TOO_LARGE;
      case NOT_ENOUGH_FREE -> NO_ROOM;
      case FRAGMENTED -> FRAGMENTED;
      case NOT_ENOUGH_BESIDE -> NOT_ENOUGH_BESIDE;
      case TOPOLOGY -> TOPOLOGY;
      case UNSUITABLE -> NODES_UNSUITABLE;
      case TAINTED -> NODES_TAINTED;
      case UNAVAILABLE -> NODES_UNAVAILABLE;
    };
  }

  /** Stable code for objects, events and metrics. */
  public String code() {
    return code;
  }
}
