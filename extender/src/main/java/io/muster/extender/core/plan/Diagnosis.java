package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.Copies.Left;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the one cause that keeps a request from being placed, by asking the planner what it would
 * say if something were otherwise: nodes empty, nodes open to every pod, members apart. What does
 * not help is not the cause. Takes a few plans on {@link Copies} of the nodes. Confined to the
 * thread of the snapshot.
 */
public final class Diagnosis {

  private static final String LESS_CLOSE =
      " or let the members be preferably close (muster.io/gang-topology-preferred)";

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
  private final Resources asked;

  private Diagnosis(Planner planner, Copies copies, GangRequest request) {
    this.planner = planner;
    this.copies = copies;
    this.rooms = copies.rooms();
    this.request = request;
    this.members = request.members();
    this.asked = members.stream().map(Demand::requests).reduce(Resources.NONE, Resources::plus);
  }

  /** Why the planner finds no place for the request; only to be asked where it does not. */
  public static Finding of(Planner planner, Copies copies, GangRequest request) {
    return new Diagnosis(planner, copies, request).finding();
  }

  /** The finding, and which devices are not known that might change it. */
  private Finding finding() {
    var found = cause();
    return Uncounted.of(rooms, asked)
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
    if (isTied && fits(real.withApart())) {
      return topology(fits(empty.withAwake()) ? real : empty);
    }
    if (fits(empty)) {
      return fits(real.withAwake()) ? unavailable("there is room on ") : occupied();
    }
    if (isTied && fits(empty.withApart())) {
      return topology(empty);
    }
    if (fits(empty.withAwake())) {
      return unavailable(
          fits(real.withAwake())
              ? "there is room on "
              : held(placeable(empty)) + "; closed to it for now: ");
    }
    int fit = placeable(empty);
    if (fit > 0 || !fits(empty.open())) {
      return tooLarge(fit);
    }
    return fits(empty.withUntainted()) ? tainted() : unsuitable();
  }

