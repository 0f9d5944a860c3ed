package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangPlans.Wanted;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the room that was planned for {@link LaterPods}: with the gang's reservation until it has
 * started, and then until the pod comes or {@code replacement} is over. Lost with the node, it is
 * looked for elsewhere within that time. Not stored: after a restart nothing is kept. Confined to
 * the decision thread.
 */
final class LaterRoom {

  private final World world;
  private final GangPlans plans;
  private final Reservations reservations;

  LaterRoom(World world, GangPlans plans, Reservations reservations) {
    this.world = world;
    this.plans = plans;
    this.reservations = reservations;
  }

  /** Does what time or a change asks for. */
  void advance(GangState gang, Instant now) {
    var later = gang.later;
    if (later.areNone()) {
      return;
    }
    if (gang.isWaiting() || (gang.satisfied && !gang.hasLiveMember())) {
      end(gang);
      return;
    }
    if (!gang.satisfied) {
      return;
    }
    if (later.since.isEmpty()) {
      later.since = Optional.of(now);
    }
    gang.candidates().forEach(pod -> seat(gang, pod, now));
    boolean isOver = now.isAfter(later.since.get().plus(world.deadlines().replacement()));
    if (isOver || later.toCome().isEmpty()) {
      end(gang);
    } else {
      keep(gang, now);
    }
  }

  /** Has the pod of a started gang take its room, if it will be sent there; says whether it did. */
  boolean seat(GangState gang, Pod pod, Instant now) {
    var place = gang.later.placeOf(pod);
    if (place.isEmpty()
        || !world.isAsked()
        || !gang.satisfied
        || !gang.later.includes(pod)
        || !gang.isCandidate(pod)
        || isSeated(pod)) {
      return false;
    }
    var open = place.get();
    world.inventory().release(open.holder());
    var node =
        world.inventory().fits(open.node(), pod.demand())
            ? Optional.of(open.node())
            : elsewhere(gang, wanted(pod), now);
    if (node.isEmpty()) {
      world.inventory().occupy(open.holder(), open.node(), open.demand().requests());
      return false;
    }
    gang.later.places.values().remove(open);
    reservations.place(gang, pod, node.get());
    reservations.letJoin(gang, pod);
    return true;
  }

  /**
   * Finds other nodes for what a planned gang keeps on one that is lost; false if there are none.
   */
  boolean leave(GangState gang, String node, Instant now) {
    for (var entry : Map.copyOf(gang.later.places).entrySet()) {
      var open = entry.getValue();
      if (open.node().equals(node) && !world.inventory().isOpenTo(node, open.demand())) {
        world.inventory().release(open.holder());
        gang.later.places.remove(entry.getKey());
        var other = elsewhere(gang, Wanted.later(entry.getKey(), open.demand()), now);
        if (other.isEmpty()) {
          return false;
        }
        reservations.keepLater(gang, Wanted.later(entry.getKey(), open.demand()), other.get());
      }
    }
    return true;
  }

  private void keep(GangState gang, Instant now) {
    var places = gang.later.places;
    for (var entry : Map.copyOf(places).entrySet()) {
      if (!world.inventory().isOpenTo(entry.getValue().node(), entry.getValue().demand())) {
        places.remove(entry.getKey());
        world.release(entry.getValue().holder());
      }
    }
    for (var wanted : gang.later.toCome()) {
      boolean isSeated = gang.later.there(wanted.gang()).filter(this::isSeated).isPresent();
      if (!isSeated && !places.containsKey(wanted.gang())) {
        elsewhere(gang, wanted, now).ifPresent(node -> reservations.keepLater(gang, wanted, node));
      }
    }
  }

  private boolean isSeated(Pod pod) {
    return world.inventory().nodeOf(pod.key().uid()).isPresent();
  }

  private Optional<String> elsewhere(GangState gang, Wanted wanted, Instant now) {
    return plans.place(gang, List.of(wanted), now).map(List::getFirst);
  }

  private static Wanted wanted(Pod pod) {
    return Wanted.later(pod.membership().orElseThrow().gang(), pod.demand());
  }

  private void end(GangState gang) {
    reservations.dropLater(gang);
    gang.later.since = Optional.empty();
  }
}
