package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * kube-scheduler's own preemption ends pods one node at a time and knows neither gangs nor queues,
 * nor what is kept for them: of the nodes that it offers those are left that filter would let the
 * pod have then, and of these the ones on which no gang would be broken, as long as there are any.
 */
public final class InTreeVictims {

  private InTreeVictims() {}

  /**
   * The nodes on which others may end for the pod.
   *
   * @param victims uids by node
   */
  public static Set<String> sparing(
      ClusterState cluster, Pod pod, Map<String, Set<String>> victims) {
    var kept = new KeptBelow(cluster, pod);
    var allowed = new HashSet<String>();
    var harmless = new HashSet<String>();
    victims.forEach((node, uids) -> {
      if (asksForDevices(pod) && !mayHave(cluster, pod, node, kept, uids)) {
        return;
      }
      allowed.add(node);
      if (!breaksGang(cluster, uids)) {
        harmless.add(node);
      }
    });
    return harmless.isEmpty() ? allowed : harmless;
  }

  /** Others go wherever kube-scheduler sends them. */
  private static boolean asksForDevices(Pod pod) {
    return !pod.demand().requests().extended().isEmpty();
  }

  /** Whether filter would let it have the node once these have gone: they would end in vain. */
  private static boolean mayHave(
      ClusterState cluster, Pod pod, String node, KeptBelow kept, Set<String> victims) {
    return kept.isEnoughWithout(victims, node)
        && cluster.queues().refusal(pod, kept.heldWithout(victims, node)).isEmpty();
  }

  private static boolean breaksGang(ClusterState cluster, Set<String> uids) {
    var lost = new IdentityHashMap<GangState, Integer>();
    for (var uid : uids) {
      cluster
          .pod(uid)
          .flatMap(cluster::knownGangOf)
          .filter(gang -> gang.satisfied())
          .ifPresent(gang -> lost.merge(gang, 1, Integer::sum));
    }
    return lost.entrySet().stream()
        .anyMatch(entry ->
            entry.getKey().counts.started() - entry.getValue()
                < entry.getKey().terms.minAvailable());
  }
}
