package io.muster.extender.core.decision.burst;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The bind calls of one gang that wait at the permit barrier, one of each member, in the order in
 * which they came. Confined to the decision thread.
 */
public final class HeldCalls {

  /**
   * A bind call that waits.
   *
   * @param uid of the member
   * @param call its number
   * @param node to which kube-scheduler wants to bind the member
   * @param since when it waits
   */
  public record Held(String uid, long call, String node, Instant since) {}

  private final Map<String, Held> calls = new LinkedHashMap<>();

  public void hold(Held call) {
    calls.put(call.uid(), call);
  }

  /** Holds the call of that member no more; whoever takes it has to answer it. */
  public Optional<Held> take(String uid) {
    return Optional.ofNullable(calls.remove(uid));
  }

  public boolean isHeld(String uid) {
    return calls.containsKey(uid);
  }

  public boolean areNone() {
    return calls.isEmpty();
  }

  public int count() {
    return calls.size();
  }

  /** Members whose calls are held now. */
  public Set<String> uids() {
    return Collections.unmodifiableSet(new LinkedHashSet<>(calls.keySet()));
  }

  /** Those that are held now. */
  public List<Held> all() {
    return List.copyOf(calls.values());
  }
}
