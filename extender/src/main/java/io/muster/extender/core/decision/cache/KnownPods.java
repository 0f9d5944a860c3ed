package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
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

  /**
   * Uids of pods that must end before others of their Job start, by the Job's namespace and uid:
   * anybody may label a pod, but nobody keeps pods of another namespace back by that.
   */
  private final Map<String, Set<String>> endingFirst = new HashMap<>();

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

  /**
   * Whether a pod that was taken from its Job has to end before this one of the same Job starts.
   */
  public boolean mustWait(Pod pod) {
    return pod.origin()
        .controllerUid()
        .filter(job -> endingFirst.containsKey(inNamespace(pod, job)))
        .isPresent();
  }

  public boolean isGone(String uid) {
    return gone.containsKey(uid);
  }

  void seen(Pod pod) {
    var uid = pod.key().uid();
    Optional.ofNullable(byUid.put(uid, pod)).ifPresent(this::forgetOf);
    if (!pod.isTerminal()) {
      asked = asked.plus(pod.demand().requests());
      endsFirstFor(pod)
          .ifPresent(job -> endingFirst.computeIfAbsent(job, _ -> new HashSet<>()).add(uid));
    }
    if (pod.isBound() && !pod.isTerminal()) {
      holding.put(uid, new Held(pod, ClusterState.unitOf(pod)));
    } else {
      holding.remove(uid);
    }
  }

  void gone(String uid, Instant now) {
    Optional.ofNullable(byUid.remove(uid)).ifPresent(this::forgetOf);
    holding.remove(uid);
    gone.put(uid, now);
  }

  private void forgetOf(Pod pod) {
    if (pod.isTerminal()) {
      return;
    }
    asked = asked.minus(pod.demand().requests());
    endsFirstFor(pod)
        .ifPresent(job ->
            endingFirst.computeIfPresent(
                job,
                (_, pods) -> {
                  pods.remove(pod.key().uid());
                  return pods.isEmpty() ? null : pods;
                }));
  }

  private static Optional<String> endsFirstFor(Pod pod) {
    return Optional.ofNullable(pod.origin().labels().get(GangKeys.ENDS_FIRST))
        .map(job -> inNamespace(pod, job));
  }

  private static String inNamespace(Pod pod, String job) {
    return pod.key().namespace() + "/" + job;
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
