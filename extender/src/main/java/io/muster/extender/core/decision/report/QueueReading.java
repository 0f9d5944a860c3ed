package io.muster.extender.core.decision.report;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.QueueUsage;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.core.queue.Queue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.function.ToLongFunction;

/** Reads off how the queues stand. Confined to the decision thread. */
public final class QueueReading {

  private final ClusterState cluster;

  public QueueReading(ClusterState cluster) {
    this.cluster = cluster;
  }

  /**
   * All queues by name.
   *
   * @param waiting all gangs that wait
   */
  public List<QueueStanding> read(Collection<GangState> waiting) {
    var asked = new HashMap<String, Long>();
    var gangs = new HashMap<String, Integer>();
    for (var gang : waiting) {
      var queue = cluster.queues().of(gang);
      asked.merge(queue, QueueUsage.needs(gang), Long::sum);
      gangs.merge(queue, 1, Integer::sum);
    }
    var held = cluster.queues().held();
    var queues = cluster.queues().queues().all();
    long idle = queues.stream().mapToLong(queue -> idle(queue, held)).sum();
    long lent = Math.min(idle, queues.stream().mapToLong(queue -> borrowed(queue, held)).sum());
    var standings = new ArrayList<QueueStanding>();
    for (var queue : queues) {
      // Each is given its part of what is left, so that the parts add up to the whole.
      long own = idle(queue, held);
      long part = own == idle ? lent : Math.min(lent, (long) Math.ceil((double) lent * own / idle));
      idle -= own;
      lent -= part;
      standings.add(
          new QueueStanding(
              queue.name(),
              queue.quota(),
              queue.limit(),
              held.applyAsLong(queue.name()),
              borrowed(queue, held),
              part,
              asked.getOrDefault(queue.name(), 0L),
              gangs.getOrDefault(queue.name(), 0)));
    }
    return List.copyOf(standings);
  }

  private static long idle(Queue queue, ToLongFunction<String> held) {
    return queue.quota().map(own -> Math.max(0, own - held.applyAsLong(queue.name()))).orElse(0L);
  }

  private static long borrowed(Queue queue, ToLongFunction<String> held) {
    return queue.quota().map(own -> Math.max(0, held.applyAsLong(queue.name()) - own)).orElse(0L);
  }
}
