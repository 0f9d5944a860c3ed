package io.muster.simulator.world;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.protocol.Event;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.RunningJob;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The pods that are there, as an apiserver would store them: whatever changes is told. What they
 * hold is counted apart from what the protocol believes, and no node ever holds more than it has.
 * Not thread-safe.
 */
final class SimulatedPods {

  private final Consumer<Event> told;
  private final Map<String, RunningJob> owners = new HashMap<>();
  private final Set<String> leaving = new LinkedHashSet<>();
  private final Inventory nodes = new Inventory();

  SimulatedPods(List<Machine> machines, Consumer<Event> told) {
    this.told = told;
    machines.forEach(machine -> nodes.seen(Life.node(machine)));
  }

  /** Whose it is; empty once it is deleted. */
  Optional<RunningJob> owner(String uid) {
    return Optional.ofNullable(owners.get(uid));
  }

  /** Uids of those that were told to leave and have not gone. */
  Set<String> leaving() {
    return leaving;
  }

  /** Its state from now on, be it new or not. */
  void store(RunningJob owner, Pod pod) {
    var uid = pod.key().uid();
    owners.put(uid, owner);
    owner.pods.put(uid, pod);
    told.accept(new Event.PodSeen(pod));
  }

  /** It runs on its node from now on. */
  void bind(RunningJob owner, Pod pod) {
    var node = pod.progress().nodeName().orElseThrow();
    if (!nodes.reserve(pod.key().uid(), node, pod.demand().requests())) {
      throw new IllegalStateException("node %s has no room for pod %s".formatted(node, pod.key()));
    }
    store(owner, pod);
  }

  /** It is told to end, and holds what it has until it is deleted. */
  void tellToLeave(RunningJob owner, Pod pod) {
    leaving.add(pod.key().uid());
    store(owner, Life.ending(pod));
  }

  void delete(RunningJob owner, Pod pod) {
    var uid = pod.key().uid();
    told.accept(new Event.PodGone(pod.key()));
    owners.remove(uid);
    owner.pods.remove(uid);
    leaving.remove(uid);
    nodes.release(uid);
  }
}
