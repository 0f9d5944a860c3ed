package io.muster.extender.core.decision.loss;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.OpenPlaces;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Losses.Lost;
import io.muster.extender.core.decision.state.Wanted;
import java.time.Instant;
import java.util.Optional;

/**
 * Places that a started gang holds for the replacements of its lost members, which their owner is
 * to make. Confined to the decision thread.
 */
public final class ReplacementPlaces {

  private final ClusterState cluster;
  private final GangPlans plans;
  private final Reservations reservations;
  private final OpenPlaces openPlaces;

  public ReplacementPlaces(ClusterState cluster, GangPlans plans, Reservations reservations) {
    this.cluster = cluster;
    this.plans = plans;
    this.reservations = reservations;
    this.openPlaces = new OpenPlaces(cluster);
  }

  /**
   * Reserves a place, on the node of the lost member if it will do and has no taint against that,
   * else beside what is kept for gangs that wait; false if there is no room.
   */
  boolean keep(GangState gang, Lost lost, Instant now) {
    var demand = lost.shape();
    var own =
        lost.node()
            .filter(name -> !gang.setbacks.excluded(now).contains(name))
            .filter(name -> cluster.inventory().fits(name, demand))
            .filter(name -> !cluster.inventory().repels(name, demand));
    if (own.isEmpty()) {
      // What has come free this moment is not seen as kept yet.
      cluster.backfillHolds().hold();
    }
    var node = own.or(() -> plans.placeOne(gang, lost.wanted(), now));
    node.ifPresent(name -> openPlaces.keepForReplacement(gang, demand, name));
    return node.isPresent();
  }

  /** Gives one of the places to a member that has come; empty if none suits it. */
  Optional<String> take(GangState gang, Pod pod, Instant now) {
    if (isRefused(gang, pod)) {
      return Optional.empty();
    }
    var beside = plans.besideSiblings(gang, pod);
    for (var open : gang.reservation.open()) {
      boolean suits =
          cluster.inventory().room(open.node()).filter(r -> beside.selects(r.node())).isPresent();
      if (suits && takesOn(gang, open, pod, Optional.of(open.node()))) {
        return Optional.of(open.node());
      }
    }
    return gang.reservation.open().isEmpty()
        ? Optional.empty()
        : exchange(gang, gang.reservation.open().getLast(), pod, beside, now);
  }

  /**
   * Whether its queue would not let it be bound, with any of the places: it would be given back and
   * taken again without end.
   */
  private boolean isRefused(GangState gang, Pod pod) {
    var held = cluster.queues().held();
    return !gang.reservation.open().isEmpty()
        && gang.reservation.open().stream()
            .allMatch(open -> cluster.queues().refusal(pod, open, held).isPresent());
  }

  /** Gives the place up for one elsewhere that suits the member, near its siblings. */
  private Optional<String> exchange(
      GangState gang, OpenPlace open, Pod pod, Demand beside, Instant now) {
    cluster.backfillHolds().hold();
    cluster.inventory().release(open.holder());
    var node = plans.placeOne(gang, Wanted.of(gang, pod).asking(beside), now);
    return takesOn(gang, open, pod, node) ? node : Optional.empty();
  }

  /** Whether the member gets that node for the place; if not, the place stays. */
  private boolean takesOn(GangState gang, OpenPlace open, Pod pod, Optional<String> node) {
    cluster.inventory().release(open.holder());
    if (node.filter(name -> cluster.inventory().fits(name, pod.demand())).isEmpty()) {
      cluster.inventory().occupy(open.holder(), open.node(), open.demand().requests());
      return false;
    }
    gang.reservation.close(open);
    reservations.place(gang, pod, node.get());
    return true;
  }
}
