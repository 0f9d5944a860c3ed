package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Room;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangState.Given;
import io.muster.extender.core.protocol.GangState.OpenPlace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
  private static final int MOST_DOUBLINGS = 5;

  private static final Comparator<Room> EMPTIEST_FIRST =
      Comparator.comparingLong(Room::freeDevices)
          .reversed()
          .thenComparing(room -> room.node().name());

  /** Further nodes in a pin: a lost node strands nobody. */
  private static final int SPARES = 3;

  private final World world;

  Reservations(World world) {
    this.world = world;
  }

  /**
   * Plans the members still needed and reserves their places. While fewer exist, places are kept
   * for siblings of the last one's shape; such a reservation is speculative, one an incarnation.
   */
  Verdict plan(GangState gang, Instant now) {
    var members = gang.candidates();
    var last = members.isEmpty() ? gang.live().getLast() : members.getLast();
    return plan(gang, last.shape(), now);
  }

  /** The same with one more member that is about to be stored; its siblings are taken to be so. */
  Verdict planWith(GangState gang, Pod unborn, Instant now) {
    return plan(gang, unborn.shape(), now);
  }

  /** What the planner says of a complete gang; nothing is reserved. */
  Verdict why(GangState gang, Instant now) {
    return decide(gang, gang.chosen().stream().map(Pod::demand).toList(), now);
  }

  private Verdict decide(GangState gang, List<Demand> demands, Instant now) {
    return world
        .planner()
        .decide(world.inventory().snapshot(), GangRequest.of(demands, gang.excluded(now)));
  }

  private Verdict plan(GangState gang, Demand others, Instant now) {
    int needed = gang.needed();
    var members = gang.chosen();
    var demands = new ArrayList<>(members.stream().map(Pod::demand).toList());
    while (demands.size() < needed) {
      demands.add(others);
    }
    var verdict = decide(gang, demands, now);
    if (verdict instanceof Verdict.Placed placed) {
      for (int i = 0; i < needed; i++) {
        var node = placed.nodes().get(i);
        if (i < members.size()) {
          place(gang, members.get(i), node);
        } else {
          keepOpen(gang, others, node);
        }
      }
      gang.spares.clear();
      gang.asked.clear();
      gang.rejectedSince.clear();
      gang.phase = Phase.PLANNED;
      gang.reservedAt = now;
      gang.lastProgress = now;
      gang.speculative = members.size() < needed;
      gang.speculated |= gang.speculative;
    }
    return verdict;
  }

  /** Has a member that was just seen take its seat, and ends what was kept for nobody. */
  void seat(GangState gang, Pod pod, Instant now) {
    if (gang.openPlaces.isEmpty()) {
      return;
    }
    var uid = pod.key().uid();
    if (!gang.places.containsKey(uid) && gang.isCandidate(pod)) {
      claim(gang, pod, now).ifPresent(_ -> letGo(gang, pod));
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
    return gang.satisfied || gang.needs(pod)
        ? gang.openPlaces.stream().filter(open -> isFree(open, now)).toList()
        : List.of();
  }

  private Optional<String> take(GangState gang, OpenPlace open, Pod pod, Instant now) {
    world.inventory().release(open.holder());
    var room = world.inventory().room(open.node());
    if (room.isPresent() && room.get().misfits(pod.demand()).isEmpty()) {
      return settled(gang, open, pod, open.node(), now);
    }
    world.inventory().occupy(open.holder(), open.node(), open.demand().requests());
    return Optional.empty();
  }

  /** Gives the open place up for one elsewhere that suits the member. */
  private Optional<String> exchange(GangState gang, OpenPlace open, Pod pod, Instant now) {
    world.inventory().release(open.holder());
    var node = oneNode(pod.demand(), gang, now);
    if (node.isPresent()) {
      return settled(gang, open, pod, node.get(), now);
    }
    world.inventory().occupy(open.holder(), open.node(), open.demand().requests());
    return Optional.empty();
  }

  private Optional<String> settled(
      GangState gang, OpenPlace open, Pod pod, String node, Instant now) {
    gang.openPlaces.remove(open);
    place(gang, pod, node);
    gang.lastProgress = now;
    return Optional.of(node);
  }

  private Optional<String> oneNode(Demand demand, GangState gang, Instant now) {
    return decide(gang, List.of(demand), now) instanceof Verdict.Placed placed
        ? Optional.of(placed.nodes().getFirst())
        : Optional.empty();
  }

  /** Whether one such member would fit now. */
  boolean hasRoom(GangState gang, Demand demand, Instant now) {
    return oneNode(demand, gang, now).isPresent();
  }

  /** Nobody was given the place, or whoever was has not come. */
  private boolean isFree(OpenPlace open, Instant now) {
    return open.given()
        .filter(given -> now.isBefore(given.at().plus(world.deadlines().assemblyStall())))
        .isEmpty();
  }

  /** Once enough members have places, those kept for others end, but for ones on their way. */
  private void closeIfFull(GangState gang, Instant now) {
    if (gang.neededBeside(gang.places.keySet()) == 0) {
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
        claim(gang, pod, now).ifPresent(_ -> letGo(gang, pod));
      }
    }
    closeIfFull(gang, now);
    return gang.neededBeside(gang.places.keySet()) == 0
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
      alike = oneNode(shape, gang, now).map(node -> keepOpen(gang, shape, node));
    }
    return alike.map(open -> give(gang, open, unborn, now));
  }

  private Pin give(GangState gang, OpenPlace open, Pod unborn, Instant now) {
    var pin = pin(gang, open.demand(), open.node());
    gang.openPlaces.remove(open);
    gang.openPlaces.add(
        new OpenPlace(
            open.holder(), open.demand(), open.node(), Optional.of(new Given(pin, unborn, now))));
    return pin;
  }

  /** The emptiest nodes that still have room: each may have to take a lost node's members. */
  private List<String> spareNodes(Demand demand) {
    return world.inventory().snapshot().rooms().values().stream()
        .filter(room -> room.misfits(demand).isEmpty())
        .sorted(EMPTIEST_FIRST)
        .limit(SPARES + 1)
        .map(room -> room.node().name())
        .toList();
  }

  /** Plans the free open places for that shape, or at least one of them; the last is of it. */
  private boolean reshape(GangState gang, List<OpenPlace> free, Demand shape, Instant now) {
    free.forEach(open -> world.inventory().release(open.holder()));
    var all = Collections.nCopies(free.size(), shape);
    var one = new ArrayList<>(free.stream().skip(1).map(OpenPlace::demand).toList());
    one.addLast(shape);
    for (var demands : List.of(all, one)) {
      if (decide(gang, demands, now) instanceof Verdict.Placed placed) {
        gang.openPlaces.removeAll(free);
        for (int i = 0; i < demands.size(); i++) {
          keepOpen(gang, demands.get(i), placed.nodes().get(i));
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
        var other = oneNode(tied, gang, now);
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

  private OpenPlace keepOpen(GangState gang, Demand demand, String node) {
    var open = new OpenPlace("open#" + world.nextTurn(), demand, node, Optional.empty());
    world.inventory().occupy(open.holder(), node, demand.requests());
    gang.openPlaces.add(open);
    return open;
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

  /**
   * Gives a placed member the place of a sibling that has not arrived, on one of these nodes, and
   * the sibling another; empty, and nothing changed, if no sibling can go elsewhere.
   */
  Optional<String> swap(GangState gang, Pod pod, List<String> offered, Instant now) {
    var uid = pod.key().uid();
    var own = gang.places.get(uid);
    for (var place : Map.copyOf(gang.places).entrySet()) {
      var sibling = world.pod(place.getKey());
      if (place.getKey().equals(uid)
          || sibling.isEmpty()
          || gang.arrived.containsKey(place.getKey())
          || !offered.contains(place.getValue())
          || gang.excluded(now).contains(place.getValue())) {
        continue;
      }
      world.inventory().release(uid);
      world.inventory().release(place.getKey());
      if (fits(place.getValue(), pod.demand())) {
        place(gang, pod, place.getValue());
        var other =
            fits(own, sibling.get().demand())
                ? Optional.of(own)
                : oneNode(sibling.get().demand(), gang, now);
        if (other.isPresent()) {
          place(gang, sibling.get(), other.get());
          letGo(gang, sibling.get());
          return Optional.of(place.getValue());
        }
        world.inventory().release(uid);
      }
      place(gang, pod, own);
      place(gang, sibling.get(), place.getValue());
    }
    return Optional.empty();
  }

  private boolean fits(String node, Demand demand) {
    return world.inventory().room(node).filter(room -> room.misfits(demand).isEmpty()).isPresent();
  }

  /** Gives a place to further members where a placed one was lost; aborts if that cannot be. */
  void refill(GangState gang, Instant now, String why) {
    int missing = gang.neededBeside(gang.places.keySet()) - gang.openPlaces.size();
    if (missing <= 0) {
      return;
    }
    var unplaced = gang.chosenBeside(gang.places.keySet());
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
      world.emit(new Effect.Ungate(pod.key(), pinOf(gang, pod)));
    }
  }

  /** What a waiting member is tied to as it is let go; its own terms cannot be kept beside it. */
  private Optional<Pin> pinOf(GangState gang, Pod pod) {
    var node = Optional.ofNullable(gang.places.get(pod.key().uid()));
    boolean may =
        world.pins()
            && pod.origin().pinning().allowed()
            && pod.origin().pinning().pin().isEmpty()
            && pod.demand().anyOfTerms().isEmpty()
            && !pod.isGatedByOthers();
    return node.filter(_ -> may).map(planned -> pin(gang, pod.demand(), planned));
  }

  private Pin pin(GangState gang, Demand shape, String planned) {
    var nodes = new ArrayList<>(List.of(planned));
    gang.spares.computeIfAbsent(shape, this::spareNodes).stream()
        .filter(node -> !node.equals(planned))
        .limit(SPARES)
        .forEach(nodes::add);
    return new Pin(Long.toString(world.nextTurn()), nodes);
  }

  /** Keeps the gang away from a node for a minute, twice as long each further time. */
  void blame(GangState gang, String node, Instant now) {
    int times = Math.min(gang.blames.merge(node, 1, Integer::sum), MOST_DOUBLINGS);
    gang.excludedUntil.put(node, now.plus(NODE_BLAME.multipliedBy(1L << (times - 1))));
  }

  /** Keeps a place for a member to come, on that node if it will do; false if there is no room. */
  boolean keep(GangState gang, Demand demand, Optional<String> wanted, Instant now) {
    var node =
        wanted
            .filter(name -> !gang.excluded(now).contains(name))
            .filter(name -> fits(name, demand))
            .or(() -> oneNode(demand, gang, now));
    node.ifPresent(name -> keepOpen(gang, demand, name));
    return node.isPresent();
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
    gang.spares.clear();
    gang.live().stream()
        .filter(pod -> !pod.isBound() && !pod.isGated())
        .forEach(pod -> gang.refused.add(pod.key().uid()));
    world.planAgain();
  }
}
