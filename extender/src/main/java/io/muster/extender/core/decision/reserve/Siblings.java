package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Gangs;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.Inventory;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Where those members of one gang or role are that have places, as far as others must be near them:
 * all in the domain of the required level, and those of one segment in the domain of its level.
 * Valid until the ledger changes.
 */
final class Siblings {

  private static final int UNRANKED = Integer.MAX_VALUE;

  /** Of nobody. */
  static final Siblings NONE = new Siblings(Topology.ANYWHERE, 0, UnaryOperator.identity());

  private final Topology topology;
  private final int firstRank;
  private final UnaryOperator<String> labels;

  /** Nodes by the rank of the member. */
  private final TreeMap<Integer, Node> ranked = new TreeMap<>();

  /** A master and workers may both count from 0: then ranks say nothing of segments. */
  private boolean areRanksUnique = true;

  /** Of each domain of the innermost segments where members are, one node, and how many are. */
  private final Map<String, Integer> members = new TreeMap<>();

  private final Map<String, Node> examples = new TreeMap<>();

  private Siblings(Topology topology, int firstRank, UnaryOperator<String> labels) {
    this.topology = topology;
    this.firstRank = firstRank;
    this.labels = labels;
  }

  /** Of one gang or role, and of those in whose domains they are to be. */
  static Siblings of(GangState unit, Neighbours neighbours, Gangs gangs, Inventory inventory) {
    var topology = unit.terms.topologyOf(neighbours);
    if (!topology.binds()) {
      return NONE;
    }
    var first = gangs.firstRank(unit, neighbours);
    var siblings = new Siblings(topology, first, inventory::labelOf);
    for (var pod : unit.membersOf(neighbours.gang())) {
      if (unit.terms.neighboursOf(pod).role().equals(neighbours.role())
          && (unit.members.hasStarted(pod) || unit.reservation.holds(pod.key().uid()))) {
        siblings.add(pod, inventory);
      }
    }
    for (var other : gangs.joinedBy(unit, neighbours)) {
      for (var pod : other.members.all()) {
        if (other.members.hasStarted(pod)) {
          siblings.add(pod, inventory);
        }
      }
    }
    return siblings;
  }

  private void add(Pod pod, Inventory inventory) {
    inventory
        .nodeOf(pod.key().uid())
        .flatMap(inventory::room)
        .ifPresent(room -> add(pod.rank(), room.node()));
  }

  private void add(int rank, Node node) {
    areRanksUnique &= ranked.put(rank, node) == null;
    if (!topology.segments().isEmpty()) {
      var domain = node.labels().get(labels.apply(topology.segments().getFirst().level()));
      if (domain != null) {
        members.merge(domain, 1, Integer::sum);
        examples.putIfAbsent(domain, node);
      }
    }
  }

  /** Whether some of its segment have places, so that it must be near them. */
  boolean haveBegun(Wanted wanted) {
    return !topology.segments().isEmpty()
        && near(wanted, topology.segments().getFirst().size()).isPresent();
  }

  /** What asks for that, in the domain of the required level. */
  Demand inRequired(Demand demand) {
    return topology.required().isPresent() && !ranked.isEmpty()
        ? on(demand, topology.required().get(), ranked.firstEntry().getValue())
        : demand;
  }

  /** What it asks for, on the nodes where it is near enough to those that have places. */
  Demand bind(Wanted wanted) {
    var demand = inRequired(wanted.demand());
    for (var segment : topology.segments()) {
      var node = near(wanted, segment.size());
      if (node.isPresent()) {
        demand = on(demand, segment.level(), node.get());
      }
    }
    return demand;
  }

  private Demand on(Demand demand, String level, Node node) {
    var label = labels.apply(level);
    var domain = node.labels().get(label);
    return domain == null ? demand : demand.selecting(label, domain);
  }

  /** How many ranks come before its own. */
  int position(Wanted wanted) {
    return wanted.rank() - firstRank;
  }

  /**
   * The node of the nearest member of its segment. One of which the rank is not known takes a place
   * in a segment that lacks members.
   */
  private Optional<Node> near(Wanted wanted, int size) {
    if (wanted.rank() == UNRANKED || !areRanksUnique) {
      int inner = topology.segments().getFirst().size();
      return members.entrySet().stream()
          .filter(domain -> domain.getValue() % inner != 0)
          .findFirst()
          .map(domain -> examples.get(domain.getKey()));
    }
    int first = wanted.rank() - position(wanted) % size;
    var before = ranked.floorEntry(wanted.rank());
    var after = ranked.ceilingEntry(wanted.rank());
    boolean isBefore = before != null && before.getKey() >= first;
    boolean isAfter = after != null && after.getKey() - first < size;
    if (isBefore && isAfter) {
      boolean isNearer = wanted.rank() - before.getKey() <= after.getKey() - wanted.rank();
      return Optional.of(isNearer ? before.getValue() : after.getValue());
    }
    return isBefore
        ? Optional.of(before.getValue())
        : isAfter ? Optional.of(after.getValue()) : Optional.empty();
  }
}
