package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes as they would be if something were otherwise; each copy is made when it is first
 * needed. Confined to the thread of the snapshot.
 */
public final class Copies {

  private record Kind(boolean emptied, boolean awake, boolean untainted) {

    private NodeState of(NodeState room) {
      var node = changesNode() ? of(room.node()) : room.node();
      return emptied
          ? new NodeState(node, Resources.NONE, 0)
          : new NodeState(node, room.used(), room.pods());
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

  /** What is left of amounts when something is not checked. */
  enum Left {
    DEVICES_ALONE,
    ALL_BUT_CPU,
    ALL_BUT_MEMORY,
    AMOUNTS_ALONE;

    Resources of(Resources all) {
      return switch (this) {
        case DEVICES_ALONE -> devices(all);
        case ALL_BUT_CPU -> new Resources(0, all.memoryBytes(), all.extended(), all.hostPorts());
        case ALL_BUT_MEMORY -> new Resources(all.cpuMillis(), 0, all.extended(), all.hostPorts());
        case AMOUNTS_ALONE -> all.withHostPorts(List.of());
      };
    }

    private static Resources devices(Resources amounts) {
      var devices = new LinkedHashMap<String, Long>();
      amounts.eachAccelerator(devices::put);
      return new Resources(0, 0, devices);
    }
  }

  /** The nodes if nobody took more of them than what is left of it; made anew each time. */
  Snapshot taken(Left left) {
    return real.altered(room ->
        new NodeState(
            room.node(), left.of(room.used()), left == Left.DEVICES_ALONE ? 0 : room.pods()));
  }

  Levels levels() {
    return real.levels();
  }

  List<NodeState> rooms() {
    return real.rooms();
  }

  /** How nodes and members are taken to be. */
  record View(boolean emptied, boolean awake, boolean untainted, boolean suitable, boolean apart) {

    static final View REAL = new View(false, false, false, false, false);
    static final View EMPTY = new View(true, false, false, false, false);

    View open() {
      return new View(emptied, true, true, true, apart);
    }

    View withAwake() {
      return new View(emptied, true, untainted, suitable, apart);
    }

    View withUntainted() {
      return new View(emptied, awake, true, suitable, apart);
    }

    View withApart() {
      return new View(emptied, awake, untainted, suitable, true);
    }
  }
}
