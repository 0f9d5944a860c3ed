package io.muster.extender.core.decision.loss;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.burst.Reservation;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives out the room of a gang that ends as one. Members of a gang end within moments of each
 * other, but are seen to leave one by one; room that is given out by the piece goes to whoever is
 * small, past older gangs that would have fitted a moment later. So what a member leaves is kept
 * while others of its gang are still on their nodes:
 *
 * <ol>
 *   <li>until the last of them has left, or
 *   <li>until none has left for two seconds: the others go on running, or take their time to end;
 *   <li>at most five seconds in all.
 * </ol>
 *
 * <p>Where a gang has lost a member and goes on, that is not for here, but for {@link
 * MemberFailures}. Confined to the decision thread.
 */
public final class ReleasedCapacity {

  private static final Duration APART = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final String HOLDER = "left#";

  private final ClusterState cluster;
  private final Map<GangState, Leaving> leaving = new LinkedHashMap<>();

  public ReleasedCapacity(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** The room that members of one gang have left. */
  private static final class Leaving {
    private final List<String> holders = new ArrayList<>();
    private final Instant since;
    private Instant last;

    Leaving(Instant since) {
      this.since = since;
    }

    boolean isOver(Instant now) {
      return !now.isBefore(last.plus(APART)) || !now.isBefore(since.plus(LONGEST));
    }
  }

  /** A member of a gang that has started is on its node no more, and nobody is to replace it. */
  public void left(GangState gang, Pod pod, Instant now) {
    if (gang.satisfied()) {
      pod.progress()
          .nodeName()
          .ifPresent(node -> keep(gang, pod.key().uid(), node, pod.demand().requests(), now));
    }
    advance(gang, now);
  }

  /** Room that was kept for replacements, of which there will be none. */
  public void left(GangState gang, List<Reservation.OpenPlace> places, Instant now) {
    for (var open : places) {
      cluster.release(open.holder());
      keep(gang, open.holder(), open.node(), open.demand().requests(), now);
    }
    advance(gang, now);
  }

  private void keep(GangState gang, String who, String node, Resources requests, Instant now) {
    if (!cluster.inventory().hasRoomFor(node, requests)) {
      return;
    }
    var left = leaving.computeIfAbsent(gang, _ -> new Leaving(now));
    left.last = now;
    left.holders.add(HOLDER + who);
    cluster.keepLeft(HOLDER + who, node, requests);
  }

  /** Gives out what the gang has left, once that is due. */
  public void advance(GangState gang, Instant now) {
    var left = leaving.get(gang);
    if (left != null && (left.isOver(now) || !isOnNodes(gang))) {
      leaving.remove(gang);
      left.holders.forEach(cluster::giveOut);
    }
  }

  /** The same for all gangs. */
  public void advance(Instant now) {
    List.copyOf(leaving.keySet()).forEach(gang -> advance(gang, now));
  }

  private static boolean isOnNodes(GangState gang) {
    return gang.members.all().stream().anyMatch(pod -> pod.isBound() && !pod.isTerminal());
  }
}
