package io.muster.extender.core.decision.member;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Members of one gang that were bound past Muster: since when that is known, and of whom it has
 * been said. Confined to the decision thread.
 */
public final class Bypasses {

  private final Map<String, Instant> since = new HashMap<>();
  private final Set<String> told = new HashSet<>();
  private Instant endedAt = Instant.MIN;

  public void note(String uid, Instant now) {
    since.putIfAbsent(uid, now);
  }

  public boolean areNone() {
    return since.isEmpty();
  }

  public boolean include(String uid) {
    return since.containsKey(uid);
  }

  /** Since when that is known of the member. */
  public Optional<Instant> since(String uid) {
    return Optional.ofNullable(since.get(uid));
  }

  /** It is said of that member; says whether for the first time. */
  public boolean tell(String uid) {
    return told.add(uid);
  }

  public int told() {
    return told.size();
  }

  /** Some were told to end. */
  public void ended(Instant now) {
    endedAt = now;
  }

  public boolean wereEndedWithin(Duration time, Instant now) {
    return now.isBefore(endedAt.plus(time));
  }

  public void gone(String uid) {
    since.remove(uid);
    told.remove(uid);
  }
}
