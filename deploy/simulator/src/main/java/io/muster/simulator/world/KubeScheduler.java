package io.muster.simulator.world;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Effect;
import io.muster.simulator.world.cluster.Machine;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The least kube-scheduler: takes pods up in the order in which they come, asks Muster where each
 * may go, and has it bound there. Not safe for concurrent use.
 */
final class KubeScheduler {

  private final GangScheduler protocol;
  private final List<String> nodes;
  private final Queue<String> waiting = new ArrayDeque<>();
  private long calls;

  KubeScheduler(GangScheduler protocol, List<Machine> machines) {
    this.protocol = protocol;
    this.nodes = machines.stream().map(Machine::name).toList();
  }

  /** The pod is without gates, or is to be tried again. */
  void add(String uid) {
    waiting.add(uid);
  }

  boolean isIdle() {
    return waiting.isEmpty();
  }

  /** The uid of the pod that comes next. */
  String next() {
    return waiting.remove();
  }

  /** Takes the pod up; gives back what Muster wants done for it. */
  List<Effect> schedule(Pod pod, Instant now) {
    var decision = protocol.filter(pod, nodes, now);
    var effects = new ArrayList<>(decision.effects());
    if (decision.answer() instanceof Answer.Accept(var accepted, var _) && !accepted.isEmpty()) {
      var call = new BindCall(++calls, pod.key(), accepted.getFirst());
      effects.addAll(protocol.bind(call, now));
    }
    return effects;
  }
}
