package io.muster.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What becomes of each pod of a namespace, by uid, from one watch: whether it was ever bound, ended
 * or told to end and why, and how long kube-scheduler held its own node affinity against it. Safe
 * for concurrent use.
 */
final class PodFates implements ResourceEventHandler<Pod>, AutoCloseable {

  private static final String AFFINITY = "node affinity";

  private final Map<String, Fate> fates = new HashMap<>();
  private final Map<String, Set<String>> endedFor = new TreeMap<>();
  private final InstantSource clock = InstantSource.system();
  private final SharedIndexInformer<Pod> informer;

  private static final class Fate {
    private final String name;
    private boolean isBound;
    private Optional<Instant> leftAt = Optional.empty();
    private Optional<Long> toldSince = Optional.empty();
    private Duration longestTold = Duration.ZERO;

    Fate(String name) {
      this.name = name;
    }
  }

  /** Returns once all pods that there are have been told. */
  PodFates(KubernetesClient client, String namespace) {
    informer = client.pods().inNamespace(namespace).inform(this);
  }

  /** Pods ever seen. */
  synchronized int seen() {
    return fates.size();
  }

  /** Pods that have gone or were told to go, by name, and when that was first seen. */
  synchronized Map<String, Instant> left() {
    var left = new TreeMap<String, Instant>();
    fates.values().forEach(fate -> fate.leftAt.ifPresent(at -> left.put(fate.name, at)));
    return left;
  }

  /** How many pods had condition DisruptionTarget, by its reason. */
  synchronized Map<String, Integer> disrupted() {
    var counts = new TreeMap<String, Integer>();
    endedFor.forEach((reason, pods) -> counts.put(reason, pods.size()));
    return counts;
  }

  /** How long at most a pod waited while kube-scheduler named its node affinity as a reason. */
  synchronized Duration longestKeptByAffinity() {
    long now = System.nanoTime();
    return fates.values().stream()
        .map(fate -> longer(fate.longestTold, since(fate, now)))
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  private static Duration since(Fate fate, long now) {
    return fate.toldSince.map(from -> Duration.ofNanos(now - from)).orElse(Duration.ZERO);
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private synchronized void take(Pod pod, boolean isGone) {
    var uid = pod.getMetadata().getUid();
    var fate = fates.computeIfAbsent(uid, _ -> new Fate(pod.getMetadata().getName()));
    fate.isBound |= pod.getSpec().getNodeName() != null;
    boolean isLeaving = isGone || pod.getMetadata().getDeletionTimestamp() != null;
    if (isLeaving && fate.leftAt.isEmpty()) {
      fate.leftAt = Optional.of(clock.instant());
    }
    conditions(pod, condition -> condition.getType().equals("DisruptionTarget"))
        .forEach(condition ->
            endedFor.computeIfAbsent(condition.getReason(), _ -> new HashSet<>()).add(uid));
    boolean isKept =
        !fate.isBound
            && !isLeaving
            && conditions(pod, PodFates::namesAffinity).findAny().isPresent();
    long now = System.nanoTime();
    if (isKept && fate.toldSince.isEmpty()) {
      fate.toldSince = Optional.of(now);
    } else if (!isKept) {
      fate.longestTold = longer(fate.longestTold, since(fate, now));
      fate.toldSince = Optional.empty();
    }
  }

  private static boolean namesAffinity(PodCondition condition) {
    return condition.getType().equals("PodScheduled")
        && condition.getMessage() != null
        && condition.getMessage().contains(AFFINITY);
  }

  private static Stream<PodCondition> conditions(Pod pod, Predicate<PodCondition> which) {
    return pod.getStatus() == null || pod.getStatus().getConditions() == null
        ? Stream.empty()
        : pod.getStatus().getConditions().stream().filter(which);
  }

  @Override
  public void onAdd(Pod pod) {
    take(pod, false);
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {
    if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
      take(before, true);
    }
    take(pod, false);
  }

  @Override
  public void onDelete(Pod pod, boolean isFinalStateUnknown) {
    take(pod, true);
  }

  @Override
  public void close() {
    informer.stop();
  }
}
