package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Event;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The cluster as far as the process that leads has been told of it by now, and nothing else. */
final class ToldCluster {

  final TreeMap<String, Node> nodes = new TreeMap<>();
  final Map<String, Pod> pods = new LinkedHashMap<>();

  /** Where pods are that Muster has bound and that are not seen there yet. */
  private final Map<String, String> bound = new HashMap<>();

  void clear() {
    nodes.clear();
    pods.clear();
    bound.clear();
  }

  void take(Event event) {
    if (event instanceof Event.NodeSeen(Node node)) {
      nodes.put(node.name(), node);
    } else if (event instanceof Event.NodeGone(String name)) {
      nodes.remove(name);
    } else if (event instanceof Event.PodSeen(Pod pod)) {
      pods.put(pod.key().uid(), pod);
    } else if (event instanceof Event.PodGone gone) {
      pods.remove(gone.pod().uid());
      bound.remove(gone.pod().uid());
    } else if (event instanceof Event.BindingEnded ended
        && ended.outcome() instanceof BindingOutcome.Bound
        && pods.containsKey(ended.pod().uid())) {
      bound.put(ended.pod().uid(), ended.node());
    }
  }

  /** A call has named the pod, and was believed. */
  void hear(Pod pod) {
    pods.putIfAbsent(pod.key().uid(), pod);
  }

  /** The node that the pod is on. */
  Optional<String> nodeOf(Pod pod) {
    return pod.progress().nodeName().or(() -> Optional.ofNullable(bound.get(pod.key().uid())));
  }

  /** Uids of all that are on nodes. */
  Set<String> onNodes() {
    return pods.values().stream()
        .filter(pod -> nodeOf(pod).isPresent())
        .map(pod -> pod.key().uid())
        .collect(Collectors.toSet());
  }

  static boolean isLive(Pod pod) {
    return !pod.isTerminal() && !pod.progress().deleting();
  }

  /** Each node with the pods that are on it. */
  Map<String, NodeState> rooms() {
    var rooms = new TreeMap<String, NodeState>();
    nodes.forEach((name, node) -> rooms.put(name, new NodeState(node, Resources.NONE, 0)));
    for (var pod : pods.values()) {
      if (!pod.isTerminal()) {
        nodeOf(pod)
            .ifPresent(name ->
                rooms.computeIfPresent(name, (_, room) -> room.with(pod.demand().requests())));
      }
    }
    return rooms;
  }
}
