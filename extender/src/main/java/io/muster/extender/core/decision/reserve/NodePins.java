package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.plan.NodeState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Makes what members are tied to: the planned node, and a few spare ones. */
public final class NodePins {

  /** Further nodes in a pin: a lost node strands nobody. */
  private static final int SPARES = 3;

  private static final Comparator<NodeState> EMPTIEST_FIRST =
      Comparator.comparingLong(NodeState::freeDevices)
          .reversed()
          .thenComparing(room -> room.node().name());

  private final ClusterState cluster;

  public NodePins(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** What a waiting member is tied to as it is let go; its own terms cannot be kept beside it. */
  Optional<NodePin> forWaiting(GangState gang, Pod pod) {
    var node = gang.reservation.node(pod.key().uid());
    boolean may =
        cluster.pins()
            && pod.origin().pinning().allowed()
            && pod.origin().pinning().pin().isEmpty()
            && pod.demand().anyOfTerms().isEmpty()
            && !pod.isGatedByOthers();
    return node.filter(_ -> may).map(planned -> of(gang, pod.demand(), planned));
  }

  /** The planned node first, then nodes with room beside the reservation. */
  public NodePin of(GangState gang, Demand shape, String planned) {
    var nodes = new ArrayList<>(List.of(planned));
    gang.reservation.spares(shape, this::spareNodes).stream()
        .filter(node -> !node.equals(planned))
        .limit(SPARES)
        .forEach(nodes::add);
    return new NodePin(Long.toString(cluster.nextTurn()), nodes);
  }

  /** The emptiest nodes that still have room: each may have to take a lost node's members. */
  private List<String> spareNodes(Demand demand) {
    return cluster.inventory().snapshot().rooms().stream()
        .filter(room -> room.fits(demand))
        .sorted(EMPTIEST_FIRST)
        .limit(SPARES + 1)
        .map(room -> room.node().name())
        .toList();
  }
}
