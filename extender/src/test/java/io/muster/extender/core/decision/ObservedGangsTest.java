package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Gangs that another scheduler starts: told of, never touched. */
final class ObservedGangsTest {

  private final GangScheduler protocol =
      new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  private final Map<String, GangReport> told = new HashMap<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private void on(Event event) {
    note(protocol.on(event, now));
  }

  private void note(List<Effect> effects) {
    for (var effect : effects) {
      switch (effect) {
        case Effect.WriteReport(var gang, var report) -> told.put(gang.gang().name(), report);
        case Effect.Forget(var gang) -> told.remove(gang.name());
        default -> throw new AssertionError("nothing else is to be done: " + effect);
      }
    }
  }

  private void pass(Duration time) {
    now = now.plus(time);
    on(new Event.Tick());
  }

  private void begin(int gpus) {
    on(new Event.NodeSeen(aNode("n").gpus(gpus).build()));
    on(new Event.Ready());
  }

  private static Pod member(int number) {
    return aPod("ml", "w-" + number).gpus(1).gang("g", 2).startedBy("koord-scheduler").build();
  }

  private static Pod bound(Pod pod) {
    return pod.at(
        new Pod.Progress(
            Pod.Phase.RUNNING, Optional.of("n"), Optional.empty(), false, java.util.Set.of()));
  }

  private String message() {
    return told.get("g").message();
  }

  @Test
  void itSaysWhoIsToStartTheGangAndWhatIsInTheWay() {
    begin(1);
    on(new Event.PodSeen(member(0)));
    pass(Duration.ofSeconds(1));
    assertThat(told.get("g").reason()).isEqualTo(Reason.OBSERVED);
    assertThat(message())
        .isEqualTo(
            "scheduler koord-scheduler is to start it, Muster only observes: 1 of 2 members exist");

    on(new Event.PodSeen(member(1)));
    pass(Duration.ofSeconds(10));
    assertThat(message())
        .isEqualTo(
            "scheduler koord-scheduler is to start it, Muster only observes: no room for 2 members"
                + " together: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu; even empty, the"
                + " 1 node that will do would hold 1 of the 2 members");

    on(new Event.NodeSeen(aNode("n").gpus(2).build()));
    pass(Duration.ofSeconds(10));
    assertThat(message())
        .isEqualTo(
            "scheduler koord-scheduler is to start it, Muster only observes: there is room for 2"
                + " members together");
  }

  @Test
  void itSaysHowFarTheOtherSchedulerHasCome() {
    begin(2);
    on(new Event.PodSeen(bound(member(0))));
    on(new Event.PodSeen(member(1)));
    pass(Duration.ofSeconds(1));
    assertThat(told.get("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(message())
        .isEqualTo(
            "1 of at least 2 members bound, by scheduler koord-scheduler; Muster only observes");

    on(new Event.PodSeen(bound(member(1))));
    pass(Duration.ofSeconds(10));
    assertThat(told.get("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(told.get("g").bound()).isEqualTo(2);
    assertThat(message()).isEqualTo("2 of at least 2 members bound, by scheduler koord-scheduler");
  }

  @Test
  void itsMembersTakeRoomButAreReservedNothing() {
    begin(2);
    on(new Event.PodSeen(member(0)));
    on(new Event.PodSeen(member(1)));
    pass(Duration.ofSeconds(1));
    var single = aPod("ml", "single").gpus(2).build();
    assertThat(protocol.filter(single, List.of("n"), now).answer())
        .isInstanceOf(Answer.Accept.class);
    on(new Event.PodGone(single.key()));
    on(new Event.PodSeen(bound(member(0))));
    assertThat(protocol.filter(aPod("ml", "other").gpus(2).build(), List.of("n"), now).answer())
        .isInstanceOf(Answer.Refuse.class);
  }

  @Test
  void itGoesOnToBeToldAfterARestartAndIsForgottenOnceItIsGone() {
    var id = new GangId(Dialect.KOORDINATOR, "ml", "g");
    on(
        new Event.RecordFound(
            new GangRecord(
                id, 1, 0, Phase.WAITING, 2, false, Map.of(), Optional.empty(), Optional.empty())));
    begin(2);
    on(new Event.PodSeen(member(0)));
    pass(Duration.ofSeconds(1));
    assertThat(told.get("g").reason()).isEqualTo(Reason.OBSERVED);
    pass(Duration.ofMinutes(20));
    assertThat(told).containsKey("g");

    on(new Event.PodGone(member(0).key()));
    pass(Duration.ofMinutes(20));
    assertThat(told).doesNotContainKey("g");
  }
}
