package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangPlans.Wanted;
import io.muster.extender.core.decision.GangState.Given;
import io.muster.extender.core.decision.GangState.OpenPlace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Places that a gang holds for members which are not there yet: given to them at birth, taken by
 * them when they are seen, given to others when they do not come.
 */
final class OpenPlaces {

  private final World world;
  private final GangPlans plans;
  private final Pins pins;
  private final Reservations reservations;

  OpenPlaces(World world, GangPlans plans, Pins pins, Reservations reservations) {
    this.world = world;
    this.plans = plans;
    this.pins = pins;
    this.reservations = reservations;
  }

  /** Has a member that was just seen take its seat, and ends what was kept for nobody. */
  void seat(GangState gang, Pod pod, Instant now) {
    if (gang.openPlaces.isEmpty()) {
      return;
    }
    var uid = pod.key().uid();
    if (!gang.places.containsKey(uid) && gang.isCandidate(pod)) {
      claim(gang, pod, now).ifPresent(_ -> reservations.letGo(gang, pod));
    }
    closeIfFull(gang, now);
  }

  /** Gives an open place to a member that has come; empty if none suits it. */
  Optional<String> claim(GangState gang, Pod pod, Instant now) {
    var pin = pod.origin().pinning().pin();
    var given =
        pin.isEmpty()
            ? Optional.<OpenPlace>empty()
            : gang.openPlaces.stream().filter(open -> open.pin().equals(pin)).findFirst();
    if (given.isPresent()) {
      return take(gang, given.get(), pod, now);
    }
    var free = freePlaces(gang, pod, now);
    for (var open : free) {
      var taken = take(gang, open, pod, now);
      if (taken.isPresent()) {
        return taken;
      }
    }
    return free.isEmpty() ? Optional.empty() : exchange(gang, free.getLast(), pod, now);
  }

  /** The open places that the member may have: none where only others are needed. */
  private List<OpenPlace> freePlaces(GangState gang, Pod pod, Instant now) {
    return gang.satisfied || gang.headcount.needs(pod)
        ? gang.openPlaces.stream().filter(open -> isFree(open, now)).toList()
        : List.of();
  }

  private Optional<String> take(GangState gang, OpenPlace open, Pod pod, Instant now) {
    world.inventory().release(open.holder());
    if (world.inventory().fits(open.node(), pod.demand())) {
      return settled(gang, open, pod, open.node(), now);
    }
    world.inventory().occupy(open.holder(), open.node(), open.demand().requests());
    return Optional.empty();
  }

  /** Gives the open place up for one elsewhere that suits the member. */
  private Optional<String> exchange(GangState gang, OpenPlace open, Pod pod, Instant now) {
    world.inventory().release(open.holder());
    var node = plans.placeOne(gang, pod.demand(), now);
    if (node.isPresent()) {
      return settled(gang, open, pod, node.get(), now);
    }
    world.inventory().occupy(open.holder(), open.node(), open.demand().requests());
    return Optional.empty();
  }

  private Optional<String> settled(
      GangState gang, OpenPlace open, Pod pod, String node, Instant now) {
    gang.openPlaces.remove(open);
    reservations.place(gang, pod, node);
    gang.lastProgress = now;
    return Optional.of(node);
  }

  /** Nobody was given the place, or whoever was has not come. */
  private boolean isFree(OpenPlace open, Instant now) {
    return open.given()
        .filter(given -> now.isBefore(given.at().plus(world.deadlines().assemblyStall())))
        .isEmpty();
  }

  /** Once enough members have places, those kept for others end, but for ones on their way. */
  private void closeIfFull(GangState gang, Instant now) {
    if (gang.headcount.neededBeside(gang.places.keySet()) == 0) {
      gang.speculative = false;
      for (var open : List.copyOf(gang.openPlaces)) {
        if (isFree(open, now)) {
          gang.openPlaces.remove(open);
          world.release(open.holder());
        }
      }
    }
  }

