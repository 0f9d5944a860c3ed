package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.muster.controller.kinds.di.coordinator.AskedPods;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node.Availability;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.packing.PackingPolicy;
import io.muster.extender.kube.convert.PodConverter;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes of a cluster, asked about pods that nobody has made yet, by the planner that is to
 * place them. Confined to one thread.
 */
public final class ClusterRoom {

  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final Inventory inventory = new Inventory();

  private ClusterRoom() {}

  /**
   * The nodes at their best: empty, up and open to everybody. A pod that fits on none of them fits
   * nowhere until there are other nodes.
   */
  static ClusterRoom atBest(List<Node> nodes) {
    var room = new ClusterRoom();
    for (var node : nodes) {
      var seen = room.translation.node(node);
      room.inventory.seen(
          new io.muster.extender.core.cluster.Node(
              seen.name(),
              seen.labels(),
              List.of(),
              Availability.READY,
              seen.allocatable(),
              seen.podLimit()));
    }
    return room;
  }

  /** The nodes as they are, with these pods on them. */
  static ClusterRoom now(List<Node> nodes, List<Pod> pods) {
    var room = new ClusterRoom();
    nodes.forEach(node -> room.inventory.seen(room.translation.node(node)));
    for (var pod : pods) {
      room.inventory.occupy(
          pod.getMetadata().getUid(),
          pod.getSpec().getNodeName(),
          room.translation.pod(pod).demand().requests());
    }
    return room;
  }

  /** Whether there is a place for each of these pods at once. */
  boolean fits(List<AskedPods.Alike> pods) {
    var members =
        pods.stream()
            .flatMap(alike -> Collections.nCopies(alike.count(), demand(alike.spec())).stream())
            .toList();
    return decide(members) instanceof Verdict.Placed;
  }

  /** Why there is a place for none of these pods, in kube-scheduler's words; empty if there is. */
  Optional<String> misfit(AskedPods.Alike pods) {
    return decide(List.of(demand(pods.spec()))) instanceof Verdict.NoRoom none
        ? Optional.of(none.tally())
        : Optional.empty();
  }

  /** What one of these pods asks for, in words. */
  String asked(AskedPods.Alike pods) {
    return demand(pods.spec()).requests().shown();
  }

  private Verdict decide(List<Demand> members) {
    return planner.decide(inventory.snapshot(), GangRequest.of(members, Set.of()));
  }

  private Demand demand(PodSpec spec) {
    return translation
        .pod(new PodBuilder().withNewMetadata().endMetadata().withSpec(spec).build())
        .demand();
  }
}
