package io.muster.extender.core.decision;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Members that Muster has told to end so that their gang can start again; until they are gone they
 * are its own no more. Confined to the decision thread.
 */
final class EndingMembers {

  private final Set<String> uids = new LinkedHashSet<>();
  private Instant toldAt = Instant.MIN;

  void add(String uid) {
    uids.add(uid);
  }

  /** They are told to end, for the first time or again. */
  void told(Instant now) {
    toldAt = now;
  }

  boolean wereToldWithin(Duration time, Instant now) {
    return now.isBefore(toldAt.plus(time));
  }

  void gone(String uid) {
    uids.remove(uid);
  }

  boolean include(String uid) {
    return uids.contains(uid);
  }

  boolean areNone() {
    return uids.isEmpty();
  }

  int count() {
    return uids.size();
  }

  /** Their uids, as they change. */
  Set<String> uids() {
    return Collections.unmodifiableSet(uids);
  }
}
