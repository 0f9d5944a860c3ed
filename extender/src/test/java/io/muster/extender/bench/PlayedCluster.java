package io.muster.extender.bench;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The protocol in a cluster that does at once whatever it asks for: the API server stores and tells
 * it, kube-scheduler asks about each member without a gate and calls bind for it. What each kind of
 * call costs the deciding thread is kept.
 */
final class PlayedCluster {

  /** What the deciding thread is called for. */
  enum Work {
    SEEN,
    UNGATED,
    FILTER,
    BIND,
    WRITTEN,
    BOUND,
    TICK
  }

  private final GangScheduler protocol =
      new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.AUTO));
  private final List<String> nodes;
  private final Map<String, Pod> pods = new HashMap<>();
  private final Map<Long, String> calls = new HashMap<>();
  private final Deque<Effect> effects = new ArrayDeque<>();
  private final Set<String> asking = new LinkedHashSet<>();
  private final Set<String> refused = new LinkedHashSet<>();
  private final Set<String> bound = new HashSet<>();
  private final List<String> ended = new ArrayList<>();
  private final Set<String> evicted = new LinkedHashSet<>();
  private final Map<Work, CpuSamples> spent = new EnumMap<>(Work.class);
  private Instant now = Instant.EPOCH;
  private long nextCall = 1;

  PlayedCluster(Collection<Node> nodes) {
    this.nodes = nodes.stream().map(Node::name).toList();
    for (var work : Work.values()) {
      spent.put(work, new CpuSamples());
    }
    nodes.forEach(node -> tell(Work.SEEN, new Event.NodeSeen(node)));
  }

  /** Muster leads and has read all that was told until now. */
  void lead() {
    tell(Work.SEEN, new Event.LeaseHeld(Instant.MAX, false));
    tell(Work.SEEN, new Event.Ready());
    settle();
  }

  /** From now on the costs are counted anew. */
  void forgetCosts() {
    spent.replaceAll((_, _) -> new CpuSamples());
  }

  CpuSamples spent(Work work) {
    return spent.get(work);
  }

  Instant now() {
    return now;
  }

  /** Members that Muster has bound. */
  int bound() {
    return bound.size();
  }

  /** Sentences with which Muster has ended pods. */
  List<String> ended() {
    return List.copyOf(ended);
  }

  /** Uids of those that it has evicted. */
  Set<String> evicted() {
    return Collections.unmodifiableSet(evicted);
  }

  /** The pod is stored; nothing that Muster asks for is done before {@link #settle}. */
  void create(Pod pod) {
    pods.put(pod.key().uid(), pod);
    tell(Work.SEEN, new Event.PodSeen(pod));
    if (!pod.isGated() && !pod.isBound()) {
      asking.add(pod.key().uid());
    }
  }

  /** The pod has ended well, and is deleted. */
  void end(Pod pod, CpuSamples cost) {
    pods.remove(pod.key().uid());
    var before = pod.progress();
    var over =
        pod.at(
            new Pod.Progress(
                Pod.Phase.SUCCEEDED, before.nodeName(), Optional.empty(), false, Set.of()));
    effects.addAll(
        cost.of(() -> {
          var all = new ArrayList<>(protocol.on(new Event.PodSeen(over), now));
          all.addAll(protocol.on(new Event.PodGone(over.key()), now));
          return all;
        }));
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  /** Half a second passes; whom kube-scheduler was refused it asks about once more. */
  void tick() {
    pass(Duration.ofMillis(500));
    asking.addAll(refused);
    refused.clear();
    tell(Work.TICK, new Event.Tick());
    settle();
    while (protocol.isSearching()) {
      tell(Work.TICK, new Event.Idle());
      settle();
    }
  }

  /** Does all that Muster asks for, and what follows from it. */
  void settle() {
    while (true) {
      if (!effects.isEmpty()) {
        carryOut(effects.poll());
      } else if (!asking.isEmpty()) {
        ask(asking.iterator().next());
      } else {
        return;
      }
    }
  }

  private void tell(Work work, Event event) {
    take(work, () -> protocol.on(event, now));
  }

  private void take(Work work, Supplier<List<Effect>> call) {
    effects.addAll(spent.get(work).of(call));
  }

  private void ask(String uid) {
    asking.remove(uid);
    var pod = pods.get(uid);
    if (pod == null || pod.isBound() || pod.isGated() || calls.containsValue(uid)) {
      return;
    }
    var decision = spent.get(Work.FILTER).of(() -> protocol.filter(pod, nodes, now));
    effects.addAll(decision.effects());
    if (decision.answer() instanceof Answer.Accept accept && !accept.nodes().isEmpty()) {
      long call = nextCall++;
      calls.put(call, uid);
      var bind = new BindCall(call, pod.key(), accept.nodes().getFirst());
      take(Work.BIND, () -> protocol.bind(bind, now));
    } else {
      refused.add(uid);
    }
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Ungate ungate -> ungate(ungate);
      case Effect.WriteRecord write ->
          tell(
              Work.WRITTEN,
              new Event.RecordWritten(write.gang().gang(), write.gang().epoch(), true));
      case Effect.Bind bind -> bind(bind);
      case Effect.AnswerBind answer -> {
        var uid = calls.remove(answer.call());
        if (answer.error().isPresent()) {
          refused.add(uid);
        }
      }
      case Effect.Wake wake -> {
        if (refused.remove(wake.pod().uid())) {
          asking.add(wake.pod().uid());
        }
      }
      case Effect.Evict evict -> {
        ended.add(evict.pod() + ": " + evict.sentence());
        evicted.add(evict.pod().uid());
      }
      case Effect.Remake remake -> ended.add(remake.pod() + ": " + remake.sentence());
      default -> {
        // What only people read.
      }
    }
  }

  private void ungate(Effect.Ungate ungate) {
    var pod = pods.get(ungate.pod().uid());
    if (pod == null || !pod.isGatedByMuster()) {
      return;
    }
    var free = pod.at(new Pod.Progress(Pod.Phase.PENDING, none(), none(), false, Set.of()));
    var stored = ungate.pin().map(pin -> PodBuilder.tied(free, pin)).orElse(free);
    pods.put(stored.key().uid(), stored);
    tell(Work.UNGATED, new Event.PodSeen(stored));
    asking.add(stored.key().uid());
  }

  private void bind(Effect.Bind bind) {
    var pod = pods.get(bind.pod().uid());
    var stored =
        PodBuilder.bound(
            pod,
            new Pod.Progress(Pod.Phase.PENDING, Optional.of(bind.node()), none(), false, Set.of()),
            Optional.of(Long.toString(bind.incarnation())));
    pods.put(stored.key().uid(), stored);
    bound.add(stored.key().uid());
    tell(
        Work.WRITTEN,
        new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), new BindingOutcome.Bound()));
    tell(Work.BOUND, new Event.PodSeen(stored));
  }

  private static Optional<String> none() {
    return Optional.empty();
  }
}
