package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.filter.Filter;
import io.muster.extender.core.device.Offer;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The same once a gang's record is written, or was found. */
final class BurstRacesTest extends ProtocolScenes {

  /** The first of two members is on its node; another process has led until now. */
  private Pod cutBurst(Pod rest) {
    nodes("n0", "n1");
    var first = member("g", 0, 2).on("n0").placedBy(1).build();
    var gang = rest.membership().orElseThrow().gang();
    on(
        new Event.RecordFound(
            new GangRecord(
                gang,
                1,
                1,
                Phase.BINDING,
                2,
                false,
                Map.of(
                    first.key().uid(), new Place("g-0", "n0"),
                    rest.key().uid(), new Place("g-1", "n1")),
                Optional.of("job-uid"),
                Optional.empty())));
    seen(first);
    seen(rest);
    lead(true);
    return rest;
  }

  /** Not at each tick, for as many gangs as were cut off. */
  @Test
  void anApiServerThatRefusesTheRecordOfACutBurstIsAskedMoreAndMoreSeldom() {
    cutBurst(member("g", 1, 2).build());
    int asked = 0;
    for (int i = 0; i < 120; i++) {
      for (var effect : after(1)) {
        if (effect instanceof Effect.WriteRecord(var record, var _)) {
          asked++;
          on(new Event.RecordWritten(record.gang(), record.epoch(), false));
        }
      }
    }
    assertThat(asked).isBetween(5, 8);

    for (int i = 0; i < 130; i++) {
      for (var effect : after(1)) {
        if (effect instanceof Effect.WriteRecord(var record, var _)) {
          on(new Event.RecordWritten(record.gang(), record.epoch(), true));
          assertThat(after(1))
              .as("it is completed once that is stored")
              .hasAtLeastOneElementOfType(Effect.Bind.class);
          return;
        }
      }
    }
    throw new AssertionError("not asked again");
  }

  /** Half a gang has its devices for nothing meanwhile. */
  @Test
  void aCutBurstIsRecordedWithinHalfAMinuteHoweverOftenThatWasRefused() {
    cutBurst(member("g", 1, 2).build());
    for (int refused = 0; refused < 20; refused++) {
      var record = nextRecord();
      on(new Event.RecordWritten(record.gang(), record.epoch(), false));
    }
    var record = nextRecord();
    on(new Event.RecordWritten(record.gang(), record.epoch(), true));
    assertThat(after(1)).hasAtLeastOneElementOfType(Effect.Bind.class);
  }

  private GangRecord nextRecord() {
    for (int second = 0; second <= 30; second++) {
      for (var effect : after(1)) {
        if (effect instanceof Effect.WriteRecord(var record, var _)) {
          return record;
        }
      }
    }
    throw new AssertionError("not asked again within half a minute");
  }

  /** It would be missing in a gang that is about to be whole. */
  @Test
  void nobodyIsPreemptedOfAGangWhoseBindingsAreBeingCompleted() {
    cutBurst(member("g", 1, 2).build());
    var first = aPod("first").gpus(1).priority(1).build();
    assertThat(muster.preemptable(first, Map.of("n0", Set.of("uid-g-0")))).isEmpty();
  }

  @Test
  void placesOfARecordThatWasFoundStayReserved() {
    cutBurst(member("g", 1, 2).build());
    assertThat(ask(aPod("single").gpus(1).build(), "n1"))
        .isEqualTo(new Answer.Refuse(Filter.NO_ROOM));
    on(new Event.RecordWritten(record(after(6)).gang(), 2, true));
    assertThat(after(1)).hasAtLeastOneElementOfType(Effect.Bind.class);
  }

  @Test
  void aRecordedMemberWithClaimsIsLeftToKubeScheduler() {
    var claiming = cutBurst(member("g", 1, 2).mountingClaims().build());
    on(new Event.RecordWritten(record(after(6)).gang(), 2, true));
    assertThat(after(3)).noneMatch(Effect.Bind.class::isInstance);
    assertThat(ask(claiming, "n0", "n1"))
        .isEqualTo(new Answer.Accept(List.of("n1"), Filter.NOT_PLANNED));
    assertThat(bind(1, claiming, "n1")).hasAtLeastOneElementOfType(Effect.Bind.class);
  }

  /** Nobody else makes the claim that its devices need. */
  @Test
  void aRecordedMemberWhoseDevicesNeedAClaimIsLeftToKubeScheduler() {
    cutBurst(member("g", 1, 2).build());
    on(
        new Event.NodeSeen(
            aNode("n1")
                .build()
                .offering(
                    new Offer(
                        List.of(new Offer.Counted("nvidia.com/gpu", "nvidia.com/gpu", 1)),
                        Map.of()))));
    on(new Event.RecordWritten(record(after(6)).gang(), 2, true));
    assertThat(after(3)).noneMatch(Effect.Bind.class::isInstance);
  }

