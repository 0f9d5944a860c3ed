package io.muster.extender.core.decision.member;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Members that Muster has told to end so that their gang can start again; until they are gone they
 * are its own no more. Confined to the decision thread.
 */
public final class EndingMembers {

  private final Set<String> uids = new LinkedHashSet<>();
  private Instant toldAt = Instant.MIN;

  public void add(String uid) {
    uids.add(uid);
  }

  /** They are told to end, for the first time or again. */
  public void told(Instant now) {
    toldAt = now;
  }

  public boolean wereToldWithin(Duration time, Instant now) {
    return now.isBefore(toldAt.plus(time));
  }

  public void gone(String uid) {
    uids.remove(uid);
  }

  public boolean include(String uid) {
    return uids.contains(uid);
  }

  public boolean areNone() {
    return uids.isEmpty();
  }

  public int count() {
    return uids.size();
  }

  /** Their uids, as they change. */
  public Set<String> uids() {
    return Collections.unmodifiableSet(uids);
  }
}
