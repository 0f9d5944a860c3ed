package io.muster.extender.core.protocol;

import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.Optional;

/**
 * What users read of a gang in {@code kubectl get gangs}. Immutable.
 *
 * @param members live members seen
 * @param bound members on a node, those that have succeeded included
 * @param position in the queue of all gangs that wait with enough members, from 1; empty for any
 *     other, and until it has been counted
 * @param expectedStart empty where it does not wait, and where nobody knows
 * @param reason stable code of the one dominant reason
 * @param message the reason as one sentence
 * @param remedy what would change it, one sentence; empty if nothing is to be done
 */
public record GangReport(
    Phase phase,
    int members,
    int bound,
    Optional<Integer> position,
    Optional<ExpectedStart> expectedStart,
    Reason reason,
    String message,
    String remedy) {

  /** Of a gang without a position, of which no start is expected. */
  public GangReport(
      Phase phase, int members, int bound, Reason reason, String message, String remedy) {
    this(phase, members, bound, Optional.empty(), Optional.empty(), reason, message, remedy);
  }

  /** The same with another position and expected start. */
  public GangReport inQueue(Optional<Integer> place, Optional<ExpectedStart> start) {
    return new GangReport(phase, members, bound, place, start, reason, message, remedy);
  }
}
