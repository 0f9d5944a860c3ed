package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes as they would be if something were otherwise; each copy is made when it is first
 * needed. Confined to the thread of the snapshot.
 */
public final class Copies {

  private record Kind(boolean emptied, boolean awake, boolean untainted) {}

  private final List<NodeState> rooms;
  private final Levels levels;
  private final Map<Kind, Inventory> made = new HashMap<>();

  /** Copies of these nodes as they are now. */
  public Copies(Snapshot snapshot) {
    rooms = List.copyOf(snapshot.rooms());
    levels = snapshot.levels();
  }

  Snapshot as(View view) {
    return made.computeIfAbsent(
            new Kind(view.emptied(), view.awake(), view.untainted()), this::make)
        .snapshot();
  }

  private Inventory make(Kind kind) {
    var inventory = new Inventory(levels);
    for (var room : rooms) {
      var node = room.node();
      inventory.seen(
          new Node(
              node.name(),
              node.labels(),
              kind.untainted() ? List.of() : node.taints(),
              kind.awake() ? Node.Availability.READY : node.availability(),
              node.allocatable(),
              node.podLimit(),
              node.uncounted(),
              node.byClaim()));
      if (!kind.emptied() && room.pods() > 0) {
        inventory.hold(node.name(), room.used(), room.pods());
      }
    }
    return inventory;
  }

  /** What is left of amounts when something is not checked. */
  enum Left {
    DEVICES_ALONE,
    ALL_BUT_CPU,
    ALL_BUT_MEMORY;

    Resources of(Resources all) {
      return switch (this) {
        case DEVICES_ALONE -> devices(all);
        case ALL_BUT_CPU -> new Resources(0, all.memoryBytes(), all.extended(), all.hostPorts());
        case ALL_BUT_MEMORY -> new Resources(all.cpuMillis(), 0, all.extended(), all.hostPorts());
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
    var inventory = new Inventory(levels);
    for (var room : rooms) {
      inventory.seen(room.node());
      if (room.pods() > 0) {
        inventory.hold(
            room.node().name(), left.of(room.used()), left == Left.DEVICES_ALONE ? 0 : room.pods());
      }
    }
    return inventory.snapshot();
  }

  Levels levels() {
    return levels;
  }

  List<NodeState> rooms() {
    return rooms;
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
