package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.state.GangState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Pods without a gang that wait for a node which kube-scheduler has nominated to them. It keeps
 * room for them there from all pods whose priority is not higher (as its filters count nominated
 * pods), so that room is not free for a gang either. Only where kube-scheduler does not ask Muster:
 * where it does, it never offers such a node for a member. Confined to the decision thread.
 */
public final class NominatedPods {

  private final ClusterState cluster;

  /** By uid. */
  private final Map<String, Pod> waiting = new LinkedHashMap<>();

  NominatedPods(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** The pod is as this now; the node is kept for it from now on, or no longer. */
  public void seen(Pod pod) {
    var uid = pod.key().uid();
    var node = pod.progress().nominatedNode();
    boolean waits =
        !cluster.isAsked()
            && pod.membership().isEmpty()
            && !pod.isBound()
            && !pod.isTerminal()
            && node.isPresent();
    if (waits) {
      waiting.put(uid, pod);
      hold(pod);
    } else {
      gone(uid);
    }
  }

  /** Keeps what is free now: a gang of higher priority may have taken it. */
  void hold() {
    waiting.values().forEach(this::hold);
  }

  private void hold(Pod pod) {
    var holder = holder(pod.key().uid());
    var node = pod.progress().nominatedNode().orElseThrow();
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
    if (waiting.remove(uid) != null) {
      cluster.release(holder(uid));
    }
  }

  /**
   * Under which names the inventory has what is kept for pods of lower priority than all members of
   * the gang: kube-scheduler does not keep that from them.
   */
  public List<String> below(GangState gang) {
    if (waiting.isEmpty()) {
      return List.of();
    }
    int priority = gang.members.lowestPriority().orElseGet(gang::priority);
    return waiting.entrySet().stream()
        .filter(entry -> entry.getValue().origin().priority() < priority)
        .map(entry -> holder(entry.getKey()))
        .toList();
  }

  /** Devices that are kept, for all of them. */
  public long devices() {
    return waiting.values().stream().mapToLong(Pod::devices).sum();
  }

  /** Not the name of the pod itself, under which its place is known once it is bound. */
  private static String holder(String uid) {
    return "nominated to " + uid;
  }
}
