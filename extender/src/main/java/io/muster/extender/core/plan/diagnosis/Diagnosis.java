package io.muster.extender.core.plan.diagnosis;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Shortage;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.diagnosis.Copies.Barrier;
import io.muster.extender.core.plan.diagnosis.Copies.Left;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the one cause that keeps a request from being placed, by asking the planner what it would
 * say if something were otherwise: nodes empty, nodes open to every pod, members apart. What does
 * not help is not the cause. Takes a few plans on {@link Copies} of the nodes. Confined to the
 * thread of the snapshot.
 */
public final class Diagnosis {

  private static final String LESS_CLOSE =
      " or let the members be preferably close (muster.io/gang-topology-preferred)";

  private static final String SEE_NODES =
      "see kubectl get nodes: uncordon or mend nodes, or add some; those that failed are tried"
          + " again by themselves";

  private static final int MOST_TOLD_APART = 16;

  /** What keeps a request from being placed. */
  public enum Cause {
    /** Not all at once, even if nothing else ran on the present nodes. */
    TOO_LARGE,
    /** Too little is free on the nodes that will do. */
    NOT_ENOUGH_FREE,
    /** Enough is free in all, in pieces that are too small. */
    FRAGMENTED,
    /** Devices are free together with too little CPU or memory. */
    NOT_ENOUGH_BESIDE,
    /** There is room for all, but not in one domain. */
    TOPOLOGY,
    /** There is room on nodes that the members' selectors, affinities or volumes leave out. */
    UNSUITABLE,
    /** There is room on nodes with taints that the members do not tolerate. */
    TAINTED,
    /** There is room on nodes that are not ready, cordoned, leaving or failed a moment ago. */
    UNAVAILABLE
  }

  /**
   * The cause of a refusal. Immutable.
   *
   * @param evidence figures that show it, as part of a sentence
   * @param remedy what would change it, one sentence
   */
  public record Finding(Cause cause, String evidence, String remedy) {}

  private final Planner planner;
  private final Copies copies;
  private final List<NodeState> rooms;
  private final GangRequest request;
  private final List<Demand> members;
  private final WhatIf whatIf;
  private final Resources asked;

  private Diagnosis(Planner planner, Copies copies, GangRequest request) {
    this.planner = planner;
    this.copies = copies;
    this.rooms = copies.rooms();
    this.request = request;
    this.members = request.members();
    this.whatIf = new WhatIf(planner, copies, request);
    this.asked = members.stream().map(Demand::requests).reduce(Resources.NONE, Resources::plus);
  }

  /** Why the planner finds no place for the request; only to be asked where it does not. */
  public static Finding of(Planner planner, Copies copies, GangRequest request) {
    return new Diagnosis(planner, copies, request).finding();
  }

  /** The finding, and which devices are not known that might change it. */
  private Finding finding() {
    var found = cause();
    return Clues.uncounted(nodes(), asked)
        .map(unknown ->
            new Finding(found.cause(), found.evidence() + "; " + unknown, found.remedy()))
        .orElse(found);
  }

  private Finding cause() {
    var real = Copies.View.REAL;
    var empty = Copies.View.EMPTY;
    if (fitsWithKept()) {
      return kept();
    }
    boolean isTied = request.parts().stream().anyMatch(part -> part.topology().binds());
    if (isTied && whatIf.fits(real.withApart())) {
      return topology(whatIf.fits(empty.withAwake()) ? real : empty);
    }
    if (whatIf.fits(empty)) {
      return whatIf.fits(real.withAwake()) ? unavailable("there is room on ", real) : occupied();
    }
    if (isTied && whatIf.fits(empty.withApart())) {
      return topology(empty);
    }
    if (whatIf.fits(empty.withAwake())) {
      return whatIf.fits(real.withAwake())
          ? unavailable("there is room on ", real)
          : unavailable(held(whatIf.placeable(empty)) + "; closed to it for now: ", empty);
    }
    int fit = whatIf.placeable(empty);
    return whatIf
        .barriers(empty)
        .filter(_ -> fit == 0)
        .map(this::barred)
        .orElseGet(() -> tooLarge(fit));
  }

  private Finding tooLarge(int fit) {
    return whatIf.kinds().stream()
        .flatMap(kind -> Clues.beyondAll(nodes(), kind).stream())
        .findFirst()
        .map(what ->
            new Finding(
                Cause.TOO_LARGE,
                "even empty, no node would hold a member " + what,
                "ask for less in these pods, or add nodes that have so much"))
        .orElseGet(() ->
            new Finding(
                Cause.TOO_LARGE,
                held(fit),
                "add nodes for %s, or make the gang smaller%s"
                    .formatted(more(fit), elsewhere(Copies.View.EMPTY))));
  }

