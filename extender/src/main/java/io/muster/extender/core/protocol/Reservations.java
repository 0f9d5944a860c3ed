package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangState.OpenPlace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Gives a gang its places in one step and takes them back in one step. Guaranteed: before its
 * record is written a gang holds places for all members it still needs, or none.
 */
final class Reservations {

  private static final Duration FIRST_HOLD_OFF = Duration.ofSeconds(1);
  private static final Duration LONGEST_HOLD_OFF = Duration.ofMinutes(5);
  private static final Duration NODE_BLAME = Duration.ofSeconds(60);

  private final World world;

  Reservations(World world) {
    this.world = world;
  }

  /**
   * Plans the members still needed and reserves their places. While fewer exist, places are kept
   * for siblings of the last one's shape; such a reservation is speculative, one an incarnation.
   */
  Verdict plan(GangState gang, Instant now) {
    int needed = gang.needed();
    var members = gang.candidates().stream().limit(needed).toList();
    var verdict =
        world
            .planner()
            .decide(
                world.inventory().snapshot(),
                GangRequest.of(padded(members, needed), gang.excluded(now)));
    if (verdict instanceof Verdict.Placed placed) {
      for (int i = 0; i < needed; i++) {
        var node = placed.nodes().get(i);
        if (i < members.size()) {
          place(gang, members.get(i), node);
        } else {
          keepOpen(gang, i, members.getLast().demand(), node);
        }
      }
      gang.phase = Phase.PLANNED;
      gang.reservedAt = now;
      gang.lastProgress = now;
      gang.speculative = members.size() < needed;
      gang.speculated |= gang.speculative;
    }
    return verdict;
  }

  static List<Demand> padded(List<Pod> members, int needed) {
    var demands = new ArrayList<>(members.stream().limit(needed).map(Pod::demand).toList());
    while (demands.size() < needed) {
      demands.add(members.getLast().demand());
    }
    return demands;
  }

  /** Gives an open place to a member that has come; empty if none suits it. */
  Optional<String> claim(GangState gang, Pod pod, Instant now) {
    for (var open : List.copyOf(gang.openPlaces)) {
      world.inventory().release(open.holder());
      var room = world.inventory().room(open.node());
      if (room.isPresent() && room.get().misfits(pod.demand()).isEmpty()) {
        gang.openPlaces.remove(open);
        place(gang, pod, open.node());
        gang.lastProgress = now;
        return Optional.of(open.node());
      }
      world.inventory().occupy(open.holder(), open.node(), open.demand().requests());
    }
    return Optional.empty();
  }

  /** Gives the open places to members that are there; false if one is left that suits nobody. */
  boolean handOut(GangState gang, Instant now) {
    for (var pod : gang.candidates()) {
      if (!gang.places.containsKey(pod.key().uid()) && !gang.openPlaces.isEmpty()) {
        claim(gang, pod, now).ifPresent(_ -> letGo(gang, pod));
      }
    }
    return gang.openPlaces.isEmpty();
  }

  /** The best of the offered nodes with room for the pod, its present place counted as free. */
  Optional<String> bestOffered(Pod pod, List<String> offered, Set<String> excluded) {
    var uid = pod.key().uid();
    var rooms =
        offered.stream()
            .filter(name -> !excluded.contains(name))
            .flatMap(name -> world.inventory().room(name).stream())
            .map(room ->
                world.inventory().nodeOf(uid).filter(room.node().name()::equals).isPresent()
                    ? room.without(pod.demand().requests())
                    : room)
            .filter(room -> room.misfits(pod.demand()).isEmpty())
            .toList();
    return world.planner().ranked(pod.demand(), rooms).stream()
        .findFirst()
        .map(room -> room.node().name());
  }

  void place(GangState gang, Pod pod, String node) {
    world.inventory().occupy(pod.key().uid(), node, pod.demand().requests());
    gang.places.put(pod.key().uid(), node);
  }

