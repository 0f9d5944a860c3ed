package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where kube-scheduler does not ask: members that were released to a node that does not take them
 * now, and that can go nowhere else. Others may be enough without them.
 */
public final class StuckMembers {

  private StuckMembers() {}

  /** Their uids. */
  public static Set<String> of(GangState gang, ClusterState cluster) {
    return gang.candidates().stream()
        .filter(pod -> !cluster.isAsked() && !pod.isGated())
        .filter(pod ->
            pod.origin()
                .pinning()
                .pin()
                .filter(pin -> pin.nodes().stream().noneMatch(node -> isFree(cluster, pod, node)))
                .isPresent())
        .map(pod -> pod.key().uid())
        .collect(Collectors.toSet());
  }

  private static boolean isFree(ClusterState cluster, Pod pod, String node) {
    return cluster.inventory().isOpenTo(node, pod.demand())
        && cluster.inventory().hasRoomFor(node, pod.demand().requests());
  }
}
