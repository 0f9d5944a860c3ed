package io.muster.extender.core.decision.burst;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The Bindings by which one gang starts: which are under way and which are done, since when it is
 * being completed, what keeps it from that, and whether it is being undone. A burst that is being
 * undone has a repair time; one of which nothing is left to complete has none. Confined to the
 * decision thread.
 */
public final class Burst {

  /** Members whose Binding has succeeded, seen on their nodes or not. */
  private final Set<String> bound = new HashSet<>();

  private final Set<String> underWay = new HashSet<>();
  private final Map<String, Instant> notBefore = new HashMap<>();

  /** Members whose last Binding the API server has refused. */
  private final Set<String> refused = new HashSet<>();

  /** Members whose Binding got no answer, and may have been carried out: until when that shows. */
  private final Map<String, Instant> unseen = new HashMap<>();

  private Instant sentSince = Instant.MIN;
  private Optional<Instant> repairFrom = Optional.empty();
  private Optional<Instant> blockedSince = Optional.empty();
  private boolean undoing;
  private Instant evictedAt = Instant.MIN;

  /** The record is stored: Bindings go out from now on. */
  public void begin(Instant now) {
    sentSince = now;
  }

  /** It was begun by an earlier life of Muster: its time is over. */
  public void takeUp(Instant repair) {
    sentSince = Instant.EPOCH;
    repairFrom = Optional.of(repair);
  }

  public boolean isOlderThan(Duration time, Instant now) {
    return now.isAfter(sentSince.plus(time));
  }

  /** A Binding of that member goes out. */
  public void sent(String uid) {
    underWay.add(uid);
  }

  /** Its end is known. */
  public void ended(String uid) {
    underWay.remove(uid);
  }

  public boolean isUnderWay(String uid) {
    return underWay.contains(uid);
  }

  public boolean isAnyUnderWay() {
    return !underWay.isEmpty();
  }

  public void bound(String uid) {
    bound.add(uid);
  }

  public boolean isBound(String uid) {
    return bound.contains(uid);
  }

  /** Members whose Binding has succeeded, as they change. */
  public Set<String> bound() {
    return Collections.unmodifiableSet(bound);
  }

  public void forgetBound() {
    bound.clear();
  }

  /** The API server has refused to bind that member. */
  public void refused(String uid, Instant now) {
    notBefore.put(uid, now);
    refused.add(uid);
    unseen.remove(uid);
  }

  /** Nobody has said what became of it; if it was carried out, that is seen before then. */
  public void unanswered(String uid, Instant retryAt, Instant seenBy) {
    notBefore.put(uid, retryAt);
    refused.remove(uid);
    unseen.put(uid, seenBy);
  }

  /** Whether a Binding is under way, or may have been carried out though nobody has said so. */
  public boolean mayBind(Instant now) {
    return !underWay.isEmpty() || unseen.values().stream().anyMatch(now::isBefore);
  }

  public boolean isRefused(String uid) {
    return refused.contains(uid);
  }

  /** The member is not sent again before. */
  public void restUntil(String uid, Instant retryAt) {
    notBefore.put(uid, retryAt);
  }

  public boolean maySend(String uid, Instant now) {
    return !underWay.contains(uid) && !notBefore.getOrDefault(uid, Instant.MIN).isAfter(now);
  }

  /** It is completed from then on, or undone. */
  public void repairFrom(Instant when) {
    repairFrom = Optional.of(when);
  }

  /** The same, unless that is due at some time already. */
  public void repairUnlessDue(Instant when) {
    if (repairFrom.isEmpty()) {
      repairFrom = Optional.of(when);
    }
  }

  /** Whether it is to be completed, now or later. */
  public boolean isToBeRepaired() {
    return repairFrom.isPresent();
  }

  public boolean isRepairDue(Instant now) {
    return repairFrom.filter(from -> !now.isBefore(from)).isPresent();
  }

  /** Whether others may still be binding its members. */
  public boolean isRepairedLater(Instant now) {
    return repairFrom.filter(now::isBefore).isPresent();
  }

  /** Whether it cannot be completed, for a reason that somebody has given. */
  public void noteWhetherBlocked(boolean isBlocked, Instant now) {
    if (!isBlocked) {
      blockedSince = Optional.empty();
    } else if (blockedSince.isEmpty()) {
      blockedSince = Optional.of(now);
    }
  }

  public boolean isBlockedLongerThan(Duration patience, Instant now) {
    return blockedSince.filter(since -> now.isAfter(since.plus(patience))).isPresent();
  }

  /** Nothing is left to complete or to undo; of what kept it up the next burst knows nothing. */
  public void endRepair() {
    repairFrom = Optional.empty();
    blockedSince = Optional.empty();
    notBefore.clear();
    refused.clear();
  }

  /** Its members are told to end. */
  public void undo() {
    undoing = true;
  }

  public boolean isBeingUndone() {
    return undoing;
  }

  /** It goes on, or all of its members have ended. */
  public void endUndoing() {
    undoing = false;
  }

  /** Its members were told to end. */
  public void evicted(Instant now) {
    evictedAt = now;
  }

  public boolean wasEvictedWithin(Duration time, Instant now) {
    return now.isBefore(evictedAt.plus(time));
  }

  public void memberGone(String uid) {
    bound.remove(uid);
    underWay.remove(uid);
    notBefore.remove(uid);
    refused.remove(uid);
    unseen.remove(uid);
  }

  /** Another incarnation begins. */
  public void forget() {
    bound.clear();
    underWay.clear();
    unseen.clear();
    endRepair();
    undoing = false;
  }
}
