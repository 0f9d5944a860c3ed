package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Taint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What is free on each node, in columns, so that a walk over all nodes touches little memory. A
 * node's slot is its rank by name. Slots are fixed: a node more or less is another grid. Confined
 * to the decision thread.
 */
final class Grid {

  private static final long[] NONE = {};

  private static final class Column {
    private final long[] free;
    private final boolean accelerator;

    Column(int nodes, boolean accelerator) {
      free = new long[nodes];
      this.accelerator = accelerator;
    }
  }

  /** What decides, with a pod's tolerations, whether a node takes pods at all. */
  private record Entrance(Node.Availability availability, List<Taint> taints) {}

  private final NodeState[] rooms;
  private final long[] cpuMillis;
  private final long[] memoryBytes;
  private final int[] pods;
  private final long[] devices;
  private final int[] entrances;

  /** Of what nodes offer alone: a pod may ask for a thousand names that no node has. */
  private final Map<String, Column> units = new HashMap<>();

  private final Map<String, Integer> slots;
  private final Map<Entrance, Integer> entranceIds = new HashMap<>();
  private final List<Node> examples = new ArrayList<>();
  private Levels levels;
  private Optional<Fabric> fabric = Optional.empty();

  /** Of these rooms, in any order. */
  Grid(Collection<NodeState> all, Levels levels) {
    this(sorted(all), levels);
  }

  private Grid(NodeState[] sorted, Levels levels) {
    this(sorted, slots(sorted), levels);
  }

  private Grid(NodeState[] rooms, Map<String, Integer> slots, Levels levels) {
    int size = rooms.length;
    this.rooms = rooms;
    this.slots = slots;
    this.levels = levels;
    cpuMillis = new long[size];
    memoryBytes = new long[size];
    pods = new int[size];
    devices = new long[size];
    entrances = new int[size];
    for (int slot = 0; slot < size; slot++) {
      entrances[slot] = entrance(rooms[slot].node());
      offer(rooms[slot].node());
      set(slot, rooms[slot]);
    }
  }

  private static NodeState[] sorted(Collection<NodeState> all) {
    var sorted = all.toArray(NodeState[]::new);
    Arrays.sort(sorted, Comparator.comparing(room -> room.node().name()));
    return sorted;
  }

  private static Map<String, Integer> slots(NodeState[] sorted) {
    var slots = new HashMap<String, Integer>();
    for (int slot = 0; slot < sorted.length; slot++) {
      slots.put(sorted[slot].node().name(), slot);
    }
    return slots;
  }

  /** The same nodes at the same places of the network, otherwise as this says. */
  Grid altered(UnaryOperator<NodeState> otherwise) {
    var others = Stream.of(rooms).map(otherwise).toArray(NodeState[]::new);
    var altered = new Grid(others, slots, levels);
    altered.fabric = Optional.of(fabric());
    return altered;
  }

  /** Takes the new state of a node that is here. */
  void nodeChanged(NodeState room) {
    int slot = slots.get(room.node().name());
    entrances[slot] = entrance(room.node());
    if (!rooms[slot].node().labels().equals(room.node().labels())) {
      fabric = Optional.empty();
    }
    offer(room.node());
    set(slot, room);
  }

  /** Takes the levels of the network as they are stated now. */
  void levelsChanged(Levels stated) {
    levels = stated;
    fabric = Optional.empty();
  }

  /** Where the nodes are in the network. */
  Fabric fabric() {
    if (fabric.isEmpty()) {
      fabric = Optional.of(new Fabric(rooms().stream().map(NodeState::node).toList(), levels));
    }
    return fabric.get();
  }

  /** Takes what is used now of a node that is here and has not changed itself. */
  void usageChanged(NodeState room) {
    set(slots.get(room.node().name()), room);
  }

  private void set(int slot, NodeState room) {
    rooms[slot] = room;
    cpuMillis[slot] = room.freeCpu();
    memoryBytes[slot] = room.freeMemory();
    pods[slot] = room.node().podLimit() - room.pods();
    long sum = 0;
    for (var entry : units.entrySet()) {
      long free = room.free(entry.getKey());
      entry.getValue().free[slot] = free;
      if (entry.getValue().accelerator) {
        sum += Math.max(0, free);
      }
    }
    devices[slot] = sum;
  }

  private void offer(Node node) {
    node.allocatable().extended().keySet().forEach(this::column);
  }

  private void column(String name) {
    if (!units.containsKey(name)) {
      units.put(name, new Column(rooms.length, Accelerators.isManaged(name)));
    }
  }

  private int entrance(Node node) {
    var key = new Entrance(node.availability(), node.taints());
    return entranceIds.computeIfAbsent(
        key,
        _ -> {
          examples.add(node);
          return examples.size() - 1;
        });
  }

  int size() {
    return rooms.length;
  }

  /** The slot of a node; negative if it is not known. */
  int slot(String nodeName) {
    return slots.getOrDefault(nodeName, -1);
  }

  /** What is on each node, in order of their names, as a view. */
  List<NodeState> rooms() {
    return Collections.unmodifiableList(Arrays.asList(rooms));
  }

  NodeState room(int slot) {
    return rooms[slot];
  }

  String name(int slot) {
    return rooms[slot].node().name();
  }

  long cpuMillis(int slot) {
    return cpuMillis[slot];
  }

  long memoryBytes(int slot) {
    return memoryBytes[slot];
  }

  int pods(int slot) {
    return pods[slot];
  }

  /** Free accelerators of every name. */
  long devices(int slot) {
    return devices[slot];
  }

  /** Free units of a resource by slot; empty if no node offers it. */
  long[] units(String name) {
    var column = units.get(name);
    return column == null ? NONE : column.free;
  }

  /** Nodes with the same number take the same pods, as far as taints and availability go. */
  int entrance(int slot) {
    return entrances[slot];
  }

  /** For each such number a node that has it. */
  List<Node> entranceExamples() {
    return examples;
  }
}
