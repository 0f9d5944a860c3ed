package io.muster.simulator.world;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.RunningJob;
import io.muster.simulator.world.cluster.SegmentRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the segments of gangs that start, and those of them that are not in one rack, by the nodes
 * that the members run on and nothing else. Not thread-safe.
 */
final class SegmentCount {

  private final SegmentRule rule;
  private final Map<String, Machine> machines = new HashMap<>();
  private long all;
  private long broken;

  SegmentCount(SegmentRule rule, List<Machine> machines) {
    this.rule = rule;
    machines.forEach(machine -> this.machines.put(machine.name(), machine));
  }

  /** All members of it run; they are in the order of their numbers. */
  void started(RunningJob running) {
    var nodes =
        running.pods.values().stream()
            .map(pod -> machines.get(pod.progress().nodeName().orElseThrow()))
            .toList();
    all += rule.count(running.job);
    broken += rule.broken(running.job, nodes);
  }

  long all() {
    return all;
  }

  long broken() {
    return broken;
  }
}
