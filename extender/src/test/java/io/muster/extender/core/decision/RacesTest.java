package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.filter.Filter;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Events and calls that cross each other, put in the order that would do harm. */
final class RacesTest extends ProtocolScenes {

  @Test
  void aGangThatFailedIsPlannedAgainOnlyWhenItIsComplete() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 2, 2);
    assertThat(ask(gang.getFirst(), FOUR)).isInstanceOf(Answer.Accept.class);
    on(new Event.PodGone(gang.getLast().key()));
    after(600);
    assertThat(ask(gang.getFirst(), FOUR)).isInstanceOf(Answer.Refuse.class);
    seen(member("g", 1, 2).uid("again").build());
    assertThat(ask(gang.getFirst(), FOUR)).isInstanceOf(Answer.Accept.class);
  }

  /** Nobody ever comes to the places that are kept. */
  @Test
  void aGangThatFailsAgainIsHeldOffTwiceAsLong() {
    nodes(FOUR);
    lead(false);
    var pod = members("g", 2, 2).getFirst();
    var pauses = new ArrayList<Integer>();
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
      after(1);
      if (ask(pod, FOUR) instanceof Answer.Refuse) {
        refused++;
      } else if (refused > 0) {
        pauses.add(refused);
        refused = 0;
      }
    }
    assertThat(pauses.subList(0, 7)).containsExactly(1, 2, 4, 8, 16, 32, 64);
    assertThat(pauses.getLast()).isBetween(299, 301);
  }

  @Test
  void aReservationEndsHoweverOftenAMemberComes() {
    nodes(FOUR);
    lead(false);
    var pod = members("g", 2, 2).getFirst();
    var node = placeOf(pod, FOUR);
    for (int call = 1; call <= 5; call++) {
      bind(call, pod, node);
      after(23);
      assertThat(placeOf(pod, FOUR)).isEqualTo(node);
    }
    bind(6, pod, node);
    after(6);
    assertThat(ask(pod, FOUR)).isInstanceOf(Answer.Refuse.class);
  }

  @Test
  void aGateThatStaysIsRemovedAgain() {
    nodes("n0", "n1");
    lead(false);
    var waiting = member("g", 0, 2).gated().build();
    var other = member("g", 1, 2).gated().build();
    seen(waiting);
    var removal = new Effect.Ungate(waiting.key(), Optional.empty());
    assertThat(seen(other)).contains(removal);
    seen(member("g", 1, 2).build());
    assertThat(after(9)).noneMatch(Effect.Ungate.class::isInstance);
    assertThat(after(4)).filteredOn(Effect.Ungate.class::isInstance).containsExactly(removal);
    seen(member("g", 0, 2).build());
    assertThat(after(20)).noneMatch(Effect.Ungate.class::isInstance);
  }

  @Test
  void aGateThatStaysOnAPodOfANamespaceThatLooksOnIsRemovedAgain() {
    nodes("n0", "n1");
    lead(false);
    var waiting = member("g", 0, 2).gated().build();
    seen(waiting);
    var removal = new Effect.Ungate(waiting.key(), Optional.empty());
    var namespace = waiting.key().namespace();
    assertThat(on(new Event.NamespaceSeen(namespace, Enrolment.SHADOW))).contains(removal);
    assertThat(after(9)).doesNotContain(removal);
    assertThat(after(4)).filteredOn(Effect.Ungate.class::isInstance).containsExactly(removal);
    on(new Event.NamespaceSeen(namespace, Enrolment.ALL));
    assertThat(after(20)).doesNotContain(removal);
  }

  @Test
  void aGateThatStaysOnAPodWithoutAGangIsRemovedAgain() {
    nodes("n0", "n1");
    lead(false);
    var alone = aPod("dlrover", "alone").gpus(1).gated().build();
    var removal = new Effect.Ungate(alone.key(), Optional.empty());
    assertThat(seen(alone)).contains(removal);
    assertThat(after(13)).containsOnlyOnce(removal);
    seen(aPod("dlrover", "alone").gpus(1).build());
    assertThat(after(20)).doesNotContain(removal);
  }

  @Test
  void whoTakesAGateOffKnowsOfAffinityThatStays() {
    nodes("n0", "n1");
    lead(false);
    var ssd = new Requirement("disk", Operator.IN, Set.of("ssd"));
    var preferring = new NodeTerm(List.of(ssd), List.of());
    var choosy = member("g", 0, 2).preferring(preferring).gated().build();
    var other = member("g", 1, 2).gated().build();
    seen(choosy);
    assertThat(seen(other))
        .filteredOn(Effect.Ungate.class::isInstance)
        .extracting(effect -> ((Effect.Ungate) effect).hasAffinity())
        .containsExactlyInAnyOrder(true, false);
  }

  @Test
  void aMemberBeyondTheMinimumIsReleasedOnceItsGangHasStarted() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 2, 2);
    var late = member("g", 2, 2).gated().build();
    assertThat(seen(late)).noneMatch(Effect.Ungate.class::isInstance);
    var id = late.membership().orElseThrow().gang();
    var told = new ArrayList<Effect>();
    for (var pod : gang) {
      told.addAll(bind(gang.indexOf(pod), pod, placeOf(pod, FOUR)));
    }
    told.addAll(on(new Event.RecordWritten(id, 1, true)));
    for (var place : record(told).placement().values()) {
      var pod = gang.stream().filter(one -> one.key().name().equals(place.podName())).findFirst();
      assertThat(told).noneMatch(Effect.Ungate.class::isInstance);
      told.addAll(
          on(
              new Event.BindingEnded(
                  id, pod.orElseThrow().key(), place.node(), new BindingOutcome.Bound())));
    }
    assertThat(told).contains(new Effect.Ungate(late.key(), Optional.empty()));
  }

  @Test
  void aSingleKeepsOffRoomThatIsReserved() {
    nodes("n0", "n1", "n2");
    lead(false);
    members("g", 2, 2);
    var single = aPod("single").gpus(1).build();
    assertThat(ask(single, "n0", "n1", "n2"))
        .isEqualTo(new Answer.Accept(List.of("n2"), Filter.NO_ROOM));
    assertThat(ask(single, "n0", "n1")).isEqualTo(new Answer.Refuse(Filter.NO_ROOM));
  }

  @Test
  void aSingleThatIsThereFirstMovesAPlaceWhoseMemberHasNotCome() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang = members("g", 2, 2);
    var node = placeOf(gang.getFirst(), "n0", "n1", "n2");
    var single = aPod("single").gpus(1).build();
    seen(single);
    assertThat(bind(1, single, node)).hasAtLeastOneElementOfType(Effect.Bind.class);
    assertThat(placeOf(gang.getFirst(), "n0", "n1", "n2")).isNotEqualTo(node);
  }

  @Test
  void aSingleDoesNotMoveAMemberThatHasCome() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang = members("g", 2, 2);
    var node = placeOf(gang.getFirst(), "n0", "n1", "n2");
    bind(1, gang.getFirst(), node);
    var single = aPod("single").gpus(1).build();
    seen(single);
    assertThat(answers(bind(2, single, node)))
        .singleElement()
        .satisfies(answer -> assertThat(((AnswerBind) answer).call()).isEqualTo(2))
        .satisfies(answer -> assertThat(((AnswerBind) answer).error()).isPresent());
  }

  @Test
  void theBarrierStaysShutForOneOfTwo() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 2, 2);
    assertThat(bind(1, gang.getFirst(), placeOf(gang.getFirst(), FOUR))).isEmpty();
    assertThat(bind(2, gang.getLast(), placeOf(gang.getLast(), FOUR)))
        .hasAtLeastOneElementOfType(Effect.WriteRecord.class)
        .noneMatch(Effect.Bind.class::isInstance);
  }

  @Test
  void aMemberBeyondTheMinimumWaitsForTheOthersAndThenTakesFreeRoomOnly() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 3, 2);
    var extra = gang.getLast();
    var kept = List.of(placeOf(gang.get(0), FOUR), placeOf(gang.get(1), FOUR));
    assertThat(ask(extra, FOUR)).isInstanceOf(Answer.Refuse.class);
    bind(1, gang.get(0), kept.get(0));
    var id = gang.getFirst().membership().orElseThrow().gang();
    assertThat(record(bind(2, gang.get(1), kept.get(1))).placement())
        .containsOnlyKeys(gang.get(0).key().uid(), gang.get(1).key().uid());
    on(new Event.RecordWritten(id, 1, true));
    var ended = new ArrayList<Effect>();
    for (int i = 0; i < 2; i++) {
      ended.addAll(
          on(
              new Event.BindingEnded(
                  id, gang.get(i).key(), kept.get(i), new BindingOutcome.Bound())));
    }
    assertThat(ended)
        .anyMatch(effect -> effect instanceof Effect.Wake wake && wake.pod().equals(extra.key()));
    assertThat(((Answer.Accept) ask(extra, FOUR)).nodes()).doesNotContainAnyElementsOf(kept);
  }

  /** kube-scheduler has looked at every node, so the one it left out will not do. */
  @Test
  void aPlaceThatIsNotOfferedMovesAndItsNodeIsLeftAlone() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 2, 2);
    assertThat(placeOf(gang.get(0), FOUR)).isEqualTo("n0");
    assertThat(placeOf(gang.get(0), "n2", "n3")).isEqualTo("n2");
    assertThat(placeOf(gang.get(0), FOUR)).as("kept there").isEqualTo("n2");
    assertThat(placeOf(gang.get(1), "n0", "n3")).as("n0 will not do").isEqualTo("n3");
    assertThat(placeOf(aPod("single").gpus(1).build(), "n0", "n2")).as("free").isEqualTo("n0");
  }

  @Test
  void aNodeThatWasNotAmongASampleIsNotBlamed() {
    for (int i = 0; i < 100; i++) {
      nodes("n" + (100 + i));
    }
    lead(false);
    var gang = members("g", 2, 2);
    assertThat(placeOf(gang.get(0), "n100", "n101")).isEqualTo("n100");
    assertThat(placeOf(gang.get(0), "n150", "n151")).isEqualTo("n150");
    assertThat(placeOf(gang.get(1), "n100", "n199")).isEqualTo("n100");
  }

  @Test
  void membersOfAGangThatGaveUpAreWokenForItsNextPlan() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 2, 2);
    gang.forEach(pod -> ask(pod, FOUR));
    assertThat(after(50))
        .filteredOn(Effect.Wake.class::isInstance)
        .extracting(effect -> ((Effect.Wake) effect).pod())
        .containsExactlyInAnyOrder(gang.get(0).key(), gang.get(1).key());
  }

  @Test
  void aPodThatIsEndingStillHoldsItsRoom() {
    nodes("n0");
    lead(false);
    seen(aPod("ending").gpus(1).on("n0").build());
    seen(aPod("ending").gpus(1).on("n0").deleting().build());
    assertThat(ask(aPod("single").gpus(1).build(), "n0")).isInstanceOf(Answer.Refuse.class);
  }

  @Test
  void roomOfASingleIsHeldUntilItIsSeenOnItsNode() {
    nodes("n0");
    lead(false);
    var single = aPod("single").gpus(1).build();
    seen(single);
    bind(1, single, placeOf(single, "n0"));
    on(
        new Event.BindingEnded(
            aPod("single").gang("single", 1).build().membership().orElseThrow().gang(),
            single.key(),
            "n0",
            new BindingOutcome.Bound()));
    assertThat(ask(aPod("other").gpus(1).build(), "n0")).isInstanceOf(Answer.Refuse.class);
  }

  @Test
  void aPlaceTakenByAnotherSchedulerIsFoundBeforeTheRecord() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.get(0), placeOf(gang.get(0), "n0", "n1", "n2"));
    seen(aPod("stranger").gpus(1).scheduler("another").on("n0").build());
    assertThat(bind(2, gang.get(1), "n1"))
        .noneMatch(Effect.WriteRecord.class::isInstance)
        .filteredOn(AnswerBind.class::isInstance)
        .extracting(effect -> ((AnswerBind) effect).call())
        .containsExactly(1L);
    assertThat(record(bind(3, gang.get(0), placeOf(gang.get(0), "n2"))).placement()).hasSize(2);
  }

  @Test
  void aHeldCallOfADeletedPodIsAnswered() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 3, 2);
    bind(1, gang.get(0), placeOf(gang.get(0), FOUR));
    assertThat(answers(on(new Event.PodGone(gang.get(0).key())))).hasSize(1);
    var second = placeOf(gang.get(1), FOUR);
    bind(2, gang.get(1), second);
    assertThat(record(bind(3, gang.get(2), placeOf(gang.get(2), FOUR))).placement()).hasSize(2);
  }

  @Test
  void aDeviceThatFailsIsFoundBeforeTheRecord() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.get(0), placeOf(gang.get(0), "n0", "n1", "n2"));
    on(new Event.NodeSeen(aNode("n0").build()));
    assertThat(bind(2, gang.get(1), "n1")).noneMatch(Effect.WriteRecord.class::isInstance);
    assertThat(placeOf(gang.get(0), "n2")).isEqualTo("n2");
  }

  @Test
  void aCallAboutABoundPodIsAnsweredByWhereItIs() {
    nodes(FOUR);
    lead(false);
    var bound = member("g", 0, 2).on("n1").build();
    seen(bound);
    var known = member("g", 0, 2).build();
    assertThat(bind(1, known, "n1")).containsExactly(new AnswerBind(1, Optional.empty()));
    assertThat(((AnswerBind) bind(2, known, "n0").getFirst()).error()).isPresent();
    assertThat(ask(bound, FOUR)).isEqualTo(new Answer.Accept(List.of("n1"), Filter.NOT_PLANNED));
  }

  @Test
  void aCallAboutAnotherPodOfThatNameBindsNothing() {
    nodes(FOUR);
    lead(false);
    var single = aPod("single").gpus(1).build();
    seen(single);
    var mistaken = aPod("other").uid(single.key().uid()).gpus(1).build();
    assertThat(bind(1, mistaken, "n0")).noneMatch(Effect.Bind.class::isInstance).hasSize(1);
    seen(aPod("single").gpus(1).deleting().build());
    assertThat(bind(2, single, "n0")).noneMatch(Effect.Bind.class::isInstance).hasSize(1);
  }

  @Test
  void aGangWithoutMembersIsForgotten() {
    nodes(FOUR);
    lead(false);
    var pod = members("g", 1, 2).getFirst();
    on(new Event.PodGone(pod.key()));
    assertThat(after(590)).noneMatch(Effect.Forget.class::isInstance);
    assertThat(after(20)).hasAtLeastOneElementOfType(Effect.Forget.class);
  }

  /** Else restarts kept the objects of gangs that are over for ever. */
  @Test
  void oneThatWasOverBeforeARestartIsForgottenAsSoon() {
    nodes(FOUR);
    now = now.plusSeconds(3600);
    var over =
        new GangRecord(
            member("g", 0, 2).build().membership().orElseThrow().gang(),
            1,
            1,
            Phase.FINISHED,
            2,
            true,
            Map.of(),
            Optional.empty(),
            Optional.empty());
    on(new Event.RecordFound(over, Optional.of(now.minusSeconds(300))));
    lead(false);
    assertThat(after(290)).noneMatch(Effect.Forget.class::isInstance);
    assertThat(after(130)).hasAtLeastOneElementOfType(Effect.Forget.class);
  }

  @Test
  void aMemberWhoseNodeGoesGetsAnotherPlaceAtOnce() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.get(0), placeOf(gang.get(0), "n0", "n1", "n2"));
    assertThat(answers(on(new Event.NodeGone("n0")))).hasSize(1);
    assertThat(placeOf(gang.get(0), "n1", "n2")).isEqualTo("n2");
  }

  @Test
  void aMemberWhoseNodeIsCordonedGetsAnotherPlaceAtOnce() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.get(0), placeOf(gang.get(0), "n0", "n1", "n2"));
    var cordoned = aNode("n0").gpus(1).availability(Node.Availability.CORDONED).build();
    assertThat(answers(on(new Event.NodeSeen(cordoned)))).hasSize(1);
    assertThat(placeOf(gang.get(0), "n1", "n2")).isEqualTo("n2");
  }

  @Test
  void nothingIsDecidedBeforeAllIsKnown() {
    seen(member("g", 0, 2).gated().build());
    seen(member("g", 1, 2).gated().build());
    assertThat(on(new Event.NodeSeen(aNode("n0").gpus(2).build()))).isEmpty();
    seen(aPod("there").gpus(1).on("n0").build());
    on(new Event.LeaseHeld(Instant.MAX, false));
    assertThat(on(new Event.Ready())).noneMatch(Effect.Ungate.class::isInstance);
  }

  @Test
  void aReplacedCallCountsOnceAndKeepsThePlaces() {
    nodes("n0", "n1");
    lead(false);
    var gang = members("g", 2, 2);
    var first = placeOf(gang.get(0), "n0", "n1");
    bind(1, gang.get(0), first);
    assertThat(bind(2, gang.get(0), first)).noneMatch(Effect.WriteRecord.class::isInstance);
    var whole = bind(3, gang.get(1), placeOf(gang.get(1), "n0", "n1"));
    assertThat(record(whole).placement()).hasSize(2);
  }

  @Test
  void reservedCapacityEndsWithTheLastMember() {
    nodes("n0", "n1");
    var gang = List.of(member("g", 0, 2).on("n0").build(), member("g", 1, 2).on("n1").build());
    gang.forEach(this::seen);
    lead(false);
    on(new Event.PodGone(gang.getFirst().key()));
    var single = aPod("single").gpus(1).build();
    assertThat(ask(single, "n0")).isInstanceOf(Answer.Refuse.class);
    on(new Event.PodGone(gang.getLast().key()));
    assertThat(ask(single, "n0")).isInstanceOf(Answer.Accept.class);
  }

  @Test
  void nothingIsEvictedForAMember() {
    nodes("n0");
    seen(aPod("victim").gpus(1).on("n0").build());
    var victims = Map.of("n0", Set.of("uid-victim"));
    assertThat(muster.preemptable(member("g", 0, 2).build(), victims)).isEmpty();
    assertThat(muster.preemptable(aPod("single").gpus(1).build(), victims)).containsExactly("n0");
  }

  @Test
  void aGangMadeAnewUnderItsNameIsHeldAgain() {
    nodes("n0", "n1");
    var gang = List.of(member("g", 0, 2).on("n0").build(), member("g", 1, 2).on("n1").build());
    gang.forEach(this::seen);
    lead(false);
    gang.forEach(pod -> on(new Event.PodGone(pod.key())));
    var again = member("g", 0, 2).uid("again").build();
    seen(again);
    assertThat(ask(again, "n0", "n1")).isEqualTo(new Answer.Refuse(Filter.WAITS));
    seen(member("g", 1, 2).uid("again-1").build());
    assertThat(bind(1, again, placeOf(again, "n0", "n1"))).isEmpty();
  }

  @Test
  void aNodeThatRefusesMembersAgainIsLeftAloneTwiceAsLong() {
    nodes("n0", "n1");
    seen(member("g", 0, 1).on("n1").build());
    lead(false);
    for (int time = 1; time <= 2; time++) {
      refusedByItsNode(member("g", 1, 1).uid("try-" + time).on("n0").build());
      var next = member("g", 1, 1).uid("next-" + time).build();
      seen(next);
      after(60L * time - 2);
      assertThat(ask(next, "n0")).isInstanceOf(Answer.Refuse.class);
      after(4);
      assertThat(ask(next, "n0")).isInstanceOf(Answer.Accept.class);
      on(new Event.PodGone(next.key()));
    }
  }

  private void refusedByItsNode(Pod pod) {
    seen(pod);
    seen(
        pod.at(
            new Pod.Progress(
                Pod.Phase.FAILED,
                pod.progress().nodeName(),
                Optional.empty(),
                false,
                Set.of(),
                Optional.of("UnexpectedAdmissionError"),
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty())));
    on(new Event.PodGone(pod.key()));
  }

  /** kube-scheduler may have seen the deletions already, and the new pods. */
  @Test
  void aMemberOfTheNextLifeDoesNotJoinTheOneWhoseEndIsNotSeenYet() {
    nodes("n0", "n1", "n2");
    lead(false);
    var old = members("g", 2, 2);
    start(old, "n0", "n1");
    var next = List.of(member("g", 0, 2).uid("x0").build(), member("g", 1, 2).uid("x1").build());
    assertThat(ask(next.getFirst(), "n0", "n1", "n2"))
        .isEqualTo(new Answer.Refuse(Filter.NOT_SEEN));
    old.forEach(pod -> on(new Event.PodGone(pod.key())));
    seen(aPod("a").gpus(1).on("n0").build());
    seen(aPod("b").gpus(1).on("n1").build());
    assertThat(seen(next.getFirst())).contains(new Effect.Wake(next.getFirst().key(), 2));
    seen(next.getLast());
    next.forEach(pod -> assertThat(ask(pod, "n0", "n1", "n2")).isInstanceOf(Answer.Refuse.class));
    nodes("n3");
    next.forEach(
        pod -> assertThat(ask(pod, "n0", "n1", "n2", "n3")).isInstanceOf(Answer.Accept.class));
  }

  @Test
  void replacementsStartTogetherOnceNobodyIsLeftOfThoseTheyReplace() {
    nodes("n0", "n1");
    lead(false);
    var old = members("g", 2, 2);
    start(old, "n0", "n1");
    on(new Event.PodGone(old.getFirst().key()));
    seen(aPod("single").gpus(1).on("n0").build());
    var next = List.of(member("g", 0, 2).uid("x0").build(), member("g", 1, 2).uid("x1").build());
    seen(next.getFirst());
    assertThat(ask(next.getFirst(), "n0", "n1")).isInstanceOf(Answer.Refuse.class);
    on(new Event.PodGone(old.getLast().key()));
    seen(next.getLast());
    next.forEach(pod -> assertThat(ask(pod, "n0", "n1")).isInstanceOf(Answer.Refuse.class));
    nodes("n2");
    next.forEach(pod -> assertThat(ask(pod, "n0", "n1", "n2")).isInstanceOf(Answer.Accept.class));
  }

  private void start(List<Pod> gang, String... nodes) {
    var effects = new ArrayList<Effect>();
    long call = 100;
    for (var pod : gang) {
      effects.addAll(bind(call++, pod, placeOf(pod, nodes)));
    }
    var record = record(effects);
    on(new Event.RecordWritten(record.gang(), record.epoch(), true));
    for (var pod : gang) {
      var place = record.placement().get(pod.key().uid()).node();
      on(new Event.BindingEnded(record.gang(), pod.key(), place, new BindingOutcome.Bound()));
      seen(
          aPod(pod.key().name()).gpus(1).gang(record.gang().name(), gang.size()).on(place).build());
    }
  }
}
