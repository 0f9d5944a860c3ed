package io.muster.extender.core.plan.diagnosis;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.diagnosis.Copies.Barrier;
import io.muster.extender.core.plan.diagnosis.Copies.Left;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the planner would say of a request if something were otherwise. Each answer takes a plan or
 * some on {@link Copies} of the nodes. Confined to the thread of the snapshot.
 */
final class WhatIf {

  /** What its own nodes keep it from comes before what other nodes would need. */
  private static final List<Set<Barrier>> BARRIERS =
      List.of(
          Set.of(Barrier.TAINTS),
          Set.of(Barrier.TAINTS, Barrier.STATE),
          Set.of(Barrier.SELECTION),
          Set.of(Barrier.SELECTION, Barrier.STATE),
          Set.of(Barrier.TAINTS, Barrier.SELECTION),
          EnumSet.allOf(Barrier.class));

  private final Planner planner;
  private final Copies copies;
  private final List<NodeState> rooms;
  private final GangRequest request;
  private final List<Demand> members;

  WhatIf(Planner planner, Copies copies, GangRequest request) {
    this.planner = planner;
    this.copies = copies;
    this.rooms = copies.rooms();
    this.request = request;
    this.members = request.members();
  }

  boolean fits(Copies.View view) {
    return verdict(view, members.size()) instanceof Verdict.Placed;
  }

  /** What the planner says of the first so many members. */
  private Verdict verdict(Copies.View view, int first) {
    return planner.decide(copies.as(view), request(view, first));
  }

  private GangRequest request(Copies.View view, int first) {
    var shapes = new IdentityHashMap<Demand, Demand>();
    var parts = new ArrayList<GangRequest.Part>();
    int left = first;
    for (var part : request.parts()) {
      var some = part.members().subList(0, Math.min(left, part.members().size()));
      left -= some.size();
      if (!some.isEmpty()) {
        parts.add(
            new GangRequest.Part(
                some.stream()
                    .map(demand ->
                        view.suitable() ? shapes.computeIfAbsent(demand, Demand::anywhere) : demand)
                    .toList(),
                view.apart() ? Topology.ANYWHERE : part.topology()));
      }
    }
    return new GangRequest(
        parts, view.awake() ? Set.of() : request.excludedNodes(), request.mayUseKept());
  }

  /** How many of the members would find a place together, taken in order. */
  int placeable(Copies.View view) {
    int low = 0;
    int high = members.size();
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (verdict(view, middle) instanceof Verdict.Placed) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The fewest of what keeps members away without which all would have a place; empty if none. */
  Optional<Set<Barrier>> barriers(Copies.View view) {
    return fits(view.open())
        ? BARRIERS.stream().filter(some -> fits(view.without(some))).findFirst()
        : Optional.empty();
  }

  /** Whether there would be room if nobody needed more than what is left of it. */
  boolean fitsBy(Left left) {
    var shapes = new IdentityHashMap<Demand, Demand>();
    var parts =
        request.parts().stream()
            .map(part ->
                new GangRequest.Part(
                    part.members().stream()
                        .map(demand ->
                            shapes.computeIfAbsent(
                                demand, same -> same.asking(left.of(same.requests()))))
                        .toList(),
                    part.topology()))
            .toList();
    return planner.decide(
            copies.taken(left),
            new GangRequest(parts, request.excludedNodes(), request.mayUseKept()))
        instanceof Verdict.Placed;
  }

  /** The nodes that would hold a member if these did not keep it away, as they are. */
  List<NodeState> closed(Copies.View view, Set<Barrier> barriers) {
    var kinds = kinds(view.without(barriers));
    var without = copies.as(view.without(barriers)).rooms();
    var with = copies.as(view).rooms();
    var closed = new ArrayList<NodeState>();
    for (int i = 0; i < with.size(); i++) {
      var open = without.get(i);
      var shut = with.get(i);
      if (kinds.stream().anyMatch(open::fits)
          && (isExcluded(shut) || kinds().stream().noneMatch(shut::fits))) {
        closed.add(shut);
      }
    }
    return closed;
  }

  private boolean isExcluded(NodeState room) {
    return request.excludedNodes().contains(room.node().name());
  }

  Set<Demand> kinds() {
    return new LinkedHashSet<>(members);
  }

  Set<Demand> kinds(Copies.View view) {
    return view.suitable()
        ? kinds().stream().map(Demand::anywhere).collect(Collectors.toSet())
        : kinds();
  }

  /** Nodes that at least one kind of member may use. */
  List<NodeState> usable() {
    var kinds = kinds();
    return rooms.stream()
        .filter(room -> !isExcluded(room))
        .filter(room -> kinds.stream().anyMatch(room::couldHold))
        .toList();
  }
}
