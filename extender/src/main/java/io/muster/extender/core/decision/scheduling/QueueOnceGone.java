package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.decision.state.GangState;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Whether its queue would let a gang start if some of those that run were gone. Changes nothing.
 * Confined to the decision thread.
 */
final class QueueOnceGone {

  private final ClusterState cluster;

  QueueOnceGone(ClusterState cluster) {
    this.cluster = cluster;
  }

  /**
   * Answers for the moment: by queue, the devices that come free with those in question.
   *
   * @param leaving others that are gone in any case
   * @param own members of the gang that are gone in any case
   */
  Predicate<Map<String, Long>> of(GangState gang, Collection<Unit> leaving, Collection<Pod> own) {
    var book = cluster.queues();
    if (book.queues().arePlain()) {
      return _ -> true;
    }
    var gone = new HashMap<String, Long>();
    leaving.forEach(unit -> gone.merge(unit.queue(), unit.frees(), Long::sum));
    own.forEach(pod -> gone.merge(book.of(pod), pod.devices(), Long::sum));
    var held = book.held();
    return freed ->
        book.refusal(
                gang,
                queue ->
                    held.applyAsLong(queue)
                        - gone.getOrDefault(queue, 0L)
                        - freed.getOrDefault(queue, 0L))
            .isEmpty();
  }
}
