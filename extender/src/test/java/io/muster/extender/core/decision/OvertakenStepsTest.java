package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Steps that something else overtakes, or that are lost, on their way. */
final class OvertakenStepsTest extends ProtocolScenes {

  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");

  private Optional<String> queue = Optional.empty();

  private PodBuilder member(int index, int min, OnLoss onLoss) {
    var pod = aPod("g-" + index).gpus(1).gang("g", terms("g", min).onLoss(onLoss).build(), "");
    return queue.map(pod::queue).orElse(pod);
  }

  /** Members 0 to min - 1 run. */
  private List<Pod> started(int min, OnLoss onLoss, String... nodes) {
    var running = new ArrayList<Pod>();
    for (int i = 0; i < min; i++) {
      seen(member(i, min, onLoss).build());
    }
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < min; i++) {
      var pod = member(i, min, onLoss).build();
      effects.addAll(bind(i + 1, pod, placeOf(pod, nodes)));
    }
    var record = record(effects);
    for (var effect : on(new Event.RecordWritten(record.gang(), record.epoch(), true))) {
      if (effect instanceof Effect.Bind bind) {
        bound(bind);
        int index = Integer.parseInt(bind.pod().name().substring(2));
        var pod = member(index, min, onLoss).on(bind.node()).placedBy(1);
        running.add(pod.phase(Pod.Phase.RUNNING).build());
        seen(running.getLast());
      }
    }
    assertThat(running).hasSize(min);
    return running;
  }

  private GangRecord arrived(List<Pod> gang, String... nodes) {
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < gang.size(); i++) {
      effects.addAll(bind(i + 1, gang.get(i), placeOf(gang.get(i), nodes)));
    }
    return record(effects);
  }

  /** The queue q may hold so many devices. */
  private void limit(long devices) {
    on(
        new Event.QueuesSet(
            new Queues(
                List.of(
                    new Queue(
                        "q",
                        1,
                        Optional.empty(),
                        Optional.of(devices),
                        Order.PRIORITY,
                        false,
                        Optional.empty(),
                        Set.of())))));
  }

  private void bound(Effect.Bind bind) {
    on(new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), new BindingOutcome.Bound()));
  }

  private static List<String> evicted(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Evict.class::isInstance)
        .map(effect -> ((Effect.Evict) effect).pod().name())
        .toList();
  }

  private boolean isAccepted(Pod pod, String... nodes) {
    return ask(pod, nodes) instanceof Answer.Accept;
  }

  @Test
  void membersOfAGangThatIsUndoneAreToldToEndUntilTheyDo() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 3, 3);
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < 3; i++) {
      effects.addAll(bind(i + 1, gang.get(i), placeOf(gang.get(i), FOUR)));
    }
    var record = record(effects);
    for (var effect : on(new Event.RecordWritten(record.gang(), record.epoch(), true))) {
      if (effect instanceof Effect.Bind bind) {
        boolean isFirst = bind.pod().name().equals("g-0");
        var outcome = isFirst ? new BindingOutcome.Bound() : new BindingOutcome.Lost("gone");
        on(new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
      }
    }
    on(new Event.PodGone(gang.get(1).key()));
    on(new Event.PodGone(gang.get(2).key()));
    assertThat(evicted(after(35))).containsExactly("g-0");
    assertThat(evicted(after(20))).as("the first write was lost").contains("g-0");
    on(new Event.PodGone(gang.get(0).key()));
    assertThat(evicted(after(60))).isEmpty();
  }

  @Test
  void aGangOfWhichOneMemberHasNoControllerIsNotUndone() {
    nodes("n0", "n1", "n2");
    lead(false);
    var gang =
        List.of(
            member("g", 0, 3).build(), member("g", 1, 3).bare().build(), member("g", 2, 3).build());
    gang.forEach(this::seen);
    var record = arrived(gang, "n0", "n1", "n2");
    for (var effect : on(new Event.RecordWritten(record.gang(), record.epoch(), true))) {
      if (effect instanceof Effect.Bind bind) {
        boolean isLast = bind.pod().name().equals("g-2");
        var outcome = isLast ? new BindingOutcome.Lost("gone") : new BindingOutcome.Bound();
        on(new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
      }
    }
    on(new Event.PodGone(gang.get(2).key()));
    assertThat(evicted(after(120))).isEmpty();
  }

  /** What is refused may be bound all the same when it is tried again. */
  @Test
  void nobodyEndsWhileABindingOfTheGangIsUnderWay() {
    nodes("n0", "n1");
    lead(false);
    var gang = members("g", 2, 2);
    var record = arrived(gang, "n0", "n1");
    var refused = new BindingOutcome.Refused("no");
    var again = new ArrayList<Effect.Bind>();
    for (var effect : on(new Event.RecordWritten(record.gang(), record.epoch(), true))) {
      if (effect instanceof Effect.Bind bind) {
        boolean isFirst = bind.pod().name().equals("g-0");
        var outcome = isFirst ? new BindingOutcome.Bound() : refused;
        on(new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
      }
    }
    for (var effect : after(1)) {
      if (effect instanceof Effect.Bind bind) {
        again.add(bind);
      }
    }
    assertThat(again).hasSize(1);
    assertThat(evicted(after(60))).isEmpty();
    var last = again.getFirst();
    on(new Event.BindingEnded(last.gang(), last.pod(), last.node(), refused));
    assertThat(evicted(after(1))).containsExactly("g-0");
  }

  @Test
  void theAnswerToARecordOfALifeThatIsOverTakesNothingFromTheNext() {
    nodes("n0", "n1");
    lead(false);
    var gang = members("g", 2, 2);
    var effects = new ArrayList<Effect>();
    effects.addAll(bind(1, gang.get(0), placeOf(gang.get(0), "n0", "n1")));
    effects.addAll(bind(2, gang.get(1), placeOf(gang.get(1), "n0", "n1")));
    var record = record(effects);
    gang.forEach(pod -> on(new Event.PodGone(pod.key())));
    var next = List.of(member("g", 0, 2).uid("a").build(), member("g", 1, 2).uid("b").build());
    next.forEach(this::seen);
    assertThat(next).allMatch(pod -> isAccepted(pod, "n0", "n1"));
    on(new Event.RecordWritten(record.gang(), record.epoch(), true));
    assertThat(next).as("its places").allMatch(pod -> isAccepted(pod, "n0", "n1"));
  }

  /** kube-scheduler had got its node before a sibling was lost. */
  @Test
  void nobodyJoinsAGangThatIsAboutToStartAgain() {
    nodes("n0", "n1", "n2");
    lead(false);
    var running = started(2, OnLoss.RESTART, "n0", "n1", "n2");
    var extra = member(2, 2, OnLoss.RESTART).build();
    seen(extra);
    var node = placeOf(extra, "n0", "n1", "n2");
    on(new Event.PodGone(running.getFirst().key()));
    assertThat(isAccepted(extra, "n0", "n1", "n2")).isFalse();
    assertThat(bind(9, extra, node)).noneMatch(Effect.Bind.class::isInstance);
  }

  @Test
  void whoIsBoundWhileItsGangStartsAgainKeepsItsRoomAndEndsWithTheOthers() {
    nodes("n0", "n1", "n2");
    lead(false);
    var running = started(2, OnLoss.RESTART, "n0", "n1", "n2");
    var extra = member(2, 2, OnLoss.RESTART).build();
    seen(extra);
    var node = placeOf(extra, "n0", "n1", "n2");
    assertThat(bind(9, extra, node)).anyMatch(Effect.Bind.class::isInstance);
    on(new Event.PodGone(running.getFirst().key()));

    assertThat(evicted(after(5))).containsExactlyInAnyOrder("g-1", "g-2");
    assertThat(isAccepted(aPod("single").gpus(1).build(), node))
        .as("the room of a pod whose Binding is under way")
        .isFalse();
  }

  @Test
  void whoIsBoundWhileItsNodeClosesKeepsItsRoom() {
    nodes("n0", "n1", "n2");
    lead(false);
    started(2, OnLoss.REPLACE, "n0", "n1", "n2");
    var extra = member(2, 2, OnLoss.REPLACE).build();
    seen(extra);
    assertThat(bind(9, extra, placeOf(extra, "n2"))).anyMatch(Effect.Bind.class::isInstance);
    on(new Event.NodeSeen(aNode("n2").gpus(1).availability(Node.Availability.NOT_READY).build()));
    after(1);
    on(new Event.NodeSeen(aNode("n2").gpus(1).build()));
    assertThat(isAccepted(aPod("single").gpus(1).build(), "n2")).isFalse();
  }

  @Test
  void whoeverReplacesMembersOfABurstThatEndedWhileNobodyLedStarts() {
    nodes(FOUR);
    on(
        new Event.RecordFound(
            new GangRecord(
                G,
                1,
                1,
                Phase.BINDING,
                2,
                false,
                Map.of("done", new Place("g-0", "n0"), "ends", new Place("g-1", "n1")),
                Optional.of("job-uid"),
                Optional.empty())));
    seen(member("g", 0, 2).uid("done").on("n0").phase(Pod.Phase.SUCCEEDED).build());
    seen(member("g", 1, 2).uid("ends").on("n1").placedBy(1).deleting().build());
    lead(false);
    var again = member("g", 1, 2).uid("again").build();
    seen(again);
    on(new Event.PodGone(member("g", 1, 2).uid("ends").build().key()));
    after(60);
    assertThat(isAccepted(again, FOUR)).as("with the one that has succeeded it is whole").isTrue();
  }

  @Test
  void replacementsWhoseRoomAnotherTakesInPartDoNotWaitForEachOther() {
    on(new Event.NodeSeen(aNode("n0").gpus(2).build()));
    on(new Event.NodeSeen(aNode("n1").gpus(1).build()));
    lead(false);
    var running = started(3, OnLoss.REPLACE, "n0", "n1");
    var lost =
        running.stream()
            .filter(pod -> pod.progress().nodeName().equals(Optional.of("n0")))
            .toList();
    lost.forEach(pod -> on(new Event.PodGone(pod.key())));
    after(1);
    var again = List.of(member(7, 3, OnLoss.REPLACE).build(), member(8, 3, OnLoss.REPLACE).build());
    again.forEach(this::seen);
    seen(aPod("stranger").gpus(1).scheduler("another").on("n0").build());
    after(1);
    assertThat(again.stream().filter(pod -> isAccepted(pod, "n0")))
        .as("one of the two fits beside the stranger")
        .hasSize(1)
        .allMatch(pod -> bind(9, pod, "n0").stream().anyMatch(Effect.Bind.class::isInstance));
  }

  /** They may take long to end, and the next incarnation may run by then. */
  @Test
  void theEndOfMembersThatWereToldToEndIsNoLossOfTheNextIncarnation() {
    nodes(FOUR);
    lead(false);
    var running = started(2, OnLoss.RESTART, FOUR);
    on(new Event.PodGone(running.get(0).key()));
    assertThat(evicted(after(5))).containsExactly("g-1");
    var next =
        List.of(member(0, 2, OnLoss.RESTART).uid("a"), member(1, 2, OnLoss.RESTART).uid("b"));
    next.forEach(pod -> seen(pod.build()));
    var record = arrived(next.stream().map(PodBuilder::build).toList(), FOUR);
    for (var effect : on(new Event.RecordWritten(record.gang(), record.epoch(), true))) {
      if (effect instanceof Effect.Bind bind) {
        bound(bind);
        var pod = next.get(bind.pod().uid().equals("a") ? 0 : 1);
        seen(pod.on(bind.node()).placedBy(2).phase(Pod.Phase.RUNNING).build());
      }
    }
    on(new Event.PodGone(running.get(1).key()));
    assertThat(evicted(after(60))).isEmpty();
  }

  @Test
  void membersThatEndForTheRestartOfTheirGangCountInItsQueueUntilTheyHaveGone() {
    limit(2);
    nodes(FOUR);
    lead(false);
    queue = Optional.of("q");
    var running = started(2, OnLoss.RESTART, FOUR);
    on(new Event.PodGone(running.get(0).key()));
    assertThat(evicted(after(5))).containsExactly("g-1");
    var node = running.get(1).progress().nodeName().orElseThrow();
    seen(member(1, 2, OnLoss.RESTART).on(node).placedBy(1).deleting().build());
    var other = List.of(member("h", 0, 2).queue("q").build(), member("h", 1, 2).queue("q").build());
    other.forEach(this::seen);
    assertThat(other).as("the queue may hold two").noneMatch(pod -> isAccepted(pod, FOUR));
    on(new Event.PodGone(running.get(1).key()));
    assertThat(other).allMatch(pod -> isAccepted(pod, FOUR));
  }

  @Test
  void ofTwoPodsThatMayBothStartOnlyOneIsBoundWhereTheirQueueHasOneDeviceLeft() {
    limit(1);
    nodes("n0", "n1");
    lead(false);
    var first = aPod("first").gpus(1).queue("q").build();
    var second = aPod("second").gpus(1).queue("q").build();
    seen(first);
    seen(second);
    assertThat(isAccepted(first, "n0")).isTrue();
    assertThat(isAccepted(second, "n1")).isTrue();
    assertThat(bind(1, first, "n0")).hasAtLeastOneElementOfType(Effect.Bind.class);
    assertThat(bind(2, second, "n1")).noneMatch(Effect.Bind.class::isInstance);
  }

  /** Only where nobody of a gang may be out does who comes wait for the others. */
  @Test
  void aMemberJoinsAGangOfWhichABindingIsUnderWayThoughAnotherGotNoAnswer() {
    nodes(FOUR);
    lead(false);
    var running = started(1, OnLoss.REPLACE, FOUR);
    var later = List.of(member(1, 1, OnLoss.REPLACE), member(2, 1, OnLoss.REPLACE));
    later.forEach(pod -> seen(pod.build()));
    var last = member(3, 1, OnLoss.REPLACE).build();
    seen(last);
    var unanswered = new BindingOutcome.Unanswered("no answer");
    ended(bind(7, later.get(0).build(), placeOf(later.get(0).build(), FOUR)), unanswered);
    bind(8, later.get(1).build(), placeOf(later.get(1).build(), FOUR));
    on(new Event.PodGone(running.getFirst().key()));
    assertThat(bind(9, last, placeOf(last, FOUR))).hasAtLeastOneElementOfType(Effect.Bind.class);
  }

  @Test
  void aPodWhoseBindingFailsLeavesItsRoomToOthers() {
    nodes("n0");
    lead(false);
    var first = aPod("first").gpus(1).build();
    var second = aPod("second").gpus(1).build();
    seen(first);
    seen(second);
    assertThat(isAccepted(first, "n0")).isTrue();
    var effects = bind(1, first, "n0");
    assertThat(isAccepted(second, "n0")).as("while it is bound").isFalse();
    ended(effects, new BindingOutcome.Refused("no"));
    assertThat(isAccepted(second, "n0")).isTrue();
  }

  @Test
  void aPodWhoseBindingFailsCountsInItsQueueNoMore() {
    limit(1);
    nodes("n0", "n1");
    lead(false);
    var first = aPod("first").gpus(1).queue("q").build();
    var second = aPod("second").gpus(1).queue("q").build();
    seen(first);
    seen(second);
    assertThat(isAccepted(first, "n0")).isTrue();
    var effects = bind(1, first, "n0");
    assertThat(isAccepted(second, "n1")).as("while it is bound").isFalse();
    ended(effects, new BindingOutcome.Refused("no"));
    assertThat(isAccepted(second, "n1")).isTrue();
  }

  /** The API server may have carried it out all the same. */
  @Test
  void aPodWhoseBindingGetsNoAnswerKeepsItsRoomUntilItMustHaveBeenSeen() {
    nodes("n0");
    lead(false);
    var first = aPod("first").gpus(1).build();
    var second = aPod("second").gpus(1).build();
    seen(first);
    seen(second);
    assertThat(isAccepted(first, "n0")).isTrue();
    ended(bind(1, first, "n0"), new BindingOutcome.Unanswered("no answer"));
    assertThat(isAccepted(second, "n0")).as("it may be on the node").isFalse();
    assertThat(isAccepted(first, "n0")).as("it may be tried again").isTrue();
    after(11);
    assertThat(isAccepted(second, "n0")).as("it is not on the node").isTrue();
  }

  @Test
  void aPodWhoseBindingGetsNoAnswerCountsInItsQueueUntilItMustHaveBeenSeen() {
    limit(1);
    nodes("n0", "n1");
    lead(false);
    var first = aPod("first").gpus(1).queue("q").build();
    var second = aPod("second").gpus(1).queue("q").build();
    seen(first);
    seen(second);
    ended(bind(1, first, "n0"), new BindingOutcome.Unanswered("no answer"));
    assertThat(isAccepted(second, "n1")).as("it may be on its node").isFalse();
    after(11);
    assertThat(isAccepted(second, "n1")).as("it is not on its node").isTrue();
  }

  private void ended(List<Effect> effects, BindingOutcome outcome) {
    for (var effect : effects) {
      if (effect instanceof Effect.Bind bind) {
        on(new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
      }
    }
  }
}
