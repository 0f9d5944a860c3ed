package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.api.model.Node;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.AskedPods;
import io.muster.controller.kinds.di.coordinator.WorkerRequest;
import io.muster.controller.kinds.di.server.call.RefusedException;
import java.util.List;
import java.util.Optional;

/**
 * Decides on how many pods the GPUs of a learner are divided, and refuses what no node could ever
 * hold. Safe for concurrent use.
 */
public final class Sizing {

  private final DiStore store;
  private final boolean splitsToFit;
  private final boolean refusesWhatNeverFits;

  /**
   * @param splitsToFit whether a learner is divided by what is free now; else by what most nodes
   *     have
   * @param refusesWhatNeverFits else it waits for nodes that are not there yet
   */
  public Sizing(DiStore store, boolean splitsToFit, boolean refusesWhatNeverFits) {
    this.store = store;
    this.splitsToFit = splitsToFit;
    this.refusesWhatNeverFits = refusesWhatNeverFits;
  }

  /** GPUs of each pod of a learner; none for one that is a single pod without an aggregator. */
  List<Integer> split(DIJob job, WorkerAsk ask) {
    if (!ask.needsAggregator() && !refusesWhatNeverFits) {
      return List.of();
    }
    var nodes = store.nodes();
    List<Integer> split = ask.needsAggregator() ? divided(job, ask, nodes) : List.of();
    if (refusesWhatNeverFits) {
      var pods = pods(job, ask, split);
      // What is refused by nodes of a few seconds ago may have got its node since.
      if (misfit(job, pods, nodes).isPresent()) {
        misfit(job, pods, store.newestNodes())
            .ifPresent(sentence -> {
              throw RefusedException.later(sentence);
            });
      }
    }
    return split;
  }

  private List<Integer> divided(DIJob job, WorkerAsk ask, List<Node> nodes) {
    var offered = nodes.stream().map(Sizing::gpus).toList();
    var usual = GpuSplit.usual(ask.gpus(), offered);
    if (!splitsToFit) {
      return usual;
    }
    int most = Math.min(ask.gpus(), offered.stream().mapToInt(gpus -> gpus).max().orElse(0));
    var room = ClusterRoom.now(nodes, store.podsOnNodes());
    for (int size = most; size > 0; size--) {
      var split = GpuSplit.of(ask.gpus(), size);
      if ((long) ask.learners().replicas() * (1 + split.size()) > WorkerRequest.MOST) {
        break;
      }
      if (room.fits(pods(job, ask, split))) {
        return split;
      }
    }
    // Room that comes will come by the node.
    return usual;
  }

  private static int gpus(Node node) {
    return Optional.ofNullable(node.getStatus())
        .map(status -> status.getAllocatable())
        .map(allocatable -> allocatable.get(WorkerRequest.GPU))
        .map(quantity -> quantity.getNumericalAmount().intValue())
        .orElse(0);
  }

  private List<AskedPods.Alike> pods(DIJob job, WorkerAsk ask, List<Integer> split) {
    var request =
        new WorkerRequest(
            0, "", "", ask.collectors().asked(), ask.learners().asked(), 0, split, false, "", null);
    return AskedPods.of(job, request, store.aggregator());
  }

  /** Why one of the pods fits on none of the nodes, even empty; empty if each fits on one. */
  private static Optional<String> misfit(DIJob job, List<AskedPods.Alike> pods, List<Node> nodes) {
    var room = ClusterRoom.atBest(nodes);
    for (var alike : pods) {
      var tally = room.misfit(alike);
      if (tally.isPresent()) {
        return Optional.of(
            "no node could ever hold a %s of DIJob %s (%s), even empty: %s Ask for less, or add such a node and ask again"
                .formatted(
                    alike.type(), job.getMetadata().getName(), room.asked(alike), tally.get()));
      }
    }
    return Optional.empty();
  }
}