  private boolean fits(Copies.View view) {
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
  private int placeable(Copies.View view) {
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

  private Finding tooLarge(int fit) {
    return new Finding(
        Cause.TOO_LARGE,
        held(fit),
        "add nodes for %s, or make the gang smaller%s"
            .formatted(more(fit), elsewhere(Copies.View.EMPTY)));
  }

  private String held(int fit) {
    int usable = usable().size();
    return usable == 0
        ? "even empty, no node would hold a member"
        : "even empty, the %s that will do would hold %d of the %s"
            .formatted(Counted.of(usable, "node"), fit, Counted.of(members.size(), "member"));
  }

  /** Where members could go if they were let. */
  private String elsewhere(Copies.View view) {
    if (fits(view.withUntainted())) {
      return "; nodes with taints that they do not tolerate have room";
    }
    return fits(view.open())
        ? "; nodes that their node selector, affinity or taints keep them from have room"
        : "";
  }

  private Finding occupied() {
    var usable = usable();
    int fit = placeable(Copies.View.REAL);
    var device = Need.device(asked);
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
                  amount(name, free),
                  plain(name, asked.amount(name)),
                  Counted.of(usable.size(), "node")),
          "wait until %s come free, or add nodes for %s"
                  .formatted(amount(name, asked.amount(name) - free), more(fit))
              + elsewhere(Copies.View.REAL));
    }
    var name = device.orElse("cpu");
    long holding = usable.stream().filter(room -> free(List.of(room), name) > 0).count();
    return new Finding(
        Cause.FRAGMENTED,
        "%s are free on %s, in pieces that hold %d of the %s"
            .formatted(
                amount(name, free(usable, name)),
                Counted.of(holding, "node"),
                fit,
                Counted.of(members.size(), "member")),
        "needs room for %s%s".formatted(more(fit), elsewhere(Copies.View.REAL)));
  }

  /** What there is too little of beside devices that would do. */
  private Optional<Finding> scarceBeside() {
    if (!fitsBy(Left.DEVICES_ALONE)) {
      return Optional.empty();
    }
    if (asked.hostPorts().stream().anyMatch(alone -> !alone.isPort())
        && fitsBy(Left.AMOUNTS_ALONE)) {
      return Optional.of(
          new Finding(
              Cause.NOT_ENOUGH_BESIDE,
              "there is room for all members, but on nodes with pods that the members'"
                  + " anti-affinity keeps apart",
              "wait until those pods end, or add nodes"));
    }
    var what =
        fitsBy(Left.ALL_BUT_CPU)
            ? "CPU"
            : fitsBy(Left.ALL_BUT_MEMORY) ? "memory" : "CPU, memory, pods or ports";
    return Optional.of(
        new Finding(
            Cause.NOT_ENOUGH_BESIDE,
            "devices for all members are free, with too little %s beside them".formatted(what),
            "ask for less %s, or end pods that take it on these nodes".formatted(what)));
  }

  /** Whether there would be room if nobody needed more than what is left of it. */
  private boolean fitsBy(Left left) {
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

  private Finding topology(Copies.View view) {
    var lack =
        planner
            .lack(copies.as(view), request)
            .orElseGet(() ->
                new Lack.Shortage(
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

  private Finding unavailable(String what) {
    long away =
        rooms.stream()
            .filter(room ->
                !room.node().isAvailable() || request.excludedNodes().contains(room.node().name()))
            .count();
    return new Finding(
        Cause.UNAVAILABLE,
        "%s%s not ready, cordoned, leaving, or failed a moment ago"
            .formatted(what, away == 1 ? "1 node that is" : away + " nodes that are"),
        "see kubectl get nodes: uncordon or mend nodes, or add some; those that failed are tried"
            + " again by themselves");
  }

  private Finding tainted() {
    var keys = new TreeSet<String>();
    for (var room : rooms) {
      room.node().taints().stream()
          .filter(taint -> taint.effect().forbidsPlacement())
          .filter(taint ->
              members.stream()
                  .anyMatch(
                      demand -> demand.tolerations().stream().noneMatch(t -> t.covers(taint))))
          .forEach(taint -> keys.add(taint.key()));
    }
    return new Finding(
        Cause.TAINTED,
        "all nodes that suit have taints that the members do not tolerate: "
            + String.join(", ", keys),
        "tolerate them in spec.tolerations, or take them off");
  }

  private Finding unsuitable() {
    return new Finding(
        Cause.UNSUITABLE,
        "no node with such devices suits node selector, affinity and volumes of the members",
        "look at spec.nodeSelector, spec.affinity and the claims of the members, and at the labels"
            + " of the nodes");
  }

  /** Nodes that at least one kind of member may use. */
  private List<NodeState> usable() {
    var kinds = new HashSet<>(members);
    return rooms.stream()
        .filter(room -> !request.excludedNodes().contains(room.node().name()))
        .filter(room -> kinds.stream().anyMatch(room::couldHold))
        .toList();
  }

  /** The first resource of which too little is free in all. */
  private Optional<String> shortage(List<NodeState> usable) {
    var names = new ArrayList<>(new TreeSet<>(asked.extended().keySet()));
    names.add("cpu");
    names.add("memory");
    return names.stream().filter(name -> asked.amount(name) > free(usable, name)).findFirst();
  }

  private static long free(List<NodeState> usable, String name) {
    return usable.stream().mapToLong(room -> Math.max(0, room.freeOf(name))).sum();
  }

  /** {@code 2 more members (nvidia.com/gpu 8 each)}. */
  private String more(int fit) {
    int missing = members.size() - fit;
    var shapes =
        members.subList(fit, members.size()).stream()
            .map(demand -> demand.requests().shown())
            .distinct()
            .toList();
    return "%s (%s)"
        .formatted(
            Counted.of(missing, "more member"),
            shapes.getFirst() + (shapes.size() > 1 ? ", and others" : missing == 1 ? "" : " each"));
  }

  private static String amount(String name, long units) {
    if (units == 0) {
      return isDevice(name) ? "0 " + name : name + " 0";
    }
    return switch (name) {
      case "cpu" -> new Resources(units, 0, Map.of()).shown();
      case "memory" -> new Resources(0, units, Map.of()).shown();
      default -> units + " " + name;
    };
  }

  private static String plain(String name, long units) {
    return isDevice(name) ? Long.toString(units) : amount(name, units);
  }

  private static boolean isDevice(String name) {
    return !name.equals("cpu") && !name.equals("memory");
  }
}
