package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.QueueEntry.Withheld;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
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
public final class Reservations {

  private final ClusterState cluster;
  private final GangPlans plans;
  private final NodePins pins;
  private final OpenPlaces open;

  public Reservations(ClusterState cluster, GangPlans plans, NodePins pins) {
    this.cluster = cluster;
    this.plans = plans;
    this.pins = pins;
    this.open = new OpenPlaces(cluster);
  }

  /**
   * Plans the members still needed of a complete gang, and beside them the pods that come later,
   * and reserves their places. Then the members are released. Members that are stuck are passed
   * over where others are enough. False, and nothing changed, if there are not places for all.
   */
  public boolean plan(GangState gang, Instant now) {
    if (plan(gang, gang.counts.chosen(), now)) {
      return true;
    }
    var stuck = StuckMembers.of(gang, cluster);
    var others = gang.counts.chosenBeside(Set.of(), stuck);
    return !stuck.isEmpty() && others.size() >= gang.counts.needed() && plan(gang, others, now);
  }

  private boolean plan(GangState gang, List<Pod> members, Instant now) {
    var wanted = wanted(gang, members);
    if (!mayPlan(gang, wanted) || !placeAll(gang, members, wanted, now)) {
      return false;
    }
    begin(gang, members, now);
    return true;
  }

  /**
   * Gives a gang that an earlier life released the places back that its members are tied to, and
   * plans those beside them that were not released yet. False, and nothing changed, if one of those
   * places is taken or closed, or there is none for another member.
   */
  public boolean restore(GangState gang, Instant now) {
    var members = gang.counts.chosen();
    if (!gang.members.isAnyReleased() || !mayPlan(gang, wanted(gang))) {
      return false;
    }
    var others = new ArrayList<Pod>();
    for (var pod : members) {
      var planned = pod.origin().pinning().pin().map(NodePin::planned);
      if (pod.isGated() || planned.isEmpty()) {
        others.add(pod);
      } else if (cluster.inventory().fits(planned.get(), pod.demand())) {
        place(gang, pod, planned.get());
      } else {
        freePlaces(gang, Set.of());
        return false;
      }
    }
    if (!placeAll(gang, others, wanted(gang, others), now)) {
      freePlaces(gang, Set.of());
      return false;
    }
    begin(gang, members, now);
    return true;
  }

  /** Where the queue has nothing left for pods that come later, the gang starts without them. */
  private boolean mayPlan(GangState gang, List<Wanted> wanted) {
    if (gang.quarantine.holds() || !gang.counts.isComplete()) {
      return false;
    }
    var starting = wanted.stream().filter(each -> !each.comesLater()).toList();
    var refusal = cluster.queues().refusal(gang, Wanted.devices(starting));
    refusal.map(Withheld::by).ifPresent(why -> gang.entry.withheld(Optional.of(why)));
    return refusal.isEmpty();
  }

  /**
   * Nothing changes if there is no place for one.
   *
   * @param wanted these members, then the pods that come later
   */
  private boolean placeAll(GangState gang, List<Pod> members, List<Wanted> wanted, Instant now) {
    var nodes = wanted.isEmpty() ? Optional.of(List.<String>of()) : plans.place(gang, wanted, now);
    if (nodes.isEmpty()) {
      return false;
    }
    int placed = members.size();
    var later =
        open.mayBeKept(gang, wanted.subList(0, placed), wanted.subList(placed, wanted.size()));
    for (int i = 0; i < wanted.size(); i++) {
      if (i < placed) {
        place(gang, members.get(i), nodes.get().get(i));
      } else if (later.contains(wanted.get(i))) {
        open.keepLater(gang, wanted.get(i), nodes.get().get(i));
      }
    }
    return true;
  }

  private void begin(GangState gang, List<Pod> members, Instant now) {
    gang.entry.unfitSince(Optional.empty());
    gang.entry.queueFull(false, now);
    gang.entry.withheld(Optional.empty());
    gang.enter(Phase.PLANNED);
    gang.reservation.begin(
        gang.members.live().stream().anyMatch(pod -> pod.progress().awaitsVolumes()), now);
    members.forEach(pod -> letGo(gang, pod));
  }

  /** Those of a complete gang that start, and the pods that come later. */
  public static List<Wanted> wanted(GangState gang) {
    return wanted(gang, gang.counts.chosen());
  }

  private static List<Wanted> wanted(GangState gang, List<Pod> members) {
    var wanted = new ArrayList<>(members.stream().map(pod -> Wanted.of(gang, pod)).toList());
    wanted.addAll(gang.deferred.toCome());
    return wanted;
  }

  /**
   * The best of the offered nodes with room for the pod beside its siblings, its present place
   * counted as free.
   */
  public Optional<String> bestOffered(
      GangState gang, Pod pod, List<String> offered, Set<String> excluded) {
    var beside = plans.besideSiblings(gang, pod);
    var uid = pod.key().uid();
    var rooms =
        offered.stream()
            .filter(name -> !excluded.contains(name))
            .flatMap(name -> cluster.inventory().roomWithout(uid, name).stream())
            .filter(room -> room.fits(pod.demand()) && beside.selects(room.node()))
            .toList();
    return cluster.planner().ranked(pod.demand(), rooms).stream()
        .findFirst()
        .map(room -> room.node().name());
  }

  public void place(GangState gang, Pod pod, String node) {
    cluster.inventory().occupy(pod.key().uid(), node, pod.demand().requests());
    gang.reservation.put(pod.key().uid(), node);
  }

