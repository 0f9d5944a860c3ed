package io.muster.extender.core.plan.diagnosis;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.plan.Snapshot;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes as they would be if something were otherwise; each copy is made when it is first
 * needed. Confined to the thread of the snapshot.
 */
public final class Copies {

  private record Kind(boolean emptied, boolean awake, boolean untainted) {

    private NodeState of(NodeState room) {
      var node = changesNode() ? of(room.node()) : room.node();
      var same = new NodeState(node, room.used(), room.pods());
      return emptied ? same.emptied() : same;
    }

    private boolean changesNode() {
      return awake || untainted;
    }

    private Node of(Node node) {
      return new Node(
          node.name(),
          node.labels(),
          taints(node),
          awake ? Node.Availability.READY : node.availability(),
          node.allocatable(),
          node.podLimit(),
          node.uncounted(),
          node.byClaim());
    }

    private List<Taint> taints(Node node) {
      if (untainted) {
        return List.of();
      }
      return awake
          ? node.taints().stream().filter(taint -> !taint.isOfPassingState()).toList()
          : node.taints();
    }
  }

  private static final Kind REAL = new Kind(false, false, false);

  private final Snapshot real;
  private final Map<Kind, Snapshot> made = new HashMap<>();

  /** Copies of these nodes; to be used until they change. */
  public Copies(Snapshot real) {
    this.real = real;
    made.put(REAL, real);
  }

  Snapshot as(View view) {
    return made.computeIfAbsent(
        new Kind(view.emptied(), view.awake(), view.untainted()), kind -> real.altered(kind::of));
  }

  /** The nodes if nothing ran on them. */
  public Snapshot emptied() {
    return as(View.EMPTY);
  }

  /** The same, as if all nodes took pods besides. */
  public Snapshot emptiedAndAwake() {
    return as(View.EMPTY.withAwake());
  }

  /** What is left of what pods ask for, and take, when some of it is not looked at. */
  record Left(Set<String> ignored) {

    /** Pods on a node, beside the names of amounts. */
    static final String PODS = "pods";

    /** Ports of a node, and what else one pod alone may have. */
    static final String PORTS = "ports";

    Resources of(Resources all) {
      var units = new HashMap<>(all.extended());
      units.keySet().removeAll(ignored);
      return new Resources(
          ignored.contains("cpu") ? 0 : all.cpuMillis(),
          ignored.contains("memory") ? 0 : all.memoryBytes(),
          units,
          ignored.contains(PORTS) ? List.of() : all.hostPorts());
    }
  }

  /** The nodes if nobody took more of them than what is left of it; made anew each time. */
  Snapshot taken(Left left) {
    return real.altered(room ->
        new NodeState(
            room.node(),
            left.of(room.used()),
            left.ignored().contains(Left.PODS) ? 0 : room.pods()));
  }

  Levels levels() {
    return real.levels();
  }

  List<NodeState> rooms() {
    return real.rooms();
  }

  /** What keeps members from nodes that have what they ask for. */
  enum Barrier {
    TAINTS,
    SELECTION,
    STATE
  }

  /** How nodes and members are taken to be. */
  record View(boolean emptied, boolean awake, boolean untainted, boolean suitable, boolean apart) {

    static final View REAL = new View(false, false, false, false, false);
    static final View EMPTY = new View(true, false, false, false, false);

    View open() {
      return without(EnumSet.allOf(Barrier.class));
    }

    /** As if none of these kept members from nodes. */
    View without(Set<Barrier> gone) {
      return new View(
          emptied,
          awake || gone.contains(Barrier.STATE),
          untainted || gone.contains(Barrier.TAINTS),
          suitable || gone.contains(Barrier.SELECTION),
          apart);
    }

    View withAwake() {
      return new View(emptied, true, untainted, suitable, apart);
    }

    View withApart() {
      return new View(emptied, awake, untainted, suitable, true);
    }
  }
}
