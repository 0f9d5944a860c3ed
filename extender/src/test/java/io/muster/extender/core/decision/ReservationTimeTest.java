package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** For how long a gang keeps its places, and when it tries to be recorded. */
final class ReservationTimeTest extends ProtocolScenes {

  @Test
  void aRecordThatCannotBeStoredIsTriedAgainAfterADoublingTime() {
    nodes("n0");
    lead(false);
    var pod = members("g", 1, 1).getFirst();
    var record = record(bind(1, pod, placeOf(pod, "n0")));
    for (long wait = 1; wait < 16; wait *= 2) {
      on(new Event.RecordWritten(record.gang(), record.epoch(), false));
      assertThat(after(wait - 1)).noneMatch(Effect.WriteRecord.class::isInstance);
      record = record(after(1));
    }
  }

  /** The leader cannot reach the API server, and so cannot let the gang start either. */
  @Test
  void aReservationOutlastsALeaseThatIsTooShort() {
    nodes("n0");
    lead(false);
    on(new Event.LeaseHeld(now.plusSeconds(4), false));
    var pod = members("g", 1, 1).getFirst();
    bind(1, pod, placeOf(pod, "n0"));
    for (int i = 0; i < 200; i++) {
      after(1);
      assertThat(ask(aPod("other").gpus(1).build(), "n0")).isInstanceOf(Answer.Refuse.class);
    }
    on(new Event.LeaseHeld(now.plusSeconds(15), false));
    assertThat(record(bind(2, pod, "n0")).placement()).containsOnlyKeys(pod.key().uid());
  }

  /** kube-scheduler has asked about one of two that were released, and never comes back. */
  @Test
  void aReservationLastsTenMinutesAtMostWhileItsMembersAreOnTheirWay() {
    nodes("n0", "n1");
    var first = PodBuilder.tied(member("g", 0, 2).build(), new NodePin("7", List.of("n0")));
    seen(first);
    seen(PodBuilder.tied(member("g", 1, 2).build(), new NodePin("8", List.of("n1"))));
    lead(false);
    assertThat(placeOf(first, "n0")).isEqualTo("n0");
    after(595);
    var other = aPod("other").gpus(1).build();
    assertThat(ask(other, "n0", "n1")).isInstanceOf(Answer.Refuse.class);
    boolean isFree = false;
    for (int i = 0; i < 10 && !isFree; i++) {
      after(1);
      isFree = ask(other, "n0", "n1") instanceof Answer.Accept;
    }
    assertThat(isFree).isTrue();
  }

  /** kube-scheduler comes to one other pod a second, and never to the member. */
  @Test
  void aReservationLastsTenMinutesAtMostWhileKubeSchedulerWorksOffItsQueue() {
    nodes("n0");
    lead(false);
    members("g", 1, 1);
    var free = new HashSet<Duration>();
    for (int i = 0; i < 660; i++) {
      after(1);
      if (ask(aPod("other-" + i).gpus(1).build(), "n0") instanceof Answer.Accept) {
        free.add(Duration.ofSeconds(i));
      }
    }
    assertThat(free).isNotEmpty().allMatch(at -> at.compareTo(Duration.ofSeconds(595)) > 0);
  }

  /** A policy of somebody else's refuses it. */
  @Test
  void aGangWhoseGatesStayOnSaysSo() {
    nodes("n0", "n1");
    lead(false);
    seen(member("g", 0, 2).gated().build());
    seen(member("g", 1, 2).gated().build());

    assertThat(
            after(130).stream()
                .filter(Effect.WriteReport.class::isInstance)
                .map(effect -> ((Effect.WriteReport) effect).report().message()))
        .anyMatch(said ->
            said.endsWith(
                "the scheduling gates of 2 members could not be taken off in time;"
                    + " see the events of the pods"));
  }
}
