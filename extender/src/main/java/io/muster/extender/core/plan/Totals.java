package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.cluster.Resources;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What is free on available nodes, summed up: cpu, memory, and for each accelerator how many nodes
 * have how many units free. Kept up with each change. Confined to the decision thread.
 */
public final class Totals {

  private final Map<String, TreeMap<Long, Integer>> nodesByFree = new HashMap<>();
  private long cpuMillis;
  private long memoryBytes;
  private ResourceSum offered = ResourceSum.NONE;

  Totals() {}

  /** Free accelerators of every name. Takes time by the number of names, as all questions here. */
  public long freeDevices() {
    return nodesByFree.keySet().stream().mapToLong(this::free).sum();
  }

  /** Allocatable amounts, free or not, of the nodes that are available. */
  public ResourceSum offered() {
    return offered;
  }

  /** Free units of an accelerator. */
  public long free(String name) {
    return unitsLeft(name, Long.MAX_VALUE);
  }

  /** Free units of an accelerator that are of no use to pods that ask for {@code size} each. */
  public long stranded(String name, long size) {
    return unitsLeft(name, size);
  }

  /** What is left on the nodes when as many whole amounts as can be are taken of each. */
  private long unitsLeft(String name, long amount) {
    long left = 0;
    for (var nodes : nodesByFree.getOrDefault(name, new TreeMap<>()).entrySet()) {
      left += nodes.getKey() % amount * nodes.getValue();
    }
    return left;
  }

  void add(NodeState room) {
    count(room, 1);
    if (room.node().isAvailable()) {
      offered = offered.plus(room.node().allocatable());
    }
  }

  void remove(NodeState room) {
    count(room, -1);
    if (room.node().isAvailable()) {
      offered = offered.minus(room.node().allocatable());
    }
  }

  /** Something else is taken of the same node. */
  void usageChanged(NodeState before, NodeState after) {
    if (!after.node().isAvailable()) {
      return;
    }
    cpuMillis += Math.max(0, after.freeCpu()) - Math.max(0, before.freeCpu());
    memoryBytes += Math.max(0, after.freeMemory()) - Math.max(0, before.freeMemory());
    for (var name : after.node().allocatable().extended().keySet()) {
      if (Accelerators.isManaged(name) && after.free(name) != before.free(name)) {
        count(name, before.free(name), -1);
        count(name, after.free(name), 1);
      }
    }
  }

  private void count(NodeState room, int sign) {
    if (!room.node().isAvailable()) {
      return;
    }
    cpuMillis += sign * Math.max(0, room.freeCpu());
    memoryBytes += sign * Math.max(0, room.freeMemory());
    for (var name : room.node().allocatable().extended().keySet()) {
      if (Accelerators.isManaged(name)) {
        count(name, room.free(name), sign);
      }
    }
  }

  private void count(String name, long free, int sign) {
    if (free > 0) {
      nodesByFree
          .computeIfAbsent(name, _ -> new TreeMap<>())
          .merge(free, sign, (a, b) -> a + b == 0 ? null : a + b);
    }
  }

  boolean mayHold(GangRequest request) {
    var counts = new IdentityHashMap<Demand, Integer>();
    for (var part : request.parts()) {
      for (var member : part.members()) {
        counts.merge(member, 1, Integer::sum);
      }
    }
    long cpu = 0;
    long memory = 0;
    var asked = new HashMap<String, NavigableMap<Long, Integer>>();
    for (var entry : counts.entrySet()) {
      var requests = entry.getKey().requests();
      int members = entry.getValue();
      cpu += requests.cpuMillis() * members;
      memory += requests.memoryBytes() * members;
      count(requests, members, asked);
    }
    return cpu <= cpuMillis
        && memory <= memoryBytes
        && asked.entrySet().stream().allMatch(e -> mayHold(e.getKey(), e.getValue()));
  }

  private void count(
      Resources requests, int members, Map<String, NavigableMap<Long, Integer>> asked) {
    requests.eachAccelerator((name, units) ->
        asked.computeIfAbsent(name, _ -> new TreeMap<>()).merge(units, members, Integer::sum));
  }

  /** Members that ask for at least so many units must each find a node with that many. */
  private boolean mayHold(String name, NavigableMap<Long, Integer> membersByUnits) {
    var free = nodesByFree.getOrDefault(name, new TreeMap<>());
    long members = 0;
    long units = 0;
    for (var entry : membersByUnits.descendingMap().entrySet()) {
      members += entry.getValue();
      units += entry.getKey() * entry.getValue();
      long places = 0;
      for (var nodes : free.tailMap(entry.getKey()).entrySet()) {
        places += nodes.getKey() / entry.getKey() * nodes.getValue();
      }
      if (places < members) {
        return false;
      }
    }
    return units <= free(name);
  }
}
