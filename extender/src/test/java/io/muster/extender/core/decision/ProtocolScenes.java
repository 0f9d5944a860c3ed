package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What tests begin with that tell the protocol each event and call themselves. */
abstract class ProtocolScenes {

  static final String[] FOUR = {"n0", "n1", "n2", "n3"};

  Instant now = Instant.EPOCH;
  final GangScheduler muster;
  private final Invariants invariants;

  ProtocolScenes() {
    this(Rules.extender(NodePinPolicy.NEVER));
  }

  ProtocolScenes(Rules rules) {
    muster = new GangScheduler(Deadlines.DEFAULT, rules);
    invariants = new Invariants(muster);
  }

  void nodes(String... names) {
    for (var name : names) {
      on(new Event.NodeSeen(aNode(name).gpus(1).build()));
    }
  }

  void lead(boolean followsAnother) {
    on(new Event.LeaseHeld(Instant.MAX, followsAnother));
    on(new Event.Ready());
  }

  /** With what follows as soon as calls have been answered. */
  List<Effect> on(Event event) {
    var effects = told(event);
    while (muster.isSearching()) {
      effects = Stream.concat(effects.stream(), told(new Event.Idle()).stream()).toList();
    }
    return effects;
  }

  /** No scene but those about faults may meet one. */
  private List<Effect> told(Event event) {
    var effects = withoutFaults(muster.on(event, now));
    invariants.check(event, effects, now);
    return effects;
  }

  static List<Effect> withoutFaults(List<Effect> effects) {
    for (var effect : effects) {
      if (effect instanceof Effect.Fault fault) {
        throw new AssertionError(fault.step(), fault.cause());
      }
    }
    return effects;
  }

  List<Effect> seen(Pod pod) {
    return on(new Event.PodSeen(pod));
  }

  Answer ask(Pod pod, String... offered) {
    var decision = muster.filter(pod, List.of(offered), now);
    invariants.check("filter of " + pod.key(), decision.effects(), now);
    return decision.answer();
  }

  String placeOf(Pod pod, String... offered) {
    return ((Answer.Accept) ask(pod, offered)).nodes().getFirst();
  }

  List<Effect> bind(long call, Pod pod, String node) {
    var effects = withoutFaults(muster.bind(new BindCall(call, pod.key(), node), now));
    invariants.check("bind of " + pod.key(), effects, now);
    return effects;
  }

  List<Effect> after(long seconds) {
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      effects.addAll(on(new Event.Tick()));
    }
    return effects;
  }

  static PodBuilder member(String gang, int index, int min) {
    return aPod(gang + "-" + index).gpus(1).gang(gang, min);
  }

  List<Pod> members(String gang, int count, int min) {
    var members = new ArrayList<Pod>();
    for (int i = 0; i < count; i++) {
      members.add(member(gang, i, min).build());
      seen(members.getLast());
    }
    return members;
  }

  /** The same pod without gate or node, as kube-scheduler has said something of it. */
  static Pod pending(Pod pod, Optional<String> rejection, boolean awaitsVolumes) {
    return pod.at(
        new Pod.Progress(
            Pod.Phase.PENDING,
            Optional.empty(),
            Optional.empty(),
            false,
            Set.of(),
            rejection,
            awaitsVolumes,
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
  }

  static List<Effect> answers(List<Effect> effects) {
    return effects.stream().filter(AnswerBind.class::isInstance).toList();
  }

  static GangRecord record(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.WriteRecord.class::isInstance)
        .map(effect -> ((Effect.WriteRecord) effect).gang())
        .findFirst()
        .orElseThrow();
  }
}