  private void keepOpen(GangState gang, int index, Demand demand, String node) {
    var holder = "open:%s:%s#%d".formatted(gang.id.dialect().label(), gang.id, index);
    world.inventory().occupy(holder, node, demand.requests());
    gang.openPlaces.add(new OpenPlace(holder, demand, node));
  }

  /** Moves a place that has not been bound to another node; false if there is none. */
  boolean move(GangState gang, Pod pod, Set<String> notTo, Instant now) {
    var uid = pod.key().uid();
    var from = Optional.ofNullable(gang.places.remove(uid));
    world.inventory().release(uid);
    answerHeld(gang, uid, "the place of this member has moved");
    var excluded = new HashSet<>(gang.excluded(now));
    excluded.addAll(notTo);
    var verdict =
        world
            .planner()
            .decide(world.inventory().snapshot(), GangRequest.of(List.of(pod.demand()), excluded));
    return switch (verdict) {
      case Verdict.Placed placed -> {
        place(gang, pod, placed.nodes().getFirst());
        world.planAgain();
        yield true;
      }
      case Verdict.NoRoom _ -> {
        from.ifPresent(node -> world.planAgain());
        yield false;
      }
    };
  }

  /** Gives a place to further members where a placed one was lost; aborts if that cannot be. */
  void refill(GangState gang, Instant now, String why) {
    int missing = gang.needed() - gang.places.size() - gang.openPlaces.size();
    if (missing <= 0) {
      return;
    }
    var unplaced =
        gang.candidates().stream()
            .filter(pod -> !gang.places.containsKey(pod.key().uid()))
            .limit(missing)
            .toList();
    if (unplaced.size() < missing) {
      abort(gang, now, why);
      return;
    }
    for (var pod : unplaced) {
      if (!move(gang, pod, Set.of(), now)) {
        abort(gang, now, why);
        return;
      }
      letGo(gang, pod);
    }
  }

  /** Lets a member that has a place be scheduled: woken if refused, its gate taken off. */
  void letGo(GangState gang, Pod pod) {
    if (gang.refused.remove(pod.key().uid()) && !pod.isGated()) {
      world.wake(pod.key());
    }
    if (pod.isGatedByMuster()) {
      world.emit(new Effect.Ungate(pod.key()));
    }
  }

  void blame(GangState gang, String node, Instant now) {
    gang.excludedUntil.put(node, now.plus(NODE_BLAME));
  }

  void answerHeld(GangState gang, String uid, String error) {
    Optional.ofNullable(gang.arrived.remove(uid))
        .ifPresent(held ->
            world.emit(new Effect.AnswerBind(held.call(), Optional.of("muster: " + error))));
  }

  /** Takes all places back; nothing has been bound, so nothing needs undoing. */
  void abort(GangState gang, Instant now, String why) {
    release(gang, why);
    gang.phase = Phase.WAITING;
    gang.speculated = true;
    gang.failures++;
    var wait = FIRST_HOLD_OFF.multipliedBy(1L << Math.min(gang.failures - 1, 20));
    gang.holdOffUntil = now.plus(wait.compareTo(LONGEST_HOLD_OFF) < 0 ? wait : LONGEST_HOLD_OFF);
    gang.verdict = Optional.of(why);
    gang.trigger = Optional.empty();
  }

  /** Ends the reservation without holding the gang off. */
  void release(GangState gang, String why) {
    for (var uid : List.copyOf(gang.arrived.keySet())) {
      answerHeld(gang, uid, why);
    }
    for (var uid : List.copyOf(gang.places.keySet())) {
      world.releaseUnbound(uid);
    }
    gang.openPlaces.forEach(open -> world.release(open.holder()));
    gang.places.clear();
    gang.openPlaces.clear();
    gang.live().stream()
        .filter(pod -> !pod.isBound() && !pod.isGated())
        .forEach(pod -> gang.refused.add(pod.key().uid()));
    world.planAgain();
  }
}
