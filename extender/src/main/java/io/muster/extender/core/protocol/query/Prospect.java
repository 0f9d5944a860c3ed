package io.muster.extender.core.protocol.query;

import io.muster.extender.core.cluster.Pod;

/**
 * Whether pods that do not exist yet would start, were they made now. Immutable.
 *
 * @param starts whether their queues let all that must start together start, and there is room
 * @param reason why, as one word: {@value #ROOM}, {@value #NO_ROOM}, or that of a gang which its
 *     queue does not let start
 * @param sentence why, for users; byte-stable for the same state
 */
public record Prospect(boolean starts, String reason, String sentence) {

  private static final String ROOM = "Room";
  private static final String NO_ROOM = "NoRoom";

  /** Of pods that their queues would let start. */
  public Prospect(boolean starts, String sentence) {
    this(starts, starts ? ROOM : NO_ROOM, sentence);
  }

  /**
   * So many pods that are alike.
   *
   * @param pod as it would be seen once it is stored; its name and uid do not count
   */
  public record Lot(Pod pod, int count) {}
}
