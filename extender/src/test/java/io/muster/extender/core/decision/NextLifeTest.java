package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangReport;
import org.junit.jupiter.api.Test;

/** What the next life of a gang has of the one before. */
final class NextLifeTest extends ProtocolScenes {

  @Test
  void itIsNotHeldOffForWhatTheOldOneFailedAt() {
    nodes(FOUR);
    lead(false);
    var old = members("g", 2, 2);
    for (int refused = 0; refused < 20; ) {
      after(1);
      refused = ask(old.getFirst(), FOUR) instanceof Answer.Refuse ? refused + 1 : 0;
    }
    old.forEach(pod -> on(new Event.PodGone(pod.key())));
    var next = member("g", 0, 2).uid("x0").build();
    seen(next);
    seen(member("g", 1, 2).uid("x1").build());
    assertThat(ask(next, FOUR)).isInstanceOf(Answer.Accept.class);
  }

  /** Whoever asks at once is not told of an attempt that there was not. */
  @Test
  void norDoesAnybodyReadThatAnAttemptHasFailed() {
    nodes("n0");
    lead(false);
    var old = members("g", 2, 2);
    after(5);
    old.forEach(pod -> on(new Event.PodGone(pod.key())));
    var next = member("g", 0, 2).uid("x0").build();
    seen(next);
    seen(member("g", 1, 2).uid("x1").build());
    var report = muster.placementQueries().report(next.membership().orElseThrow().gang());
    assertThat(report.map(GangReport::message))
        .contains("places for its members are being looked for");
    assertThat(report.map(GangReport::remedy)).contains("");
  }

  private static PodBuilder restarting(int index) {
    return aPod("g-" + index).gpus(1).gang("g", terms("g", 2).onLoss(OnLoss.RESTART).build(), "");
  }

  @Test
  void membersThatAreToldToEndDoNotCountForIt() {
    nodes("n0", "n1");
    var lost = restarting(0).on("n0").build();
    var ending = restarting(1).on("n1").build();
    seen(lost);
    seen(ending);
    lead(false);
    on(new Event.PodGone(lost.key()));
    assertThat(after(5))
        .filteredOn(Effect.Evict.class::isInstance)
        .extracting(effect -> ((Effect.Evict) effect).pod())
        .containsExactly(ending.key());
    var next = restarting(0).uid("x0").build();
    seen(next);
    assertThat(ask(next, "n0", "n1")).as("half a gang").isInstanceOf(Answer.Refuse.class);
    on(new Event.PodGone(ending.key()));
    seen(restarting(1).uid("x1").build());
    assertThat(ask(next, "n0", "n1")).isInstanceOf(Answer.Accept.class);
  }

  @Test
  void itDoesNotBeginWhileOneThatRunsHasNoController() {
    nodes("n0", "n1", "n2");
    var lost = restarting(0).on("n0").build();
    seen(lost);
    seen(restarting(1).bare().on("n1").build());
    seen(restarting(2).on("n2").build());
    lead(false);
    on(new Event.PodGone(lost.key()));
    assertThat(after(60)).noneMatch(Effect.Evict.class::isInstance);
  }

  /** Some member of the old life may still be ending when a new leader comes. */
  @Test
  void withoutARecordTheLatestLifeThatAMemberWasBoundForGoesOn() {
    nodes("n0", "n1", "n2");
    seen(member("g", 2, 2).uid("old").on("n2").placedBy(3).deleting().build());
    seen(member("g", 0, 2).on("n0").placedBy(4).build());
    seen(member("g", 1, 2).build());
    lead(false);
    assertThat(record(after(2)).incarnation()).isEqualTo(4);
  }
}
