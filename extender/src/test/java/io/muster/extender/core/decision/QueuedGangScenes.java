package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What tests of who waits for whom, and who ends for whom, begin with: nodes of eight GPUs, and
 * gangs each of whose members takes a whole one.
 */
abstract class QueuedGangScenes {

  final ClusterSimulation cluster;

  QueuedGangScenes(Rules rules) {
    cluster = new ClusterSimulation(1, rules);
  }

  QueuedGangScenes() {
    this(Rules.extender(NodePinPolicy.NEVER));
  }

  /** The rules where gangs wait so. */
  static Rules waiting(Waiting waiting) {
    return new Rules(PlacementMode.EXTENDER, NodePinPolicy.NEVER, waiting);
  }

  final void nodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(node(i).build());
    }
  }

  NodeBuilder node(int index) {
    return aNode("n" + index).gpus(8);
  }

  final void gang(String name, int members, int priority) {
    gang(name, members, pod -> pod.priority(priority));
  }

  final void gang(String name, int members, UnaryOperator<PodBuilder> how) {
    gang("ml", name, members, how);
  }

  final void gang(String namespace, String name, int members, UnaryOperator<PodBuilder> how) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          how.apply(
                  aPod(namespace, name + "-" + i)
                      .gpus(8)
                      .gang(name, members)
                      .createdAt(cluster.now()))
              .build());
    }
  }

  final void after(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  final void configure(Queue... queues) {
    cluster.configure(new Queues(List.of(queues)));
  }

  static Queue queue(
      String name, Optional<Long> quota, Optional<Long> limit, String... namespaces) {
    return new Queue(
        name, 1, quota, limit, Order.PRIORITY, false, Optional.empty(), Set.of(namespaces));
  }
}
