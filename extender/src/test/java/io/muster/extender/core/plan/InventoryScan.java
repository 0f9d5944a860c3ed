package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Goes through a whole {@link Inventory} and compares all that it keeps up with each change with
 * what its holders and nodes come to. Stateless.
 */
public final class InventoryScan {

  private InventoryScan() {}

  /** All that occupy something, as a view. */
  public static Set<String> holders(Inventory inventory) {
    return inventory.holders();
  }

  /** What the holder occupies, where its node is known. */
  public static Optional<Resources> requests(Inventory inventory, String holder) {
    return inventory
        .nodeOf(holder)
        .flatMap(node ->
            inventory
                .room(node)
                .map(room ->
                    room.used().minus(inventory.roomWithout(holder, node).orElseThrow().used())));
  }

  /** What does not agree with what. */
  public static List<String> faults(Inventory inventory) {
    var faults = new ArrayList<String>();
    var counts = new HashMap<String, Integer>();
    var used = new HashMap<String, Resources>();
    for (var holder : inventory.holders()) {
      var node = inventory.nodeOf(holder).orElseThrow();
      counts.merge(node, 1, Integer::sum);
      requests(inventory, holder)
          .ifPresent(requests -> used.merge(node, requests, Resources::plus));
    }
    var totals = new Totals();
    var snapshot = inventory.snapshot();
    for (var room : snapshot.rooms()) {
      var name = room.node().name();
      totals.add(room);
      if (!inventory.room(name).equals(Optional.of(room))) {
        faults.add("%s: the grid has %s".formatted(name, room));
      }
      if (room.pods() != counts.getOrDefault(name, 0)
          || !sameAmounts(room.used(), used.getOrDefault(name, Resources.NONE))) {
        faults.add(
            "%s: %s by %d, but its holders are %d with %s"
                .formatted(name, room.used(), room.pods(), counts.getOrDefault(name, 0), used));
      }
      checkSlot(snapshot.grid(), room, faults);
    }
    if (snapshot.grid().size() != snapshot.rooms().size()) {
      faults.add("the grid has %d nodes".formatted(snapshot.grid().size()));
    }
    check(inventory.totals(), totals, snapshot, faults);
    return faults;
  }

  private static boolean sameAmounts(Resources one, Resources other) {
    return one.cpuMillis() == other.cpuMillis()
        && one.memoryBytes() == other.memoryBytes()
        && one.hostPorts().size() == other.hostPorts().size()
        && one.extended().keySet().stream().allMatch(name -> one.of(name) == other.of(name))
        && other.extended().keySet().stream().allMatch(name -> one.of(name) == other.of(name));
  }

  private static void checkSlot(Grid grid, NodeState room, List<String> faults) {
    int slot = grid.slot(room.node().name());
    boolean agrees =
        slot >= 0
            && Objects.equals(grid.room(slot), room)
            && grid.cpuMillis(slot) == room.freeCpu()
            && grid.memoryBytes(slot) == room.freeMemory()
            && grid.pods(slot) == room.node().podLimit() - room.pods()
            && grid.devices(slot) == room.freeDevices()
            && sameEntrance(grid.entranceExamples().get(grid.entrance(slot)), room.node())
            && room.node().allocatable().extended().keySet().stream()
                .allMatch(name -> grid.units(name)[slot] == room.free(name));
    if (!agrees) {
      faults.add("the grid has another " + room);
    }
  }

  private static boolean sameEntrance(Node one, Node other) {
    return one.availability() == other.availability() && one.taints().equals(other.taints());
  }

  private static void check(Totals kept, Totals counted, Snapshot snapshot, List<String> faults) {
    boolean agree =
        kept.freeDevices() == counted.freeDevices() && kept.offered().equals(counted.offered());
    for (var room : snapshot.rooms()) {
      for (var name : room.node().allocatable().extended().keySet()) {
        for (int size = 1; size <= 8; size++) {
          agree &= kept.stranded(name, size) == counted.stranded(name, size);
        }
        agree &= kept.free(name) == counted.free(name);
      }
    }
    if (!agree) {
      faults.add(
          "totals: %d devices of %s free, counted %d of %s"
              .formatted(
                  kept.freeDevices(), kept.offered(), counted.freeDevices(), counted.offered()));
    }
  }
}