  @Test
  void aReplacementTakesThePlaceOfARecordedMemberThatIsGone() {
    var gone = cutBurst(member("g", 1, 2).build());
    on(new Event.PodGone(gone.key()));
    seen(member("g", 1, 2).uid("again").build());
    on(new Event.RecordWritten(record(after(6)).gang(), 2, true));
    assertThat(record(after(2)).placement()).containsOnlyKeys("uid-g-0", "again");
  }

  @Test
  void aCutBurstOfWhichNothingIsBoundWaitsAgain() {
    nodes("n0", "n1");
    var left = member("g", 0, 2).build();
    on(
        new Event.RecordFound(
            new GangRecord(
                left.membership().orElseThrow().gang(),
                1,
                1,
                Phase.BINDING,
                2,
                false,
                Map.of(left.key().uid(), new Place("g-0", "n0"), "gone", new Place("g-1", "n1")),
                Optional.empty(),
                Optional.empty())));
    seen(left);
    lead(false);
    assertThat(ask(aPod("early").gpus(1).build(), "n0")).isInstanceOf(Answer.Refuse.class);
    after(2);
    assertThat(ask(aPod("single").gpus(1).build(), "n0")).isInstanceOf(Answer.Accept.class);
  }

  /** kube-scheduler has put it aside, and would come back to it after minutes. */
  @Test
  void whoIsLeftWhenABurstIsUndoneIsWokenOnceThereIsRoom() {
    var rest = cutBurst(member("g", 1, 2).build());
    on(new Event.NodeGone("n1"));
    var record = record(after(6));
    on(new Event.RecordWritten(record.gang(), record.epoch(), true));
    assertThat(after(40)).hasAtLeastOneElementOfType(Effect.Evict.class);
    on(new Event.PodGone(member("g", 0, 2).build().key()));
    var effects = new ArrayList<>(after(1));
    effects.addAll(seen(member("g", 0, 2).uid("again").build()));
    effects.addAll(on(new Event.NodeSeen(aNode("n1").gpus(1).build())));
    effects.addAll(after(60));
    assertThat(effects)
        .anyMatch(effect -> effect instanceof Effect.Wake wake && wake.pod().equals(rest.key()));
  }

  @Test
  void aMemberThatCannotBeBoundAnyMoreLosesItsPlace() {
    nodes("n0", "n1");
    lead(false);
    var gang = members("g", 2, 2);
    for (var pod : gang) {
      bind(gang.indexOf(pod), pod, placeOf(pod, "n0", "n1"));
    }
    on(new Event.RecordWritten(gang.getFirst().membership().orElseThrow().gang(), 1, true));
    var lost = gang.getFirst();
    var ended =
        on(
            new Event.BindingEnded(
                lost.membership().orElseThrow().gang(),
                lost.key(),
                "n0",
                new BindingOutcome.Lost("conflict")));
    assertThat(answers(ended)).containsExactly(new AnswerBind(0, Optional.of("muster: conflict")));
    assertThat(placeOf(aPod("single").gpus(1).build(), "n0", "n1")).isEqualTo("n0");
  }

  @Test
  void nobodyIsBoundWhereTheNodeOfAnotherGoesWhileTheRecordIsBeingStored() {
    nodes("n0", "n1", "n2");
    var first = member("g", 0, 3).on("n0").placedBy(1).build();
    var gang = first.membership().orElseThrow().gang();
    var rest = List.of(member("g", 1, 3).build(), member("g", 2, 3).build());
    on(
        new Event.RecordFound(
            new GangRecord(
                gang,
                1,
                1,
                Phase.BINDING,
                3,
                false,
                Map.of(
                    "uid-g-0", new Place("g-0", "n0"),
                    "uid-g-1", new Place("g-1", "n1"),
                    "uid-g-2", new Place("g-2", "n2")),
                Optional.of("job-uid"),
                Optional.empty())));
    seen(first);
    rest.forEach(this::seen);
    lead(true);
    var record = record(after(6));
    bind(1, rest.getFirst(), "n1");
    on(new Event.NodeGone("n2"));
    assertThat(on(new Event.RecordWritten(gang, record.epoch(), true)))
        .noneMatch(Effect.Bind.class::isInstance);
  }

