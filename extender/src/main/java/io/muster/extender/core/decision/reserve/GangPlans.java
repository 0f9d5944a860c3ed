package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Snapshot;
import io.muster.extender.core.plan.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Puts a gang's questions to the planner: without the nodes that failed it, each gang of a group as
 * close together as it wants to be, and later members in the domain where the first ones are.
 */
public final class GangPlans {

  /** The value of no label: there is no domain with room. */
  private static final String NOWHERE = "-";

  private final ClusterState cluster;
  private final KnownSiblings known;

  public GangPlans(ClusterState cluster) {
    this.cluster = cluster;
    this.known = new KnownSiblings(cluster);
  }

  /** What came of a question. */
  public sealed interface Outcome {

    /** The node of each, in the order given. */
    record Placed(List<String> nodes) implements Outcome {}

    /**
     * There are not places for all. Why is worked out when it is asked for, which is to be before
     * the ledger changes.
     */
    record Refused(Verdict.NoRoom noRoom, List<Part> order, GangRequest request)
        implements Outcome {

      /** Index of the first one without a place. */
      public int member() {
        return order.stream()
            .flatMap(part -> part.members().stream())
            .toList()
            .get(noRoom.member());
      }

      /** Why no node takes it, one sentence. */
      public String tally() {
        return noRoom.tally();
      }
    }
  }

  /** A place for each of them, or why there are not places for all. */
  public Outcome decide(GangState unit, List<Wanted> wanted, Instant now) {
    return decide(unit, wanted, unit.setbacks.excluded(now));
  }

  /** What is asked of the planner for them. */
  public GangRequest request(GangState unit, List<Wanted> wanted, Instant now) {
    return request(unit, wanted, inParts(unit, wanted), unit.setbacks.excluded(now));
  }

  private static GangRequest request(
      GangState unit, List<Wanted> wanted, List<Part> order, Set<String> excluded) {
    var parts =
        order.stream()
            .map(part ->
                new GangRequest.Part(
                    part.members().stream()
                        .map(index -> part.siblings().bind(wanted.get(index)))
                        .toList(),
                    part.topology()))
            .toList();
    return new GangRequest(parts, excluded, unit.members.started() > 0);
  }

  /** Whether there are places for all on nodes that are otherwise as these. */
  public boolean fits(GangState unit, List<Wanted> wanted, Snapshot nodes, Instant now) {
    return cluster.planner().decide(nodes, request(unit, wanted, now)) instanceof Verdict.Placed;
  }

  /** The node of each, in the order given; empty if there are not places for all. */
  public Optional<List<String>> place(GangState unit, List<Wanted> wanted, Instant now) {
    return nodes(decide(unit, wanted, now));
  }

  /** The same on other nodes than these. */
  public Optional<List<String>> place(
      GangState unit, List<Wanted> wanted, Set<String> notOn, Instant now) {
    return nodes(decide(unit, wanted, excludedAnd(unit, notOn, now)));
  }

  /** A node for one more. */
  public Optional<String> placeOne(GangState unit, Wanted wanted, Instant now) {
    return placeOne(unit, wanted, Set.of(), now);
  }

  /** The same on another node than these. */
  public Optional<String> placeOne(GangState unit, Wanted wanted, Set<String> notOn, Instant now) {
    return place(unit, List.of(wanted), notOn, now).map(List::getFirst);
  }

  /**
   * What a member asks for; where some must be in one domain, that it be where siblings are. The
   * first of a segment goes where there is room for the whole of it.
   */
  public Demand besideSiblings(GangState unit, Pod pod) {
    if (unit.deferred.includes(pod)) {
      return pod.demand();
    }
    var wanted = Wanted.of(unit, pod);
    var topology = unit.terms.topologyOf(wanted.neighbours());
    if (!topology.binds()) {
      return pod.demand();
    }
    var siblings = known.of(unit, wanted.neighbours(), () -> siblings(unit, wanted.neighbours()));
    var demand = siblings.siblings().bind(wanted);
    if (topology.segments().isEmpty()
        || !siblings.hasStarted()
        || siblings.siblings().haveBegun(wanted)) {
      return demand;
    }
    var inner = topology.segments().getFirst();
    var beginning =
        new KnownSiblings.Beginning(
            demand,
            inner,
            membersBeside(unit, wanted, siblings.siblings().position(wanted), inner.size()),
            unit.counts.isBelow());
    var label = cluster.inventory().labelOf(inner.level());
    return demand.selecting(
        label, known.domain(unit, beginning, () -> domain(unit, beginning, label)));
  }

