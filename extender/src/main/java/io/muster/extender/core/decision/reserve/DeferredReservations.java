package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Wanted;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the room that was planned for {@code DeferredPods}, as far as it may be kept: with the
 * gang's reservation until it has started, and then until the pod comes or {@code replacement} is
 * over. Lost with the node, it is planned elsewhere within that time. Not stored: after a restart
 * nothing is kept. Confined to the decision thread.
 */
public final class DeferredReservations {

  private final ClusterState cluster;
  private final GangPlans plans;
  private final Reservations reservations;
  private final OpenPlaces openPlaces;

  public DeferredReservations(ClusterState cluster, GangPlans plans, Reservations reservations) {
    this.cluster = cluster;
    this.plans = plans;
    this.reservations = reservations;
    this.openPlaces = new OpenPlaces(cluster);
  }

  /** Does what time or a change asks for. */
  public void advance(GangState gang, Instant now) {
    var deferred = gang.deferred;
    if (deferred.areNone()) {
      return;
    }
    if (gang.isWaiting() || (gang.satisfied() && !gang.members.isAnyLive())) {
      end(gang);
      return;
    }
    if (!gang.satisfied()) {
      return;
    }
    if (deferred.since().isEmpty()) {
      deferred.since(Optional.of(now));
    }
    gang.candidates().forEach(pod -> seat(gang, pod, now));
    boolean isOver = now.isAfter(deferred.since().get().plus(cluster.deadlines().replacement()));
    if (isOver || deferred.toCome().isEmpty()) {
      end(gang);
    } else {
      keep(gang, now);
    }
  }

  /** Has the pod of a started gang take its room, if it will be sent there; says whether it did. */
  public boolean seat(GangState gang, Pod pod, Instant now) {
    var place = gang.deferred.placeOf(pod);
    if (place.isEmpty()
        || !cluster.isAsked()
        || !gang.satisfied()
        || !gang.deferred.includes(pod)
        || !gang.isCandidate(pod)
        || isSeated(pod)) {
      return false;
    }
    var open = place.get();
    cluster.backfillHolds().hold();
    cluster.inventory().release(open.holder());
    var node =
        cluster.inventory().fits(open.node(), pod.demand())
            ? Optional.of(open.node())
            : plans.placeOne(gang, wanted(pod), now);
    if (node.isEmpty()) {
      cluster.inventory().occupy(open.holder(), open.node(), open.demand().requests());
      return false;
    }
    gang.deferred.places.values().remove(open);
    reservations.place(gang, pod, node.get());
    reservations.letJoin(gang, pod);
    return true;
  }

  /**
   * Finds other nodes for what a planned gang keeps on one that is lost; false if there are none.
   */
  public boolean leave(GangState gang, String node, Instant now) {
    for (var entry : Map.copyOf(gang.deferred.places).entrySet()) {
      var open = entry.getValue();
      if (open.node().equals(node) && !cluster.inventory().isOpenTo(node, open.demand())) {
        cluster.inventory().release(open.holder());
        gang.deferred.places.remove(entry.getKey());
        var other = plans.placeOne(gang, Wanted.deferred(entry.getKey(), open.demand()), now);
        if (other.isEmpty()) {
          return false;
        }
        openPlaces.keepLater(gang, Wanted.deferred(entry.getKey(), open.demand()), other.get());
      }
    }
    return true;
  }

  private void keep(GangState gang, Instant now) {
    var places = gang.deferred.places;
    for (var entry : Map.copyOf(places).entrySet()) {
      if (!cluster.inventory().isOpenTo(entry.getValue().node(), entry.getValue().demand())) {
        places.remove(entry.getKey());
        cluster.release(entry.getValue().holder());
      }
    }
    // What has come free this moment is not seen as kept yet.
    cluster.backfillHolds().hold();
    for (var wanted : gang.deferred.toCome()) {
      boolean isSeated = gang.deferred.there(wanted.gang()).filter(this::isSeated).isPresent();
      if (!isSeated
          && !places.containsKey(wanted.gang())
          && !openPlaces.mayBeKept(gang, List.of(), List.of(wanted)).isEmpty()) {
        plans
            .placeOne(gang, wanted, now)
            .ifPresent(node -> openPlaces.keepLater(gang, wanted, node));
      }
    }
  }

  private boolean isSeated(Pod pod) {
    return cluster.inventory().nodeOf(pod.key().uid()).isPresent();
  }

  private static Wanted wanted(Pod pod) {
    return Wanted.deferred(pod.membership().orElseThrow().gang(), pod.demand());
  }

  private void end(GangState gang) {
    openPlaces.dropLater(gang);
    gang.deferred.since(Optional.empty());
  }
}
