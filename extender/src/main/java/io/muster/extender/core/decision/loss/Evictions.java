package io.muster.extender.core.decision.loss;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.GoDuration;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.LimitReached;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Tells pods to end, and each why: for another gang, at the run-time limit of its own, or because
 * that has lost a member. No eviction is answered; it is told again until the pod is being deleted.
 * Confined to the decision thread.
 */
final class Evictions {

  private static final Duration TOLD_APART = Duration.ofSeconds(10);

  private final ClusterState cluster;

  Evictions(ClusterState cluster) {
    this.cluster = cluster;
  }

  /**
   * Tells a member whose gang ends as a whole. That it has reached its limit is no reason before it
   * is stored: whoever leads next would not know of it.
   */
  void evict(GangState gang, Pod pod) {
    gang.entry
        .endedFor()
        .ifPresentOrElse(
            other -> evictFor(other, pod, "gang " + gang.id),
            () ->
                cluster.emit(
                    gang.limit
                        .reached()
                        .filter(_ -> !gang.limit.isPending())
                        .map(reached -> atLimit(gang, pod, reached))
                        .orElseGet(() ->
                            new Effect.Evict(
                                pod.key(),
                                "gang %s has lost a member and starts again as a whole"
                                    .formatted(gang.id)))));
  }

  private static Effect.Evict atLimit(GangState gang, Pod pod, LimitReached reached) {
    return new Effect.Evict(
        pod.key(),
        Effect.Evict.RUN_TIME_LIMIT,
        "gang %s has run for its run-time limit of %s"
            .formatted(gang.id, GoDuration.text(reached.limit())),
        Optional.empty(),
        Optional.empty());
  }

  /** Tells a pod that ends by itself for that gang. */
  void evictFor(GangId other, Pod pod) {
    evictFor(other, pod, "pod " + pod.key());
  }

  private void evictFor(GangId other, Pod pod, String ended) {
    var why =
        "%s ends to make room for %s, which comes before it"
            .formatted(ended, other.shownIn(pod.key().namespace()));
    cluster.emit(
        new Effect.Evict(pod.key(), why, cluster.rules().waiting().preemptionGrace(), other));
  }

  /** Whoever has been deleted with a long grace period gets no longer one than all others. */
  void shorten(List<Pod> ending, GangId other, Instant now) {
    var longest = cluster.rules().waiting().preemptionGrace();
    var timeOfDay = cluster.timeOfDay().at(now);
    for (var pod : ending) {
      if (pod.progress().deleting()
          && pod.mayEnd()
          && pod.endsWithin(timeOfDay).compareTo(longest) > 0) {
        evictFor(other, pod);
      }
    }
  }

  /** Tells those of the gang again that do not end yet; nothing if they were told just now. */
  void repeat(GangState gang, Instant now) {
    if (gang.ending.areNone() || gang.ending.wereToldWithin(TOLD_APART, now)) {
      return;
    }
    gang.ending.told(now);
    for (var uid : List.copyOf(gang.ending.uids())) {
      gang.members
          .find(uid)
          .filter(pod -> !pod.progress().deleting() && !pod.isTerminal())
          .ifPresent(pod -> evict(gang, pod));
    }
  }
}
