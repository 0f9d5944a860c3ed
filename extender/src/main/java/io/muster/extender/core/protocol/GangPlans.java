package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Puts a gang's questions to the planner: without the nodes that failed it, each gang of a group as
 * close together as it wants to be, and later members in the domain where the first ones are.
 */
final class GangPlans {

  private final World world;

  GangPlans(World world) {
    this.world = world;
  }

  /** Somebody to be placed: of which gang, and what it asks for. */
  record Wanted(GangId gang, Demand demand) {

    static Wanted of(GangState unit, Pod pod) {
      return new Wanted(pod.membership().map(Membership::gang).orElse(unit.id), pod.demand());
    }
  }

  /** The node of each, in the order given; empty if there are not places for all. */
  Optional<List<String>> place(GangState unit, List<Wanted> wanted, Instant now) {
    return place(unit, wanted, unit.excluded(now));
  }

  private Optional<List<String>> place(
      GangState unit, List<Wanted> wanted, Set<String> excluded) {
    var order = inParts(unit, wanted);
    if (decide(unit, order, wanted, excluded) instanceof Verdict.Placed placed) {
      var nodes = new String[wanted.size()];
      int next = 0;
      for (var part : order) {
        for (int index : part.members()) {
          nodes[index] = placed.nodes().get(next++);
        }
      }
      return Optional.of(List.of(nodes));
    }
    return Optional.empty();
  }

  /** A node for one more of the same shape. */
  Optional<String> placeOne(GangState unit, Demand demand, Instant now) {
    return place(unit, List.of(new Wanted(unit.id, demand)), now).map(List::getFirst);
  }

  /** The same on another node than these. */
  Optional<String> placeOne(GangState unit, Demand demand, Set<String> notOn, Instant now) {
    var excluded = new HashSet<>(unit.excluded(now));
    excluded.addAll(notOn);
    return place(unit, List.of(new Wanted(unit.id, demand)), excluded).map(List::getFirst);
  }

  /** Why these do not fit: index of the first one without a place, and the sentence. */
  Optional<Refusal> refusal(GangState unit, List<Wanted> wanted, Instant now) {
    var order = inParts(unit, wanted);
    if (decide(unit, order, wanted, unit.excluded(now)) instanceof Verdict.NoRoom noRoom) {
      var all = order.stream().flatMap(part -> part.members().stream()).toList();
      return Optional.of(new Refusal(all.get(noRoom.member()), noRoom.tally()));
    }
    return Optional.empty();
  }

  /** The first of those wanted that has no place, and why. */
  record Refusal(int member, String tally) {}

  private record Part(Topology topology, List<Integer> members) {}

  private static List<Part> inParts(GangState unit, List<Wanted> wanted) {
    var parts = new ArrayList<Part>();
    for (var gang : unit.gangs()) {
      var members = new ArrayList<Integer>();
      for (int i = 0; i < wanted.size(); i++) {
        if (wanted.get(i).gang().equals(gang)) {
          members.add(i);
        }
      }
      if (!members.isEmpty()) {
        parts.add(new Part(unit.topologyOf(gang), members));
      }
    }
    return parts;
  }

  private Verdict decide(
      GangState unit, List<Part> order, List<Wanted> wanted, Set<String> excluded) {
    var parts =
        order.stream()
            .map(part ->
                new GangRequest.Part(
                    part.members().stream()
                        .map(index -> inDomain(unit, wanted.get(index)))
                        .toList(),
                    part.topology()))
            .toList();
    return world
        .planner()
        .decide(world.inventory().snapshot(), new GangRequest(parts, excluded));
  }

  /** Where members of a gang that must be in one domain are already, the others go there. */
  private Demand inDomain(GangState unit, Wanted wanted) {
    var level = unit.topologyOf(wanted.gang()).required();
    if (level.isEmpty()) {
      return wanted.demand();
    }
    return unit.membersOf(wanted.gang()).stream()
        .filter(pod -> unit.hasStarted(pod) || unit.places.containsKey(pod.key().uid()))
        .flatMap(pod -> world.inventory().nodeOf(pod.key().uid()).stream())
        .flatMap(node -> world.inventory().room(node).stream())
        .flatMap(room -> Optional.ofNullable(room.node().labels().get(level.get())).stream())
        .findFirst()
        .map(domain -> wanted.demand().selecting(level.get(), domain))
        .orElse(wanted.demand());
  }
}
