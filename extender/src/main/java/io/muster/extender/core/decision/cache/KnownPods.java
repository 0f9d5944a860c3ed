package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.gang.GangId;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All pods of the cluster by uid, those that wait included; which of them hold a node, and how much
 * they ask for together. Both are kept up with each change. Confined to the decision thread.
 */
public final class KnownPods {

  /**
   * A pod that is bound and has not ended.
   *
   * @param unit by whose name its gang goes; it is asked for by far more often than it changes
   */
  public record Held(Pod pod, Optional<GangId> unit) {}

  private final Map<String, Pod> byUid = new HashMap<>();

  /** Requests of those that have not ended. */
  private ResourceSum asked = ResourceSum.NONE;

  /** Few, where many wait. */
  private final Map<String, Held> holding = new LinkedHashMap<>();

  /** Uids of pods that were deleted, and when: calls about them may still be on their way. */
  private final Map<String, Instant> gone = new LinkedHashMap<>();

  /** All of them as a view, in no order. */
  public Collection<Pod> all() {
    return Collections.unmodifiableCollection(byUid.values());
  }

  public Set<String> uids() {
    return Collections.unmodifiableSet(byUid.keySet());
  }

  public Optional<Pod> find(String uid) {
    return Optional.ofNullable(byUid.get(uid));
  }

  /** Those that are bound and have not ended. */
  public Collection<Held> holding() {
    return Collections.unmodifiableCollection(holding.values());
  }

  /** Requests of all that have not ended, waiting pods included. */
  public ResourceSum asked() {
    return asked;
  }

  public boolean isGone(String uid) {
    return gone.containsKey(uid);
  }

  void seen(Pod pod) {
    var uid = pod.key().uid();
    Optional.ofNullable(byUid.put(uid, pod)).ifPresent(this::asksNoMore);
    if (!pod.isTerminal()) {
      asked = asked.plus(pod.demand().requests());
    }
    if (pod.isBound() && !pod.isTerminal()) {
      holding.put(uid, new Held(pod, ClusterState.unitOf(pod)));
    } else {
      holding.remove(uid);
    }
  }

  void gone(String uid, Instant now) {
    Optional.ofNullable(byUid.remove(uid)).ifPresent(this::asksNoMore);
    holding.remove(uid);
    gone.put(uid, now);
  }

  private void asksNoMore(Pod pod) {
    if (!pod.isTerminal()) {
      asked = asked.minus(pod.demand().requests());
    }
  }

  /** It is there after all. */
  void isBack(String uid) {
    gone.remove(uid);
  }

  /** Calls about those that went before have long ended. */
  void forget(Instant oldest) {
    gone.values().removeIf(at -> at.isBefore(oldest));
  }
}