  private String held(int fit) {
    int usable = whatIf.usable().size();
    if (usable > 0) {
      return "even empty, the %s that will do would hold %d of the %s"
          .formatted(Counted.of(usable, "node"), fit, Counted.of(members.size(), "member"));
    }
    int others = whatIf.placeable(Copies.View.EMPTY.open());
    return others == 0
        ? "even empty, no node would hold a member"
        : "even empty, no node that takes them now would hold a member, and the others %d of the %s"
            .formatted(others, Counted.of(members.size(), "member"));
  }

  /** Where members could go if they were let. */
  private String elsewhere(Copies.View view) {
    return whatIf
        .barriers(view)
        .map(barriers ->
            barriers.equals(Set.of(Barrier.TAINTS))
                ? "; nodes with taints that they do not tolerate have room"
                : "; nodes that %s keep them from have room"
                    .formatted(
                        barriers.stream()
                            .sorted(Comparator.reverseOrder())
                            .map(Diagnosis::named)
                            .collect(Collectors.joining(" or "))))
        .orElse("");
  }

  private static String named(Barrier barrier) {
    return switch (barrier) {
      case TAINTS -> "taints";
      case SELECTION -> "their node selector, affinity or volumes";
      case STATE -> "a cordon or a failure";
    };
  }

  private Finding occupied() {
    var usable = whatIf.usable();
    int fit = whatIf.placeable(Copies.View.REAL);
    var device = Accelerators.first(asked);
    var scarce = shortage(usable);
    if (device.isPresent() && !scarce.filter(asked.extended()::containsKey).isPresent()) {
      var beside = scarceBeside();
      if (beside.isPresent()) {
        return beside.get();
      }
    }
    if (scarce.isPresent()) {
      var name = scarce.get();
      long free = free(usable, name);
      return new Finding(
          Cause.NOT_ENOUGH_FREE,
          "%s of the %s needed are free on the %s that will do"
              .formatted(
                  Clues.amount(name, free),
                  Clues.plain(name, asked.amount(name)),
                  Counted.of(usable.size(), "node")),
          "wait until %s come free, or add nodes for %s"
                  .formatted(Clues.amount(name, asked.amount(name) - free), more(fit))
              + elsewhere(Copies.View.REAL));
    }
    var name = device.orElse("cpu");
    long holding = usable.stream().filter(room -> free(List.of(room), name) > 0).count();
    return new Finding(
        Cause.FRAGMENTED,
        "%s are free on %s, in pieces that hold %d of the %s"
            .formatted(
                Clues.amount(name, free(usable, name)),
                Counted.of(holding, "node"),
                fit,
                Counted.of(members.size(), "member")),
        "needs room for %s%s".formatted(more(fit), elsewhere(Copies.View.REAL)));
  }

  /** What there is too little of beside devices that would do. */
  private Optional<Finding> scarceBeside() {
    if (!whatIf.fitsBy(new Left(Set.copyOf(besideDevices())))) {
      return Optional.empty();
    }
    if (asked.hostPorts().stream().anyMatch(alone -> !alone.isPort())
        && whatIf.fitsBy(new Left(Set.of(Left.PORTS)))) {
      return Optional.of(
          new Finding(
              Cause.NOT_ENOUGH_BESIDE,
              "there is room for all members, but on nodes with pods that the members'"
                  + " anti-affinity keeps apart",
              "wait until those pods end, or add nodes"));
    }
    var scarce = scarceBesideDevices();
    var what = String.join(", ", scarce).replaceFirst("^cpu\\b", "CPU");
    return Optional.of(
        scarce.equals(List.of(Left.PODS))
            ? new Finding(
                Cause.NOT_ENOUGH_BESIDE,
                "devices for all members are free, on nodes that hold as many pods as they may",
                "end other pods on these nodes, or have their kubelets take more (maxPods)")
            : scarce.equals(List.of(Left.PORTS))
                ? new Finding(
                    Cause.NOT_ENOUGH_BESIDE,
                    "devices for all members are free, on nodes where other pods have the same"
                        + " hostPort",
                    "take another hostPort, or end pods that have it on these nodes")
                : new Finding(
                    Cause.NOT_ENOUGH_BESIDE,
                    "devices for all members are free, with too little %s beside them"
                        .formatted(what),
                    "ask for less %s, or end pods that take it on these nodes".formatted(what)));
  }

  /** The fewest of what is no device without which there would be room; each takes a plan. */
  private List<String> scarceBesideDevices() {
    var scarce = new ArrayList<>(besideDevices());
    if (scarce.size() > MOST_TOLD_APART) {
      return List.of("of the other resources");
    }
    for (var name : List.copyOf(scarce)) {
      var others = new HashSet<>(scarce);
      others.remove(name);
      if (whatIf.fitsBy(new Left(others))) {
        scarce.remove(name);
      }
    }
    return scarce;
  }

  private List<String> besideDevices() {
    var names = new ArrayList<>(List.of(Left.PORTS, Left.PODS));
    names.addAll(Clues.names(asked));
    names.removeIf(Accelerators::isManaged);
    return names;
  }