  @Test
  void whoIsRecordedAndNotNeededAnyMoreKeepsNoPlace() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.get(0), "n0");
    var record = record(bind(2, gang.get(1), "n1"));
    var id = record.gang();
    on(new Event.RecordWritten(id, record.epoch(), true));
    var refused = new BindingOutcome.Refused("too many requests");
    on(new Event.BindingEnded(id, gang.get(0).key(), "n0", new BindingOutcome.Bound()));
    on(new Event.LeaseHeld(now.plusSeconds(4), false));
    on(new Event.BindingEnded(id, gang.get(1).key(), "n1", refused));
    assertThat(answers(after(30))).as("its call has waited for too long").hasSize(1);
    seen(member("g", 2, 2).on("n2").build());
    after(1);
    assertThat(ask(aPod("single").gpus(1).build(), "n1")).isInstanceOf(Answer.Accept.class);
  }

  @Test
  void noDeadlineEndsABurst() {
    nodes("n0", "n1");
    lead(false);
    var gang = members("g", 2, 2);
    var id = gang.getFirst().membership().orElseThrow().gang();
    for (var pod : gang) {
      bind(gang.indexOf(pod), pod, placeOf(pod, "n0", "n1"));
    }
    after(300);
    assertThat(ask(aPod("single").gpus(1).build(), "n0", "n1"))
        .isEqualTo(new Answer.Refuse(Filter.NO_ROOM));
    assertThat(on(new Event.RecordWritten(id, 0, true)))
        .as("the reply to an earlier record")
        .isEmpty();
    assertThat(on(new Event.RecordWritten(id, 1, true)))
        .filteredOn(Effect.Bind.class::isInstance)
        .hasSize(2);
  }

  @Test
  void aMemberThatHasComeKeepsItsPlaceThoughASiblingIsOfferedNoOther() {
    nodes("n0", "n1");
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.getFirst(), placeOf(gang.getFirst(), "n0", "n1"));
    assertThat(ask(gang.getLast(), "n0")).isInstanceOf(Answer.Refuse.class);
    assertThat(record(bind(2, gang.getLast(), placeOf(gang.getLast(), "n0", "n1"))).placement())
        .containsEntry(gang.getFirst().key().uid(), new Place("g-0", "n0"));
  }

  private void bindOneThatIsSeenMeanwhileAs(Pod pod) {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.getFirst(), placeOf(gang.getFirst(), "n0"));
    var record = record(bind(2, gang.getLast(), placeOf(gang.getLast(), "n1")));
    on(new Event.RecordWritten(record.gang(), record.epoch(), true));
    seen(pod);
    on(new Event.BindingEnded(record.gang(), pod.key(), "n0", new BindingOutcome.Bound()));
  }

  @Test
  void whoIsBoundAfterItHasLeftItsGangHoldsItsRoom() {
    bindOneThatIsSeenMeanwhileAs(aPod("g-0").gpus(1).build());
    assertThat(ask(aPod("single").gpus(1).build(), "n0")).isInstanceOf(Answer.Refuse.class);
  }

  @Test
  void whoIsBoundAfterItHasJoinedAnotherGangTakesNothingFromThat() {
    seen(member("h", 1, 2).build());
    bindOneThatIsSeenMeanwhileAs(aPod("g-0").gpus(1).gang("h", 2).build());
    assertThat(placeOf(member("h", 1, 2).build(), FOUR)).isNotEqualTo("n1");
  }

  @Test
  void membersThatCannotSwapKeepTheirPlaces() {
    nodes("n0");
    on(new Event.NodeSeen(aNode("n1").gpus(1).label("kind", "new").build()));
    lead(false);
    var first = member("g", 0, 2).build();
    var second = member("g", 1, 2).selecting("kind", "new").build();
    seen(first);
    seen(second);
    assertThat(ask(first, "n1")).isInstanceOf(Answer.Refuse.class);
    assertThat(ask(aPod("single").gpus(1).build(), "n1")).isInstanceOf(Answer.Refuse.class);
    assertThat(placeOf(second, "n1")).isEqualTo("n1");
  }

  /** It may be carried out all the same. */
  @Test
  void aPlaceIsNotLostWhileItsBindingIsUnderWay() {
    var rest = cutBurst(member("g", 1, 2).build());
    var record = record(after(6));
    on(new Event.RecordWritten(record.gang(), record.epoch(), true));
    assertThat(after(1)).hasAtLeastOneElementOfType(Effect.Bind.class);
    on(new Event.NodeSeen(aNode("n1").gpus(1).availability(Node.Availability.NOT_READY).build()));
    after(1);
    on(new Event.NodeSeen(aNode("n1").gpus(1).build()));
    assertThat(ask(aPod("single").gpus(1).build(), "n1")).isInstanceOf(Answer.Refuse.class);
    assertThat(placeOf(rest, "n1")).isEqualTo("n1");
  }

  @Test
  void aRefusedBindingIsSentAgainOnlyWhereTheLeaseOutlastsIt() {
    nodes("n0");
    lead(false);
    var pod = members("g", 1, 1).getFirst();
    var record = record(bind(1, pod, placeOf(pod, "n0")));
    assertThat(on(new Event.RecordWritten(record.gang(), record.epoch(), true)))
        .hasAtLeastOneElementOfType(Effect.Bind.class);
    on(new Event.LeaseHeld(now.plusSeconds(4), false));
    var refused = new BindingOutcome.Refused("too many requests");
    assertThat(on(new Event.BindingEnded(record.gang(), pod.key(), "n0", refused)))
        .noneMatch(Effect.Bind.class::isInstance);
    assertThat(after(10)).noneMatch(Effect.Bind.class::isInstance);
    on(new Event.LeaseHeld(now.plusSeconds(15), false));
    assertThat(after(2)).hasAtLeastOneElementOfType(Effect.Bind.class);
  }
}
