package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Resources;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds a place for every member of a gang, or for none.
 *
 * <ol>
 *   <li>For each distinct demand, the nodes that can take it at all are ordered: fewest free
 *       devices first, then by name (best fit: whole empty nodes stay whole for gangs that need
 *       them).
 *   <li>Members are taken in the given order; each goes to the first node of its list that still
 *       has room beside those placed before it. A node without room for a demand never regains it,
 *       so the list is walked once.
 *   <li>The first member without a node ends the attempt.
 * </ol>
 *
 * <p>Guaranteed: all or none; no node above what it offers; the same input gives the same plan; the
 * snapshot stays as it is. Members that are alike are placed if and only if they fit; with members
 * of different shape best fit in the given order may miss a placement that exists. Stateless; safe
 * for concurrent use.
 */
public final class Planner {

  /** A place for each member, or the first one that has none and why. */
  public Verdict decide(Snapshot snapshot, GangRequest request) {
    var taken = new HashMap<String, Room>();
    var candidates = new HashMap<Demand, Deque<Room>>();
    var nodes = new ArrayList<String>(request.members().size());
    for (int i = 0; i < request.members().size(); i++) {
      var demand = request.members().get(i);
      var queue = candidates.computeIfAbsent(demand, d -> ordered(snapshot, taken, d, request));
      var place = firstWithRoom(queue, taken, demand.requests());
      if (place.isEmpty()) {
        return new Verdict.NoRoom(i, tally(snapshot, taken, demand, request));
      }
      var node = place.get().node().name();
      taken.put(node, place.get().with(demand.requests()));
      nodes.add(node);
    }
    return new Verdict.Placed(nodes);
  }

  /** Why no node takes the demand, in kube-scheduler's form. */
  public String explain(Snapshot snapshot, Demand demand) {
    return tally(snapshot, Map.of(), demand, new GangRequest(List.of(), Set.of()));
  }

  /** Orders nodes for one demand: those that would be fullest with it come first. */
  public static Comparator<Room> bestFit(Resources requests) {
    return Comparator.<Room>comparingLong(room -> freeDevices(room, requests))
        .thenComparingLong(Room::freeCpu)
        .thenComparing(room -> room.node().name());
  }

  private static long freeDevices(Room room, Resources requests) {
    long free = 0;
    for (var name : requests.extended().keySet()) {
      free += room.free(name);
    }
    return free;
  }

  private static Deque<Room> ordered(
      Snapshot snapshot, Map<String, Room> taken, Demand demand, GangRequest request) {
    var fitting = new ArrayList<Room>();
    for (var room : snapshot.rooms().values()) {
      var present = taken.getOrDefault(room.node().name(), room);
      if (!request.excludedNodes().contains(room.node().name())
          && present.misfits(demand).isEmpty()) {
        fitting.add(present);
      }
    }
    fitting.sort(bestFit(demand.requests()));
    return new ArrayDeque<>(fitting);
  }

  private static Optional<Room> firstWithRoom(
      Deque<Room> queue, Map<String, Room> taken, Resources requests) {
    while (!queue.isEmpty()) {
      var first = queue.peekFirst();
      var present = taken.getOrDefault(first.node().name(), first);
      if (present.hasRoomFor(requests)) {
        return Optional.of(present);
      }
      queue.removeFirst();
    }
    return Optional.empty();
  }

  private static String tally(
      Snapshot snapshot, Map<String, Room> taken, Demand demand, GangRequest request) {
    var counts = new TreeMap<String, Integer>();
    for (var room : snapshot.rooms().values()) {
      var present = taken.getOrDefault(room.node().name(), room);
      var misfits =
          request.excludedNodes().contains(room.node().name())
              ? List.of("node(s) failed this gang a moment ago")
              : present.misfits(demand);
      misfits.forEach(reason -> counts.merge(reason, 1, Integer::sum));
    }
    var reasons =
        counts.entrySet().stream().map(e -> e.getValue() + " " + e.getKey()).sorted().toList();
    int total = snapshot.rooms().size();
    return total == 0
        ? "0/0 nodes are available: the cluster has no nodes."
        : "0/%d nodes are available: %s.".formatted(total, String.join(", ", reasons));
  }
}
