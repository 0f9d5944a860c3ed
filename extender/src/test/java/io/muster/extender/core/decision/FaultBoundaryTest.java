package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.dialect.Hints;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A gang about which nothing can be worked out, because a value of it is missing, and another. */
final class FaultBoundaryTest {

  private static final List<String> NODES = List.of("n0", "n1", "n2", "n3");

  private final GangScheduler muster =
      new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  private final List<Effect> effects = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private List<Effect> told(Event event) {
    var decided = muster.on(event, now);
    effects.addAll(decided);
    return decided;
  }

  private void begin() {
    NODES.forEach(name -> told(new Event.NodeSeen(aNode(name).gpus(1).build())));
    told(new Event.LeaseHeld(Instant.MAX, false));
    told(new Event.Ready());
  }

  private void after(int seconds) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      told(new Event.Tick());
    }
  }

  /** No plan can be made for it: a term of its nodes has no operator. */
  private static PodBuilder unplannable(String gang, int index, int min) {
    return aPod(gang + "-" + index)
        .gpus(1)
        .gang(gang, min)
        .anyOf(new NodeTerm(List.of(new Requirement("k", null, Set.of("v"))), List.of()));
  }

  /** Not even its being seen can be taken in: it does not say whether it names a queue. */
  @SuppressWarnings("NullOptional")
  private static Pod unhearable(String gang, int index, int min) {
    var pod = aPod(gang + "-" + index).gpus(1).gang(gang, min).build();
    return new Pod(
        pod.key(),
        pod.demand(),
        pod.progress(),
        pod.origin(),
        pod.membership(),
        pod.later(),
        pod.observed(),
        new Pod.Wishes(
            new Hints(null, Optional.empty(), Optional.empty(), Optional.empty()),
            true,
            Duration.ofSeconds(30)));
  }

  private List<Pod> sound(String gang, int members) {
    var pods = new ArrayList<Pod>();
    for (int i = 0; i < members; i++) {
      pods.add(aPod(gang + "-" + i).gpus(1).gang(gang, members).build());
      told(new Event.PodSeen(pods.getLast()));
    }
    return pods;
  }

  private boolean areLetGo(List<Pod> pods) {
    return pods.stream()
        .allMatch(pod -> muster.filter(pod, NODES, now).answer() instanceof Answer.Accept);
  }

  private long faults() {
    return effects.stream().filter(Effect.Fault.class::isInstance).count();
  }

  private Optional<GangReport> lastReport(String gang) {
    return effects.stream()
        .filter(Effect.WriteReport.class::isInstance)
        .map(Effect.WriteReport.class::cast)
        .filter(write -> write.gang().gang().name().equals(gang))
        .map(Effect.WriteReport::report)
        .reduce((_, deferred) -> deferred);
  }

  @Test
  void aGangThatCannotBePlannedStopsNoOther() {
    begin();
    for (int i = 0; i < 2; i++) {
      told(new Event.PodSeen(unplannable("bad", i, 2).priority(1_000).build()));
    }
    var good = sound("good", 2);
    after(1);

    assertThat(faults()).isPositive();
    assertThat(areLetGo(good)).isTrue();
  }

  @Test
  void itsGangSaysSoAndWhatToDo() {
    begin();
    told(new Event.PodSeen(unplannable("bad", 0, 1).build()));
    after(2);

    assertThat(lastReport("bad"))
        .hasValueSatisfying(report -> {
          assertThat(report.reason()).isEqualTo(Reason.MUSTER_FAULT);
          assertThat(report.message())
              .startsWith("muster met a fault of its own with this gang (NullPointerException)")
              .contains("until 2026-01-01T00:00:10Z");
          assertThat(report.remedy()).contains("log");
        });
  }

  @Test
  void itIsTriedAgainAfterADoublingTime() {
    begin();
    told(new Event.PodSeen(unplannable("bad", 0, 1).build()));
    after(3_600);

    // 10 + 20 + ... + 320 s, then each ten minutes: a dozen tries in an hour, not 7,200.
    assertThat(faults()).isBetween(9L, 15L);
  }

  @Test
  void itStartsOnceItsPodsAreSound() {
    begin();
    told(new Event.PodSeen(unplannable("mended", 0, 1).build()));
    after(1);
    told(new Event.PodGone(unplannable("mended", 0, 1).build().key()));
    var good = aPod("mended-0").uid("anew").gpus(1).gang("mended", 1).build();
    told(new Event.PodSeen(good));

    assertThat(areLetGo(List.of(good))).as("at once").isTrue();
  }

  @Test
  void aPodThatCannotBeTakenInStopsNeitherItsGangsNeighboursNorTheClock() {
    begin();
    for (int i = 0; i < 3; i++) {
      told(new Event.PodSeen(unhearable("bad", i, 4)));
      after(1);
    }
    var good = sound("good", 4);
    after(1);

    assertThat(areLetGo(good)).isTrue();
    assertThat(effects)
        .filteredOn(Effect.Fault.class::isInstance)
        .extracting(effect -> ((Effect.Fault) effect).step())
        .contains("PodSeen");
  }

  @Test
  void whatWasDecidedBeforeAFaultGoesOutWithIt() {
    begin();
    sound("good", 4);
    after(1);
    told(new Event.PodSeen(unplannable("bad", 0, 1).build()));
    // The room of the first comes free: both a refused single and the bad gang are tried for it.
    var single = aPod("single").gpus(1).build();
    told(new Event.PodSeen(single));
    muster.filter(single, NODES, now);
    var decided = told(new Event.NodeSeen(aNode("n4").gpus(1).build()));

    assertThat(decided)
        .anyMatch(Effect.Fault.class::isInstance)
        .anyMatch(Effect.Wake.class::isInstance);
  }

  /** The API server has not said whether they were carried out: they may be. */
  @Test
  void placesOfAGangWhoseBindingsGotNoAnswerAreNoOthers() {
    begin();
    var bad = sound("bad", 2);
    var waiting = sound("good", 4);
    after(1);
    var binds = bindAll(bad);
    assertThat(binds).hasSize(2);
    binds.forEach(bind ->
        told(
            new Event.BindingEnded(
                bind.gang(), bind.pod(), bind.node(), new BindingOutcome.Unanswered("timeout"))));
    told(new Event.PodSeen(unhearable("bad", 2, 2)));
    after(1);

    assertThat(faults()).isPositive();
    assertThat(areLetGo(waiting)).isFalse();
  }

  /** kube-scheduler has all of them bound, and the record is stored; what was sent then. */
  private List<Effect.Bind> bindAll(List<Pod> pods) {
    int call = 0;
    var decided = new ArrayList<Effect>();
    for (var pod : pods) {
      var answer = (Answer.Accept) muster.filter(pod, NODES, now).answer();
      decided.addAll(muster.bind(new BindCall(++call, pod.key(), answer.nodes().getFirst()), now));
    }
    var record =
        decided.stream()
            .filter(Effect.WriteRecord.class::isInstance)
            .map(Effect.WriteRecord.class::cast)
            .toList()
            .getLast()
            .gang();
    return told(new Event.RecordWritten(record.gang(), record.epoch(), true)).stream()
        .filter(Effect.Bind.class::isInstance)
        .map(Effect.Bind.class::cast)
        .toList();
  }

  @Test
  void placesOfAGangThatMeetsAFaultAreFreeAgain() {
    begin();
    sound("bad", 2);
    var waiting = sound("good", 4);
    after(1);
    assertThat(areLetGo(waiting)).isFalse();
    told(new Event.PodSeen(unhearable("bad", 2, 2)));
    after(1);

    assertThat(areLetGo(waiting)).as("nothing of the other was bound").isTrue();
  }
}
