package io.muster.extender.core.decision.filter;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * kube-scheduler's own preemption ends pods one node at a time and knows no gangs: of the nodes
 * that it offers those are left on which no gang would be broken, as long as there are any.
 */
public final class InTreeVictims {

  private InTreeVictims() {}

  public static Set<String> sparing(ClusterState cluster, Map<String, Set<String>> victims) {
    var harmless = new HashSet<String>();
    victims.forEach((node, uids) -> {
      if (!breaksGang(cluster, uids)) {
        harmless.add(node);
      }
    });
    return harmless.isEmpty() ? victims.keySet() : harmless;
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
