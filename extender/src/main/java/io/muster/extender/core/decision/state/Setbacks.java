package io.muster.extender.core.decision.state;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What failures of one gang have led to: for how long it is not tried again, and which nodes it is
 * kept away from. Both times double with each further failure. Confined to the decision thread.
 */
public final class Setbacks {

  private static final Duration FIRST_HOLD_OFF = Duration.ofSeconds(1);
  private static final Duration LONGEST_HOLD_OFF = Duration.ofMinutes(5);
  private static final Duration LONGEST_OF_A_BURST = Duration.ofSeconds(30);
  private static final Duration NODE_BLAME = Duration.ofSeconds(60);
  private static final int MOST_DOUBLINGS = 5;

  private int failures;
  private Instant holdOffUntil = Instant.MIN;
  private final Map<String, Instant> excludedUntil = new HashMap<>();
  private final Map<String, Integer> blames = new HashMap<>();
  private Optional<String> lastFailure = Optional.empty();
  private Instant recreatedAt = Instant.MIN;

  /** Why an attempt has failed, in one sentence. */
  public void failed(String why) {
    lastFailure = Optional.of(why);
  }

  /** Why the last attempt has failed, while the gang is kept away from nodes. */
  public Optional<String> keptAwayFor() {
    return excludedUntil.isEmpty() ? Optional.empty() : lastFailure;
  }

  /** Has the gang wait for a second, twice as long each further time. */
  public void holdOff(Instant now) {
    holdOff(LONGEST_HOLD_OFF, now);
  }

  /** The same, but for half a minute at most: half a gang has its devices for nothing meanwhile. */
  public void holdOffBurst(Instant now) {
    holdOff(LONGEST_OF_A_BURST, now);
  }

  private void holdOff(Duration longest, Instant now) {
    failures++;
    var wait = FIRST_HOLD_OFF.multipliedBy(1L << Math.min(failures - 1, 20));
    holdOffUntil = now.plus(wait.compareTo(longest) < 0 ? wait : longest);
  }

  public boolean isHeldOff(Instant now) {
    return now.isBefore(holdOffUntil);
  }

  public Instant holdOffUntil() {
    return holdOffUntil;
  }

  /** Keeps the gang away from a node for a minute, twice as long each further time. */
  public void blame(String node, Instant now) {
    int times = Math.min(blames.merge(node, 1, Integer::sum), MOST_DOUBLINGS);
    excludedUntil.put(node, now.plus(NODE_BLAME.multipliedBy(1L << (times - 1))));
  }

  /** Nodes that the gang must not be sent to for now. */
  public Set<String> excluded(Instant now) {
    excludedUntil.values().removeIf(until -> !until.isAfter(now));
    return Set.copyOf(excludedUntil.keySet());
  }

  /** When it may be sent to such nodes again. */
  public Stream<Instant> exclusionEnds() {
    return excludedUntil.values().stream();
  }

  /** Members are recreated, and the gang waits for the new ones for so long at most. */
  public void recreated(Duration wait, Instant now) {
    recreatedAt = now;
    holdOffUntil = now.plus(wait);
  }

  /** A member beyond the minimum is recreated. */
  public void recreated(Instant now) {
    recreatedAt = now;
  }

  public boolean wasRecreatedWithin(Duration time, Instant now) {
    return now.isBefore(recreatedAt.plus(time));
  }

  /** It has started: the next failure is a first one again. */
  public void forgetFailures() {
    failures = 0;
    lastFailure = Optional.empty();
  }

  /** Another incarnation begins. */
  void forget() {
    failures = 0;
    holdOffUntil = Instant.MIN;
    lastFailure = Optional.empty();
    excludedUntil.clear();
    blames.clear();
  }
}