  /** Moves a place that has not been bound to another node; false if there is none. */
  public boolean move(GangState gang, Pod pod, Set<String> notTo, Instant now) {
    var uid = pod.key().uid();
    gang.reservation.remove(uid);
    cluster.inventory().release(uid);
    answerHeld(gang, uid, "the place of this member has moved");
    var node = plans.placeOne(gang, Wanted.of(gang, pod), notTo, now);
    node.ifPresent(to -> place(gang, pod, to));
    cluster.planAgain();
    return node.isPresent();
  }

  /**
   * Gives a placed member the place of a sibling that has not arrived, on one of these nodes, and
   * the sibling another; empty, and nothing changed, if no sibling can go elsewhere.
   */
  public Optional<String> swap(GangState gang, Pod pod, List<String> offered, Instant now) {
    var uid = pod.key().uid();
    var own = gang.reservation.node(uid).orElseThrow();
    var beside = plans.besideSiblings(gang, pod);
    var among = new HashSet<>(offered);
    among.removeAll(gang.setbacks.excluded(now));
    for (var place : gang.reservation.places().entrySet()) {
      var sibling = cluster.pod(place.getKey());
      if (place.getKey().equals(uid)
          || !among.contains(place.getValue())
          || sibling.isEmpty()
          || gang.heldCalls.isHeld(place.getKey())
          || !isOn(beside, place.getValue())
          || !cluster.inventory().keeps(place.getValue(), place.getKey(), pod.demand())) {
        continue;
      }
      boolean mayBeHere = isOn(plans.besideSiblings(gang, sibling.get()), own);
      cluster.inventory().release(uid);
      cluster.inventory().release(place.getKey());
      if (cluster.inventory().fits(place.getValue(), pod.demand())) {
        place(gang, pod, place.getValue());
        var other =
            mayBeHere && cluster.inventory().fits(own, sibling.get().demand())
                ? Optional.of(own)
                : plans.placeOne(gang, Wanted.of(gang, sibling.get()), now);
        if (other.isPresent()) {
          place(gang, sibling.get(), other.get());
          letGo(gang, sibling.get());
          return Optional.of(place.getValue());
        }
        cluster.inventory().release(uid);
      }
      place(gang, pod, own);
      place(gang, sibling.get(), place.getValue());
    }
    return Optional.empty();
  }

  private boolean isOn(Demand beside, String node) {
    return cluster.inventory().room(node).filter(room -> beside.selects(room.node())).isPresent();
  }

  /** Gives a place to further members where a placed one was lost; aborts if that cannot be. */
  public void refill(GangState gang, Instant now, String why) {
    int missing = gang.counts.neededBeside(gang.reservation.uids());
    if (missing <= 0) {
      return;
    }
    var unplaced = gang.counts.chosenBeside(gang.reservation.uids());
    // One that ends counts in its queue until it has gone.
    if (unplaced.size() < missing || cluster.queues().refusal(gang, unplaced).isPresent()) {
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

  /**
   * Lets a member that has a place be scheduled: woken if refused, its gate taken off. Where nobody
   * asks filter, a gang that starts is let go by its record alone. No gate comes off before the
   * NVLink domain is there.
   */
  public void letGo(GangState gang, Pod pod) {
    if (!gang.satisfied() && (!cluster.isAsked() || !gang.hasCompanions())) {
      return;
    }
    if (gang.refused.remove(pod.key().uid()) && !pod.isGated()) {
      cluster.wake(pod.key());
    }
    if (pod.isGatedByMuster()) {
      cluster.ungate(gang, pod, pins.forWaiting(gang, pod));
    }
  }

  /** Lets a member that was given a place join its gang, which has started. */
  public void letJoin(GangState gang, Pod pod) {
    if (cluster.refusedSingles().remove(pod.key().uid()) != null) {
      cluster.wake(pod.key());
    }
    letGo(gang, pod);
    gang.reservation.remove(pod.key().uid());
  }

  public void answerHeld(GangState gang, String uid, String error) {
    gang.heldCalls
        .take(uid)
        .ifPresent(held ->
            cluster.emit(new Effect.AnswerBind(held.call(), Optional.of("muster: " + error))));
  }

  /** Takes all places back; nothing has been bound, so nothing needs undoing. */
  public void giveUp(GangState gang, String why) {
    release(gang, why);
    gang.enter(Phase.WAITING);
    gang.lastTry.forgetFailure();
  }

  /** The same after a failure: the gang is held off for a while. */
  public void abort(GangState gang, Instant now, String why) {
    giveUp(gang, why);
    gang.setbacks.holdOff(now);
    gang.setbacks.failed(why);
    gang.verdict.failed(why);
  }

  /** Ends the reservation without holding the gang off. */
  public void release(GangState gang, String why) {
    for (var uid : gang.heldCalls.uids()) {
      answerHeld(gang, uid, why);
    }
    gang.gateRemovals.forgetAll();
    freePlaces(gang, Set.of());
    open.dropLater(gang);
    gang.members.live().stream()
        .filter(pod -> !pod.isBound() && !pod.isGated())
        .forEach(pod -> gang.refused.add(pod.key().uid()));
    cluster.planAgain();
  }

  /** Ends the reservation, but that these members and the pods that come later keep their room. */
  public void freePlaces(GangState gang, Set<String> kept) {
    for (var uid : gang.reservation.uids()) {
      if (!kept.contains(uid)) {
        cluster.releaseUnbound(uid);
      }
    }
    gang.reservation.open().forEach(open -> cluster.release(open.holder()));
    gang.reservation.clear();
  }
}
