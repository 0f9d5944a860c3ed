package io.muster.extender.core.estimate;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Pod.Progress;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The pods of a copy, with an API server and a kube-scheduler that do at once what is wanted of
 * them. kube-scheduler asks about members of gangs alone: what becomes of other pods is not
 * Muster's to say. Not safe for concurrent use.
 */
final class VirtualPods {

  /** So often at one moment; then kube-scheduler has a pod wait for its backoff. */
  private static final int MOST_ATTEMPTS = 10;

  private final GangScheduler muster;
  private final Watcher watcher;
  private final boolean isAsked;
  private final List<String> nodes = new ArrayList<>();
  private final Map<String, Pod> pods = new HashMap<>();
  private final Map<GangId, Set<String>> byGang = new HashMap<>();
  private List<Event> untold = new ArrayList<>();
  private final Queue<String> toSchedule = new ArrayDeque<>();
  private final Map<String, Integer> attempts = new HashMap<>();
  private final Set<String> backOff = new LinkedHashSet<>();
  private long calls;
  private Instant now = Instant.MIN;
  private Duration ahead = Duration.ZERO;

  /** Is told what becomes of them. */
  record Watcher(Consumer<Pod> bound, Consumer<Pod> evicted, Consumer<Effect.Fault> faults) {}

  /** Those of a copy, of which nothing has been told yet. */
  VirtualPods(GangScheduler muster, ClusterCopy copy, Watcher watcher) {
    this.muster = muster;
    this.watcher = watcher;
    isAsked = copy.rules().placement().isAsked();
    for (var event : copy.events()) {
      switch (event) {
        case Event.NodeSeen(var node) -> {
          nodes.add(node.name());
          untold.add(event);
        }
        case Event.PodSeen(var pod) -> store(pod);
        case Event.ClockSet(var howFar) -> {
          ahead = howFar;
          untold.add(event);
        }
        default -> untold.add(event);
      }
    }
    untold.add(new Event.Ready());
    pods.values().forEach(this::schedule);
  }

  void tell(Event event) {
    untold.add(event);
  }

  /** Members of the gang. */
  List<PodKey> of(GangId gang) {
    return byGang.getOrDefault(gang, Set.of()).stream().map(uid -> pods.get(uid).key()).toList();
  }

  /** They have done what they were made for, and are deleted; false if none of them is there. */
  boolean end(Collection<PodKey> ended) {
    var there =
        ended.stream()
            .map(PodKey::uid)
            .flatMap(uid -> Optional.ofNullable(pods.get(uid)).stream())
            .toList();
    for (var pod : there) {
      if (!pod.progress().deleting()) {
        untold.add(new Event.PodSeen(pod.succeeded()));
      }
    }
    for (var pod : there) {
      pods.remove(pod.key().uid());
      ClusterState.unitOf(pod).ifPresent(gang -> byGang.get(gang).remove(pod.key().uid()));
      untold.add(new Event.PodGone(pod.key()));
    }
    return !there.isEmpty();
  }

  /** Tells what has happened, and does what is wanted for it, until nothing more is. */
  void settle(Instant instant) {
    now = instant;
    attempts.clear();
    toSchedule.addAll(backOff);
    backOff.clear();
    while (!untold.isEmpty() || !toSchedule.isEmpty() || muster.isSearching()) {
      if (untold.isEmpty() && toSchedule.isEmpty()) {
        muster.on(new Event.Idle(), now).forEach(this::carryOut);
      } else if (untold.isEmpty()) {
        Optional.ofNullable(pods.get(toSchedule.remove())).ifPresent(this::ask);
      } else {
        var events = untold;
        untold = new ArrayList<>();
        muster.onAll(events, now).forEach(this::carryOut);
      }
    }
  }

  private void store(Pod pod) {
    pods.put(pod.key().uid(), pod);
    ClusterState.unitOf(pod)
        .ifPresent(
            gang -> byGang.computeIfAbsent(gang, _ -> new LinkedHashSet<>()).add(pod.key().uid()));
    untold.add(new Event.PodSeen(pod));
  }

  private void schedule(Pod pod) {
    if (isAsked && pod.membership().isPresent() && !pod.isTerminal()) {
      toSchedule.add(pod.key().uid());
    }
  }

  private void ask(Pod pod) {
    if (pod.isBound() || pod.isGated() || pod.progress().deleting()) {
      return;
    }
    if (attempts.merge(pod.key().uid(), 1, Integer::sum) > MOST_ATTEMPTS) {
      backOff.add(pod.key().uid());
      return;
    }
    var decision = muster.filter(pod, nodes, now);
    decision.effects().forEach(this::carryOut);
    if (decision.answer() instanceof Answer.Accept(var accepted, var _) && accepted.size() == 1) {
      var call = new BindCall(++calls, pod.key(), accepted.getFirst());
      muster.bind(call, now).forEach(this::carryOut);
    }
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.WriteRecord(var record, var _) ->
          untold.add(new Event.RecordWritten(record.gang(), record.epoch(), true));
      case Effect.EnsureCompanions(var record, var _, var _) ->
          untold.add(
              new Event.CompanionsEnsured(record.gang(), record.incarnation(), Optional.empty()));
      case Effect.Release release -> bind(release.pod().uid(), release.pin().planned());
      case Effect.Bind(var gang, var pod, var node, var _, var _, var _) -> {
        bind(pod.uid(), node);
        untold.add(new Event.BindingEnded(gang, pod, node, new BindingOutcome.Bound()));
      }
      case Effect.Ungate(var pod, var _, var _, var _, var _) -> ungate(pod.uid());
      case Effect.Wake(var pod, var _) ->
          Optional.ofNullable(pods.get(pod.uid())).ifPresent(this::schedule);
      case Effect.Evict evict -> evict(evict.pod().uid());
      case Effect.Remake(var pod, var _) -> evict(pod.uid());
      case Effect.Fault fault -> watcher.faults().accept(fault);
      case Effect.AnswerBind _,
          Effect.WriteReport _,
          Effect.DropCompanions _,
          Effect.Forget _,
          Effect.Explain _,
          Effect.Show _,
          Effect.Warn _,
          Effect.Announce _ -> {}
    }
  }

  private void bind(String uid, String node) {
    var pod = pods.get(uid);
    if (pod == null || pod.isBound()) {
      return;
    }
    store(pod.runningOn(node, now.minus(ahead)));
    watcher.bound().accept(pods.get(uid));
  }

  private void ungate(String uid) {
    var pod = pods.get(uid);
    if (pod != null && pod.isGatedByMuster()) {
      var gates = new HashSet<>(pod.progress().gates());
      gates.remove(Pod.GATE);
      var progress = pod.progress();
      store(
          pod.at(
              new Progress(
                  progress.phase(),
                  progress.nodeName(),
                  progress.nominatedNode(),
                  progress.deleting(),
                  gates)));
      schedule(pods.get(uid));
    }
  }

  private void evict(String uid) {
    var pod = pods.get(uid);
    if (pod != null && !pod.progress().deleting()) {
      var timeOfDay = now.minus(ahead);
      store(pod.at(pod.progress().endingBy(timeOfDay.plus(pod.endsWithin(timeOfDay)))));
      watcher.evicted().accept(pod);
    }
  }
}
