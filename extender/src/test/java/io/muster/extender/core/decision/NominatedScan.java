package io.muster.extender.core.decision;

import static java.util.stream.Collectors.toMap;

import io.muster.extender.core.decision.cache.ClusterState;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is to be kept for pods without a gang to which kube-scheduler has nominated a node. */
final class NominatedScan {

  private NominatedScan() {}

  /** The node by the name of the holder, as the pods say. */
  static Map<String, String> nodes(ClusterState cluster) {
    return cluster.isAsked()
        ? Map.of()
        : cluster.pods().all().stream()
            .filter(pod -> pod.membership().isEmpty() && !pod.isBound() && !pod.isTerminal())
            .filter(pod -> pod.progress().nominatedNode().isPresent())
            .collect(
                toMap(
                    pod -> "nominated to " + pod.key().uid(),
                    pod -> pod.progress().nominatedNode().orElseThrow()));
  }

  /** Where the ledger has it elsewhere, or not at all. */
  static List<String> faults(ClusterState cluster) {
    return nodes(cluster).entrySet().stream()
        .filter(
            kept -> !cluster.inventory().nodeOf(kept.getKey()).equals(Optional.of(kept.getValue())))
        .map(kept -> "%s is not kept on %s".formatted(kept.getKey(), kept.getValue()))
        .toList();
  }
}
