package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.SetupFault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Notices that kube-scheduler reads a sample of the nodes only, in which planned ones are missing.
 * A list counts as a sample if all of this holds:
 *
 * <ol>
 *   <li>the pod is tied to no node, and nothing decides where it can run that Muster does not know
 *       of;
 *   <li>the list is at least as long as the smallest sample: a shorter one was cut by rules;
 *   <li>more than twice as many nodes would take the pod.
 * </ol>
 *
 * <p>It is checked once a minute at most, as that takes a walk over all nodes, and told once an
 * hour for each gang. Confined to the decision thread.
 */
public final class Sampling {

  /** kube-scheduler examines so many nodes at least, and never samples where there are fewer. */
  private static final int SMALLEST = 100;

  private static final long MARGIN = 2;
  private static final Duration LOOKED_APART = Duration.ofMinutes(1);
  private static final Duration TOLD_APART = Duration.ofHours(1);

  private final ClusterState cluster;
  private Instant lookedAt = Instant.MIN;

  Sampling(ClusterState cluster) {
    this.cluster = cluster;
  }

  /**
   * Whether nodes may be missing from a list though they would do: not among those that a pod is
   * tied to.
   */
  boolean isPossibleFor(Pod pod) {
    return pod.origin().pinning().pin().isEmpty() && nodes() >= SMALLEST;
  }

  /** Takes in what a member of the gang was offered. */
  void offered(GangState gang, Pod pod, List<String> offered, Instant now) {
    if (offered.size() < SMALLEST
        || offered.size() * MARGIN >= nodes()
        || !isPossibleFor(pod)
        || !pod.origin().pinning().plain()
        || now.isBefore(lookedAt.plus(LOOKED_APART))) {
      return;
    }
    lookedAt = now;
    long wouldDo =
        cluster.inventory().snapshot().rooms().stream()
            .filter(room -> room.fits(pod.demand()))
            .count();
    if (offered.size() * MARGIN < wouldDo) {
      cluster.metricsEvents().noticed(SetupFault.NODES_SAMPLED);
      tell(gang, offered.size(), wouldDo, now);
    }
  }

  private void tell(GangState gang, int offered, long wouldDo, Instant now) {
    if (!gang.told.announceSampling(TOLD_APART, now)) {
      return;
    }
    cluster.emit(
        new Effect.Announce(
            gang.id,
            true,
            SetupFault.NODES_SAMPLED.code(),
            ("kube-scheduler offered %d of %d nodes that would take a member: where it looks at some"
                    + " nodes only, planned ones are missing and gangs start late; set"
                    + " percentageOfNodesToScore: 100 in its configuration")
                .formatted(offered, wouldDo)));
  }

  private int nodes() {
    return cluster.inventory().snapshot().rooms().size();
  }
}
