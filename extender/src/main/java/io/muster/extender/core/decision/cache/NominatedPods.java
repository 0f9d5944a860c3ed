package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.state.FitVerdict.KeptNodes;
import io.muster.extender.core.decision.state.GangState;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Pods without a gang that wait for a node which kube-scheduler has nominated to them. It keeps
 * room for them there from all pods whose priority is not higher (as its filters count nominated
 * pods), so that room is not free for a gang either. Only where kube-scheduler does not ask Muster:
 * where it does, it never offers such a node for a member. Confined to the decision thread.
 */
public final class NominatedPods {

  private final ClusterState cluster;

  /** By uid. */
  private final Map<String, Pod> waiting = new HashMap<>();

  /** The same by node and uid; each node is watched. */
  private final Map<String, Map<String, Pod>> byNode = new HashMap<>();

  /** Under which names the inventory has what is kept, by the priority of the pod. */
  private final TreeMap<Integer, Set<String>> holders = new TreeMap<>();

  private long devices;

  NominatedPods(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** The pod is as this now; the node is kept for it from now on, or no longer. */
  public void seen(Pod pod) {
    var node = pod.progress().nominatedNode();
    boolean waits =
        !cluster.isAsked()
            && pod.membership().isEmpty()
            && !pod.isBound()
            && !pod.isTerminal()
            && node.isPresent();
    if (waits) {
      forget(pod.key().uid());
      add(pod);
      hold(pod);
    } else {
      gone(pod.key().uid());
    }
  }

  private void add(Pod pod) {
    var uid = pod.key().uid();
    var node = node(pod);
    waiting.put(uid, pod);
    byNode.computeIfAbsent(node, _ -> new LinkedHashMap<>()).put(uid, pod);
    cluster.inventory().watch(node);
    holders.computeIfAbsent(pod.origin().priority(), _ -> new LinkedHashSet<>()).add(holder(uid));
    devices += pod.devices();
  }

  /** Says whether it was known. */
  private boolean forget(String uid) {
    var pod = waiting.remove(uid);
    if (pod == null) {
      return false;
    }
    var node = node(pod);
    byNode.get(node).remove(uid);
    if (byNode.get(node).isEmpty()) {
      byNode.remove(node);
      cluster.inventory().unwatch(node);
    }
    int priority = pod.origin().priority();
    holders.get(priority).remove(holder(uid));
    if (holders.get(priority).isEmpty()) {
      holders.remove(priority);
    }
    devices -= pod.devices();
    return true;
  }

  /**
   * Keeps what is free now, a gang of higher priority may have taken it; looks at nodes that have
   * changed alone.
   */
  void hold() {
    for (var node : cluster.inventory().takeChangedNodes()) {
      byNode.get(node).values().forEach(this::hold);
    }
    // What this has changed itself is as it is to be.
    cluster.inventory().takeChangedNodes();
  }

  private void hold(Pod pod) {
    var holder = holder(pod.key().uid());
    var node = node(pod);
    var inventory = cluster.inventory();
    var kept =
        inventory
            .roomWithout(holder, node)
            .map(room -> room.freeOf(pod.demand().requests()))
            .orElse(Resources.NONE);
    if (!inventory.nodeOf(holder).equals(Optional.of(node))) {
      cluster.release(holder);
    }
    inventory.occupy(holder, node, kept);
  }

  void gone(String uid) {
    if (forget(uid)) {
      cluster.release(holder(uid));
    }
  }

  /** Whether something is kept for pods of lower priority than all members of the gang. */
  public boolean areAnyBelow(GangState gang) {
    return !holders.isEmpty() && holders.firstKey() < priority(gang);
  }

  /**
   * Under which names the inventory has what is kept for pods of lower priority than all members of
   * the gang: kube-scheduler does not keep that from them.
   */
  public List<String> below(GangState gang) {
    return areAnyBelow(gang)
        ? holders.headMap(priority(gang)).values().stream().flatMap(Set::stream).toList()
        : List.of();
  }

  /** What is kept from the gang where a member would fit otherwise; empty where nothing is. */
  public Optional<KeptNodes> keptFrom(GangState gang) {
    int priority = priority(gang);
    int nodes = 0;
    var named = Optional.<PodKey>empty();
    for (var entry : byNode.entrySet()) {
      var keeping =
          entry.getValue().values().stream()
              .filter(pod -> pod.origin().priority() >= priority)
              .map(Pod::key)
              .min(KeptNodes.BY_NAME);
      if (keeping.isPresent()
          && !fits(gang, entry.getKey(), pod -> pod.origin().priority() < priority)
          && fits(gang, entry.getKey(), _ -> true)) {
        nodes++;
        named = Stream.concat(named.stream(), keeping.stream()).min(KeptNodes.BY_NAME);
      }
    }
    int found = nodes;
    return named.map(pod -> new KeptNodes(found, pod));
  }

  /** Whether some member would fit on the node if nothing were kept for these pods. */
  private boolean fits(GangState gang, String node, Predicate<Pod> which) {
    var room = cluster.inventory().room(node);
    for (var pod : byNode.get(node).values()) {
      var held = cluster.inventory().holding(holder(pod.key().uid()));
      if (which.test(pod) && held.isPresent()) {
        room = room.map(before -> before.without(held.get().requests()));
      }
    }
    return room.filter(left -> gang.counts.kinds().keySet().stream().anyMatch(left::fits))
        .isPresent();
  }

  private static int priority(GangState gang) {
    return gang.members.lowestPriority().orElseGet(gang::priority);
  }

  /** Devices that are kept, for all of them. */
  public long devices() {
    return devices;
  }

  private static String node(Pod pod) {
    return pod.progress().nominatedNode().orElseThrow();
  }

  /** Not the name of the pod itself, under which its place is known once it is bound. */
  private static String holder(String uid) {
    return "nominated to " + uid;
  }
}
