package io.muster.controller.kinds.etoperator.launcher;

import io.muster.controller.core.state.Observed.ScriptEnd;
import io.muster.controller.framework.JobMemory;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a job's launcher besides what is stored: what it was told, and what was found
 * there. Lost with the process, and found out again. Confined to one reconcile at a time.
 */
public final class LauncherMemory extends JobMemory {

  private static final Duration FIRST_KEYS = Duration.ofSeconds(5);

  /** More than five minutes. */
  private static final int MOST_DOUBLINGS = 6;

  private Optional<Told> told = Optional.empty();
  private List<String> prepared = List.of();
  private final Map<String, ScriptEnd> scripts = new HashMap<>();
  private Optional<Map<String, String>> configured = Optional.empty();

  private int keyTries;
  private Instant keysAt = Instant.MIN;

  private record Told(String launcher, List<String> members) {}

  /** What the next launcher will find. */
  public void prepared(List<String> members) {
    prepared = List.copyOf(members);
  }

  public void toldAtBirth(String launcherUid) {
    told(launcherUid, prepared);
  }

  public void told(String launcherUid, List<String> members) {
    told = Optional.of(new Told(launcherUid, List.copyOf(members)));
  }

  public Optional<List<String>> told(Optional<String> launcherUid) {
    return told.filter(known -> launcherUid.filter(known.launcher()::equals).isPresent())
        .map(Told::members);
  }

  /** Whether it is time to make the keys once more; then not again before twice as long. */
  public boolean areKeysDue(Instant now) {
    if (now.isBefore(keysAt)) {
      return false;
    }
    keysAt = now.plus(FIRST_KEYS.multipliedBy(1L << Math.min(keyTries, MOST_DOUBLINGS)));
    keyTries++;
    return true;
  }

  public Duration untilKeysAreDue(Instant now) {
    return now.isBefore(keysAt) ? Duration.between(now, keysAt) : Duration.ZERO;
  }

  void forgetTold() {
    told = Optional.empty();
  }

  void scriptEnded(String resize, Optional<String> fault) {
    int tries = Optional.ofNullable(scripts.get(resize)).map(ScriptEnd::tries).orElse(0) + 1;
    scripts.put(resize, new ScriptEnd(tries, fault));
  }

  /**
   * How scripts have ended; of a request that begins anew, or under the name of an earlier one,
   * nothing is known.
   *
   * @param underWay ids of the requests that are being carried out
   */
  public Map<String, ScriptEnd> scripts(Set<String> underWay) {
    scripts.keySet().retainAll(underWay);
    return Map.copyOf(scripts);
  }

  /** What the ConfigMap says; empty: not known. */
  Optional<Map<String, String>> configured() {
    return configured;
  }

  void configured(Map<String, String> content) {
    configured = Optional.of(Map.copyOf(content));
  }
}