  /** The domain with room for a whole segment. What is kept for the gang is room for it. */
  private String domain(GangState unit, KnownSiblings.Beginning beginning, String label) {
    var whole =
        new GangRequest.Part(
            Collections.nCopies(beginning.members(), beginning.demand()),
            Topology.ANYWHERE.inSegments(beginning.segment()));
    var inventory = cluster.inventory();
    var verdict =
        inventory.asIfGone(
            unit.reservation.open().stream().map(OpenPlace::holder).toList(),
            () ->
                cluster
                    .planner()
                    .decide(
                        inventory.snapshot(),
                        new GangRequest(List.of(whole), Set.of(), beginning.mayUseKept())));
    return switch (verdict) {
      case Verdict.Placed(var nodes) ->
          inventory.room(nodes.getFirst()).orElseThrow().node().labels().get(label);
      case Verdict.NoRoom _ -> NOWHERE;
    };
  }

  /** Members of its segment: the last one of those that start together may be shorter. */
  private static int membersBeside(GangState unit, Wanted wanted, int position, int size) {
    if (!wanted.neighbours().role().isEmpty()) {
      return size;
    }
    int minimum = unit.terms.minAvailableOf(wanted.gang());
    int first = position - position % size;
    return position < minimum ? Math.min(size, minimum - first) : size;
  }

  /** What one more member like that asks for: that it be in the domain of the required level. */
  public Demand likeMember(GangState unit, Pod pod) {
    return siblings(unit, unit.terms.neighboursOf(pod)).inRequired(pod.shape());
  }

  private Siblings siblings(GangState unit, Neighbours neighbours) {
    return Siblings.of(unit, neighbours, cluster.gangs(), cluster.inventory());
  }

  private static Set<String> excludedAnd(GangState unit, Set<String> notOn, Instant now) {
    var excluded = new HashSet<>(unit.setbacks.excluded(now));
    excluded.addAll(notOn);
    return excluded;
  }

  private static Optional<List<String>> nodes(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Placed(var nodes) -> Optional.of(nodes);
      case Outcome.Refused _ -> Optional.empty();
    };
  }

  /**
   * Those of one gang or role that are placed under one topology, or come later, by their index.
   */
  record Part(Topology topology, Siblings siblings, List<Integer> members) {}

  private List<Part> inParts(GangState unit, List<Wanted> wanted) {
    var parts = new ArrayList<Part>();
    for (var neighbours : unit.terms.neighbours()) {
      var siblings = siblings(unit, neighbours);
      var own = indexes(wanted, each -> each.neighbours().equals(neighbours) && !each.comesLater());
      var topology = unit.terms.topologyOf(neighbours);
      var haveBegun =
          own.stream().collect(Collectors.partitioningBy(i -> siblings.haveBegun(wanted.get(i))));
      var unsegmented = new Topology(topology.preferred(), topology.required());
      parts.add(new Part(topology, siblings, haveBegun.get(false)));
      parts.add(new Part(unsegmented, siblings, haveBegun.get(true)));
    }
    var later = indexes(wanted, Wanted::comesLater);
    parts.add(new Part(Topology.ANYWHERE, Siblings.NONE, later));
    return parts.stream().filter(part -> !part.members().isEmpty()).toList();
  }

  private static List<Integer> indexes(List<Wanted> wanted, Predicate<Wanted> which) {
    return IntStream.range(0, wanted.size())
        .filter(i -> which.test(wanted.get(i)))
        .boxed()
        .toList();
  }

  private Outcome decide(GangState unit, List<Wanted> wanted, Set<String> excluded) {
    var order = inParts(unit, wanted);
    var request = request(unit, wanted, order, excluded);
    var inventory = cluster.inventory();
    var verdict =
        inventory.asIfGone(
            cluster.nominatedPods().below(unit),
            () -> cluster.planner().decide(inventory.snapshot(), request));
    return switch (verdict) {
      case Verdict.Placed(var nodes) -> new Outcome.Placed(inGivenOrder(order, nodes));
      case Verdict.NoRoom noRoom -> new Outcome.Refused(noRoom, order, request);
    };
  }

  private static List<String> inGivenOrder(List<Part> order, List<String> planned) {
    var nodes = new String[planned.size()];
    int next = 0;
    for (var part : order) {
      for (int index : part.members()) {
        nodes[index] = planned.get(next++);
      }
    }
    return List.of(nodes);
  }
}
