package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.protocol.Effect;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What members are told of where they are. Those that start together are counted as they were
 * planned, in the order of members; who comes later, by rank, unless another member has the same.
 * Valid until a member or the ledger changes.
 */
public final class Locations {

  private final GangState unit;
  private final Gangs gangs;
  private final Inventory inventory;

  /** By uid the positions of those that start together, once somebody has asked. */
  private Optional<Map<String, Integer>> positions = Optional.empty();

  public Locations(GangState unit, Gangs gangs, Inventory inventory) {
    this.unit = unit;
    this.gangs = gangs;
    this.inventory = inventory;
  }

  /**
   * What the member is told.
   *
   * @param nodes those of which it comes to one; none if that may be any
   */
  public Effect.Location of(Pod pod, List<String> nodes) {
    var topology = unit.terms.topologyOf(unit.terms.neighboursOf(pod));
    return topology.isAnywhere() || unit.deferred.includes(pod)
        ? Effect.Location.UNTOLD
        : new Effect.Location(
            segment(pod, topology), topology.nearest().flatMap(level -> domain(level, nodes)));
  }

  /** Levels that members prefer, and that no node is in. */
  public List<String> unknownLevels() {
    return unit.terms.neighbours().stream()
        .flatMap(neighbours -> unit.terms.topologyOf(neighbours).preferred().stream())
        .filter(level -> Topology.tierOf(level) == 0 && !level.equals(NvlinkDomain.LEVEL))
        .filter(level -> !inventory.hasLevel(level))
        .distinct()
        .toList();
  }

  private Optional<String> domain(String level, List<String> nodes) {
    var label = inventory.labelOf(level);
    var domains =
        nodes.stream()
            .map(node ->
                inventory
                    .room(node)
                    .map(room -> room.node().labels().getOrDefault(label, ""))
                    .orElse(""))
            .distinct()
            .toList();
    return domains.size() == 1 && !domains.getFirst().isEmpty()
        ? Optional.of(domains.getFirst())
        : Optional.empty();
  }

  private Optional<Integer> segment(Pod pod, Topology topology) {
    return topology.segments().isEmpty()
        ? Optional.empty()
        : unit.satisfied() || topology.joins().isPresent()
            ? byRank(pod)
            : asPlanned(pod).map(position -> position / topology.segments().getFirst().size());
  }

  private Optional<Integer> byRank(Pod pod) {
    return unit.ranks.isAlone(pod, unit.members::isLive)
        ? Optional.of(gangs.segmentOf(unit, pod).getAsInt())
        : Optional.empty();
  }

  private Optional<Integer> asPlanned(Pod pod) {
    var known = positions.orElseGet(this::count);
    positions = Optional.of(known);
    return Optional.ofNullable(known.get(pod.key().uid()));
  }

  private Map<String, Integer> count() {
    var counts = new HashMap<Neighbours, Integer>();
    var counted = new HashMap<String, Integer>();
    for (var pod : unit.members.live()) {
      var uid = pod.key().uid();
      if (!unit.deferred.includes(pod)
          && (unit.record.names(uid)
              || unit.reservation.holds(uid)
              || unit.members.hasStarted(pod))) {
        counted.put(uid, counts.merge(unit.terms.neighboursOf(pod), 1, Integer::sum) - 1);
      }
    }
    return counted;
  }
}
