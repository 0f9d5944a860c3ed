package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A bind call waits for the other members of its gang, and is answered in time whatever happens.
 */
final class HeldCallsTest extends GangScenes {

  @Test
  void givesUpAtOnceWhenANeededMemberIsDeletedAtTheBarrier() {
    gpuNodes(4);
    var muster = cluster.muster();
    cluster.runUntil(seconds(1));
    var members =
        List.of(0, 1).stream().map(i -> aPod("g-" + i).gpus(1).gang("g", 2).build()).toList();
    members.forEach(pod -> muster.on(new Event.PodSeen(pod), cluster.now()));
    var answer =
        muster.filter(members.getFirst(), List.of("gpu-0", "gpu-1"), cluster.now()).answer();
    var node = ((Answer.Accept) answer).nodes().getFirst();
    assertThat(muster.bind(new BindCall(7, members.getFirst().key(), node), cluster.now()))
        .isEmpty();
    var effects = muster.on(new Event.PodGone(members.getLast().key()), cluster.now());
    assertThat(effects)
        .filteredOn(Effect.AnswerBind.class::isInstance)
        .singleElement()
        .satisfies(e -> assertThat(((Effect.AnswerBind) e).error()).isPresent());
  }

  @Test
  void answersABindCallThatHasWaitedTooLongAndKeepsTheReservation() {
    gpuNodes(2);
    var muster = cluster.muster();
    cluster.runUntil(seconds(1));
    var start = cluster.now();
    var members =
        List.of(0, 1).stream().map(i -> aPod("g-" + i).gpus(1).gang("g", 2).build()).toList();
    members.forEach(pod -> muster.on(new Event.PodSeen(pod), start));
    var place = muster.filter(members.getFirst(), List.of("gpu-0", "gpu-1"), start).answer();
    var node = ((Answer.Accept) place).nodes().getFirst();
    muster.bind(new BindCall(7, members.getFirst().key(), node), start);
    assertThat(muster.on(new Event.Tick(), start.plusSeconds(19)))
        .noneMatch(Effect.AnswerBind.class::isInstance);
    assertThat(muster.on(new Event.Tick(), start.plusSeconds(21)))
        .filteredOn(Effect.AnswerBind.class::isInstance)
        .hasSize(1);
    assertThat(
            muster
                .filter(members.getFirst(), List.of("gpu-0", "gpu-1"), start.plusSeconds(22))
                .answer())
        .as("the retry meets the same plan")
        .isEqualTo(place);
  }

  @Test
  void answersTheOlderOfTwoBindCallsOfOnePod() {
    gpuNodes(2);
    var muster = cluster.muster();
    cluster.runUntil(seconds(1));
    var members =
        List.of(0, 1).stream().map(i -> aPod("g-" + i).gpus(1).gang("g", 2).build()).toList();
    members.forEach(pod -> muster.on(new Event.PodSeen(pod), cluster.now()));
    var place =
        muster.filter(members.getFirst(), List.of("gpu-0", "gpu-1"), cluster.now()).answer();
    var node = ((Answer.Accept) place).nodes().getFirst();
    muster.bind(new BindCall(7, members.getFirst().key(), node), cluster.now());
    assertThat(muster.bind(new BindCall(8, members.getFirst().key(), node), cluster.now()))
        .singleElement()
        .satisfies(e -> assertThat(((Effect.AnswerBind) e).call()).isEqualTo(7));
  }

  @Test
  void refusesABindCallForAnotherNodeThanThePlanned() {
    gpuNodes(2);
    var muster = cluster.muster();
    cluster.runUntil(seconds(1));
    var pod = aPod("g-0").gpus(1).gang("g", 1).build();
    muster.on(new Event.PodSeen(pod), cluster.now());
    var place = muster.filter(pod, List.of("gpu-0", "gpu-1"), cluster.now()).answer();
    var other = ((Answer.Accept) place).nodes().getFirst().equals("gpu-0") ? "gpu-1" : "gpu-0";
    assertThat(muster.bind(new BindCall(7, pod.key(), other), cluster.now()))
        .isEqualTo(
            List.of(
                new Effect.AnswerBind(
                    7, Optional.of("muster: the place of this member is on another node"))));
  }

  @Test
  void aCallIsAnsweredWhenItsMemberIsSeenOnThatNode() {
    gpuNodes(2);
    var muster = cluster.muster();
    cluster.runUntil(seconds(1));
    var members = List.of(0, 1).stream().map(i -> aPod("g-" + i).gpus(1).gang("g", 2)).toList();
    members.forEach(pod -> muster.on(new Event.PodSeen(pod.build()), cluster.now()));
    var first = members.getFirst();
    var place = muster.filter(first.build(), List.of("gpu-0", "gpu-1"), cluster.now()).answer();
    var node = ((Answer.Accept) place).nodes().getFirst();
    muster.bind(new BindCall(7, first.build().key(), node), cluster.now());

    assertThat(muster.on(new Event.PodSeen(first.on(node).build()), cluster.now()))
        .filteredOn(Effect.AnswerBind.class::isInstance)
        .containsExactly(new Effect.AnswerBind(7, Optional.empty()));
  }

  @Test
  void theTimeOfACallRunsFromItsComingHoweverLateItsBindingIsSent() {
    gpuNodes(2);
    var muster = cluster.muster();
    cluster.runUntil(seconds(1));
    var start = cluster.now();
    var members =
        List.of(0, 1).stream().map(i -> aPod("g-" + i).gpus(1).gang("g", 2).build()).toList();
    members.forEach(pod -> muster.on(new Event.PodSeen(pod), start));
    for (int i = 0; i < 2; i++) {
      var at = start.plusSeconds(i * 18L);
      var place = muster.filter(members.get(i), List.of("gpu-0", "gpu-1"), at).answer();
      var node = ((Answer.Accept) place).nodes().getFirst();
      muster.bind(new BindCall(i, members.get(i).key(), node), at);
    }
    var gang = members.getFirst().membership().orElseThrow().gang();
    assertThat(muster.on(new Event.RecordWritten(gang, 1, true), start.plusSeconds(24)))
        .filteredOn(Effect.Bind.class::isInstance)
        .hasSize(2);

    assertThat(muster.on(new Event.Tick(), start.plusSeconds(26)))
        .filteredOn(Effect.AnswerBind.class::isInstance)
        .extracting(effect -> ((Effect.AnswerBind) effect).call())
        .containsExactly(0L);
  }
}
