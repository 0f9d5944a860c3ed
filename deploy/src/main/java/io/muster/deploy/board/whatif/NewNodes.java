package io.muster.deploy.board.whatif;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.protocol.ClusterView;
import java.util.ArrayList;
import java.util.TreeMap;

/** A cluster with nodes that it does not have. Stateless. */
final class NewNodes {

  private static final String HOSTNAME = "kubernetes.io/hostname";

  private NewNodes() {}

  /**
   * The same with so many empty nodes more, called so with a number, that are like that one, ready
   * whatever that one is. No node of a cluster can have their names.
   */
  static ClusterView added(ClusterView view, Node like, String called, int count) {
    var nodes = new ArrayList<>(view.nodes());
    var taints = like.taints().stream().filter(taint -> !taint.isOfState()).toList();
    for (int i = 1; i <= count; i++) {
      var name = "%s+%d".formatted(called, i);
      var labels = new TreeMap<>(like.labels());
      labels.put(HOSTNAME, name);
      nodes.add(
          new Node(
              name, labels, taints, Node.Availability.READY, like.allocatable(), like.podLimit()));
    }
    return new ClusterView(
        view.takenAt(),
        view.rules(),
        view.deadlines(),
        view.released(),
        view.queues(),
        view.levels(),
        view.budgets(),
        view.namespaceQuotas(),
        view.namespaces(),
        nodes,
        view.gangs(),
        view.terms(),
        view.pods());
  }
}
