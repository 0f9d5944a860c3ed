package io.muster.deploy.view;

import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.protocol.query.NodeStanding;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.core.queue.Queues;
import java.util.List;

/** How the queues stand, for people. Stateless. */
public final class ShownQueues {

  private ShownQueues() {}

  /**
   * All queues. Where none is configured Muster counts by queue only what is reserved: the only one
   * has what pods on nodes have, too.
   */
  public static List<QueueStanding> of(Replay replay) {
    if (!new Queues(replay.view().queues()).arePlain()) {
      return replay.queues();
    }
    long onNodes = replay.nodes().stream().mapToLong(NodeStanding::used).sum();
    return replay.queues().stream()
        .map(only ->
            new QueueStanding(
                only.name(),
                only.quota(),
                only.limit(),
                only.used() + onNodes,
                only.borrowed(),
                only.lent(),
                only.asked(),
                only.waiting()))
        .toList();
  }
}
