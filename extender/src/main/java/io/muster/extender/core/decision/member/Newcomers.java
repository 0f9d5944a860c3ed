package io.muster.extender.core.decision.member;

import io.muster.extender.core.cluster.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Members of a gang that runs whose owner has none in it: as of a Job that is deleted and made
 * anew, whose new pods come while the old ones go. They wait until nobody has been deleted for a
 * moment; if nobody is left of the others, they start together. Confined to the decision thread.
 */
public final class Newcomers {

  private static final Duration SETTLED = Duration.ofSeconds(3);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final Members members;
  private final Predicate<Pod> comesLater;
  private final Set<String> held = new HashSet<>();

  /** Who has none but these. */
  private final Set<String> heldOwners = new HashSet<>();

  private Instant heldSince = Instant.MIN;
  private Instant leftAt = Instant.MIN;

  /**
   * @param members of the gang
   * @param comesLater whether the member is declared to, and waits for nobody
   */
  public Newcomers(Members members, Predicate<Pod> comesLater) {
    this.members = members;
    this.comesLater = comesLater;
  }

  /** A version of a member comes after the one that is known. */
  public void seen(Pod pod, Instant now) {
    if (pod.progress().deleting() && wasLive(pod.key().uid())) {
      leftAt = now;
    }
  }

  public void gone(String uid, Instant now) {
    if (wasLive(uid)) {
      leftAt = now;
    }
    held.remove(uid);
    if (held.isEmpty()) {
      heldOwners.clear();
    }
  }

  private boolean wasLive(String uid) {
    return members.find(uid).filter(members::isLive).isPresent();
  }

  public void forget() {
    held.clear();
    heldOwners.clear();
  }

  public boolean include(String uid) {
    return held.contains(uid);
  }

  public boolean areNone() {
    return held.isEmpty();
  }

  /** Whether the member has to wait; then it is one of them. */
  public boolean holdBack(Pod pod, Instant now) {
    var uid = pod.key().uid();
    if (!held.contains(uid) && pod.isGatedByMuster() && isOfAnotherOwner(pod)) {
      heldSince = held.isEmpty() ? now : heldSince;
      held.add(uid);
      pod.origin().controllerUid().ifPresent(heldOwners::add);
    }
    return held.contains(uid);
  }

  public boolean areSettled(Instant now) {
    var last = heldSince.isAfter(leftAt) ? heldSince : leftAt;
    return !now.isBefore(last.plus(SETTLED)) || !now.isBefore(heldSince.plus(LONGEST));
  }

  private boolean isOfAnotherOwner(Pod pod) {
    return !comesLater.test(pod)
        && pod.origin().controllerUid().filter(this::hasNoneBeside).isPresent();
  }

  private boolean hasNoneBeside(String owner) {
    return heldOwners.contains(owner)
        || members.ofOwner(owner).noneMatch(other -> other.isBound() || members.hasStarted(other));
  }

  /** They wait no more. */
  public Set<String> takeAll() {
    var all = Set.copyOf(held);
    forget();
    return all;
  }
}
