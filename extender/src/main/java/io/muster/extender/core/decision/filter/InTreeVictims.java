package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

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
    var held = cluster.queues().held();
    var isLeft = new NominatedRoom(cluster).leftBy(pod);
    var allowed = new HashSet<String>();
    var harmless = new HashSet<String>();
    victims.forEach((node, uids) -> {
      if (asksForDevices(pod)
          && (isRefused(cluster, pod, uids, held) || !isLeft.test(node, uids))) {
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

  /** Whether filter would refuse it for its queue once these have gone: they would end in vain. */
  private static boolean isRefused(
      ClusterState cluster, Pod pod, Set<String> uids, ToLongFunction<String> held) {
    var left = new HashMap<String, Long>();
    for (var uid : uids) {
      cluster
          .pod(uid)
          .ifPresent(victim ->
              left.merge(
                  cluster.queues().of(victim), victim.demand().requests().devices(), Long::sum));
    }
    return cluster
        .queues()
        .refusal(pod, queue -> held.applyAsLong(queue) - left.getOrDefault(queue, 0L))
        .isPresent();
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