  private Finding topology(Copies.View view) {
    var lack =
        planner
            .lack(copies.as(view), request)
            .orElseGet(() ->
                new Shortage(
                    "there is room for all members, but not in the domains that they ask for"));
    return lack.remedy()
        .map(remedy -> new Finding(Cause.TOPOLOGY, lack.evidence(), remedy))
        .orElseGet(() -> wantOfDomains(view, lack.evidence()));
  }

  private static Finding wantOfDomains(Copies.View view, String evidence) {
    return view.emptied()
        ? new Finding(
            Cause.TOPOLOGY,
            "even empty, the domains do not hold the gang: " + evidence,
            "add nodes to domains, make the gang smaller," + LESS_CLOSE)
        : new Finding(Cause.TOPOLOGY, evidence, "wait until domains have room," + LESS_CLOSE);
  }

  private boolean fitsWithKept() {
    return !request.mayUseKept()
        && copies.levels().all().stream().anyMatch(level -> level.keep() > 0)
        && planner.decide(
                copies.as(Copies.View.REAL),
                new GangRequest(request.parts(), request.excludedNodes(), true))
            instanceof Verdict.Placed;
  }

  private Finding kept() {
    return new Finding(
        Cause.UNAVAILABLE,
        "there is room on nodes that the ConfigMap muster-topology keeps in reserve",
        "wait until other nodes come free, or keep fewer");
  }

  /** Of the nodes that would do but for their state now, were they as full as that. */
  private Finding unavailable(String what, Copies.View view) {
    var away = whatIf.closed(view, Set.of(Barrier.STATE));
    return new Finding(
        Cause.UNAVAILABLE,
        "%s%s %s"
            .formatted(
                what,
                away.size() == 1 ? "1 node that is" : away.size() + " nodes that are",
                Clues.states(nodes(away), request.excludedNodes())),
        SEE_NODES);
  }

  /** Nodes that would hold all of them keep every member away. */
  private Finding barred(Set<Barrier> barriers) {
    var empty = Copies.View.EMPTY;
    var why = new ArrayList<String>();
    var remedies = new ArrayList<String>();
    if (barriers.contains(Barrier.TAINTS)) {
      var kinds = whatIf.kinds(empty.without(barriers));
      var shut = whatIf.closed(empty, barriers);
      var keys =
          kinds.stream()
              .flatMap(kind -> Clues.taints(nodes(shut), kind).stream())
              .distinct()
              .sorted()
              .collect(Collectors.joining(", "));
      why.add("have taints that the members do not tolerate: " + keys);
      remedies.add("tolerate them in spec.tolerations, or take them off");
    }
    if (barriers.contains(Barrier.SELECTION)) {
      why.add("do not suit node selector, affinity and volumes of the members");
      remedies.add(
          "look at spec.nodeSelector, spec.affinity and the claims of the members, and at the"
              + " labels of the nodes");
    }
    if (barriers.contains(Barrier.STATE)) {
      why.add("are not ready, cordoned, or failed a moment ago");
      remedies.add(SEE_NODES);
    }
    var cause = barriers.contains(Barrier.SELECTION) ? Cause.UNSUITABLE : Cause.TAINTED;
    return new Finding(
        cause,
        why.size() > 1
            ? "of the nodes that would hold members some " + String.join("; some ", why)
            : cause == Cause.TAINTED ? "all nodes that suit " + why.getFirst() : unsuitable(),
        String.join("; ", remedies));
  }

  /** Nodes that suit may be closed to them besides, and be too few. */
  private String unsuitable() {
    var closed = Set.of(Barrier.TAINTS, Barrier.STATE);
    int fit = whatIf.placeable(Copies.View.EMPTY.without(closed));
    return fit == 0
        ? "no node with such devices suits node selector, affinity and volumes of the members"
        : ("nodes that suit node selector, affinity and volumes of the members would hold %d of"
                + " them, and are tainted, cordoned, not ready, or failed a moment ago")
            .formatted(fit);
  }

  private List<Node> nodes() {
    return nodes(rooms);
  }

  private static List<Node> nodes(List<NodeState> rooms) {
    return rooms.stream().map(NodeState::node).toList();
  }

  /** The first resource of which too little is free in all. */
  private Optional<String> shortage(List<NodeState> usable) {
    return Clues.names(asked).stream()
        .filter(name -> asked.amount(name) > free(usable, name))
        .findFirst();
  }

  private static long free(List<NodeState> usable, String name) {
    return usable.stream().mapToLong(room -> Math.max(0, room.freeOf(name))).sum();
  }

  /** {@code 2 more members (nvidia.com/gpu 8 each)}. */
  private String more(int fit) {
    var others = members.subList(fit, members.size());
    return "%s (%s)".formatted(Counted.of(others.size(), "more member"), Clues.shapes(others));
  }
}