  /** Gives the open places to members that are there; false if one is left that suits nobody. */
  boolean handOut(GangState gang, Instant now) {
    for (var pod : gang.candidates()) {
      if (!gang.places.containsKey(pod.key().uid()) && !gang.openPlaces.isEmpty()) {
        claim(gang, pod, now).ifPresent(_ -> reservations.letGo(gang, pod));
      }
    }
    closeIfFull(gang, now);
    return gang.headcount.neededBeside(gang.places.keySet()) == 0
        || gang.openPlaces.stream().anyMatch(open -> !isFree(open, now));
  }

  /**
   * Gives a member that is about to be stored one of the open places: one of its shape; else the
   * open places are planned anew with it in mind; else, beyond the minimum, room beside them.
   */
  Optional<Pin> handOut(GangState gang, Pod unborn, Instant now) {
    var shape = unborn.shape();
    var free = freePlaces(gang, unborn, now);
    var alike = free.stream().filter(open -> open.demand().equals(shape)).findFirst();
    if (alike.isEmpty() && !free.isEmpty() && reshape(gang, free, shape, now)) {
      alike = Optional.of(gang.openPlaces.getLast());
    }
    if (alike.isEmpty() && free.isEmpty()) {
      alike =
          plans.placeOne(gang, shape, now).map(node -> reservations.keepOpen(gang, shape, node));
    }
    return alike.map(open -> give(gang, open, unborn, now));
  }

  private Pin give(GangState gang, OpenPlace open, Pod unborn, Instant now) {
    var pin = pins.of(gang, open.demand(), open.node());
    gang.openPlaces.remove(open);
    gang.openPlaces.add(
        new OpenPlace(
            open.holder(), open.demand(), open.node(), Optional.of(new Given(pin, unborn, now))));
    return pin;
  }

  /** Plans the free open places for that shape, or at least one of them; the last is of it. */
  private boolean reshape(GangState gang, List<OpenPlace> free, Demand shape, Instant now) {
    free.forEach(open -> world.inventory().release(open.holder()));
    var all = Collections.nCopies(free.size(), shape);
    var one = new ArrayList<>(free.stream().skip(1).map(OpenPlace::demand).toList());
    one.addLast(shape);
    for (var demands : List.of(all, one)) {
      var nodes =
          plans.place(gang, demands.stream().map(d -> new Wanted(gang.id, d)).toList(), now);
      if (nodes.isPresent()) {
        gang.openPlaces.removeAll(free);
        for (int i = 0; i < demands.size(); i++) {
          reservations.keepOpen(gang, demands.get(i), nodes.get().get(i));
        }
        gang.spares.clear();
        return true;
      }
    }
    free.forEach(
        open -> world.inventory().occupy(open.holder(), open.node(), open.demand().requests()));
    return false;
  }

  /** Finds other nodes for open places on one that is lost; false if there are none. */
  boolean leave(GangState gang, String node, Instant now) {
    for (var open : List.copyOf(gang.openPlaces)) {
      if (open.node().equals(node)) {
        world.inventory().release(open.holder());
        gang.openPlaces.remove(open);
        var tied = open.pin().map(pin -> pin.tie(open.demand())).orElse(open.demand());
        var other = plans.placeOne(gang, tied, now);
        if (other.isEmpty()) {
          return false;
        }
        world.inventory().occupy(open.holder(), other.get(), open.demand().requests());
        gang.openPlaces.add(open.on(other.get()));
      }
    }
    gang.spares.clear();
    return true;
  }

  /** Keeps a place for a member to come, on that node if it will do; false if there is no room. */
  boolean keep(GangState gang, Demand demand, Optional<String> wanted, Instant now) {
    var node =
        wanted
            .filter(name -> !gang.excluded(now).contains(name))
            .filter(name -> world.inventory().fits(name, demand))
            .or(() -> plans.placeOne(gang, demand, now));
    node.ifPresent(name -> reservations.keepOpen(gang, demand, name));
    return node.isPresent();
  }
}
