package io.muster.controller.core.state;

import java.util.Optional;

/**
 * A pod of a job as it is seen. Immutable.
 *
 * @param isDeleting somebody has it go that had not ended before
 * @param resize that it was made for
 * @param exitCode of the first container that has ended
 * @param isBlameless if it has failed, that was not its own doing
 */
public record Member(
    String name,
    String uid,
    String role,
    int index,
    Phase phase,
    boolean isDeleting,
    Optional<String> node,
    Optional<String> resize,
    Optional<String> reason,
    Optional<Integer> exitCode,
    boolean isBlameless) {

  /** Of its life, as Kubernetes has it. */
  public enum Phase {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED
  }

  /** Whether it runs and is to stay. */
  public boolean isUp() {
    return phase == Phase.RUNNING && !isDeleting;
  }

  /** The same after it was deleted. */
  public Member leaving() {
    return new Member(
        name, uid, role, index, phase, true, node, resize, reason, exitCode, isBlameless);
  }

  /** Whether it has done what it was for, and nobody has it go. */
  public boolean hasDoneWell() {
    return phase == Phase.SUCCEEDED && !isDeleting;
  }

  /** The same, made for that resize. */
  public Member madeFor(Optional<String> request) {
    return new Member(
        name, uid, role, index, phase, isDeleting, node, request, reason, exitCode, isBlameless);
  }

  public boolean isEvicted() {
    return reason.filter("Evicted"::equals).isPresent();
  }

  public boolean hasEnded() {
    return phase == Phase.SUCCEEDED || phase == Phase.FAILED;
  }

  /** Whether it has ended by itself: how a deleted one dies says nothing of it. */
  public boolean hasEndedByItself() {
    return hasEnded() && !isDeleting;
  }
}
