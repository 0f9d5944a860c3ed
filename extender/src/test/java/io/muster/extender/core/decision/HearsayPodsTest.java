package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pods that kube-scheduler asks about and no watch has shown. */
final class HearsayPodsTest extends ProtocolScenes {

  private boolean starts(List<Pod> gang, int seconds) {
    boolean isRecorded = false;
    long call = 1;
    for (int second = 0; second < seconds && !isRecorded; second++) {
      if (second % 10 == 0) {
        for (var pod : gang) {
          if (ask(pod, "n0", "n1") instanceof Answer.Accept accept) {
            isRecorded |=
                bind(call++, pod, accept.nodes().getFirst()).stream()
                    .anyMatch(Effect.WriteRecord.class::isInstance);
          }
        }
      }
      isRecorded |= after(1).stream().anyMatch(Effect.WriteRecord.class::isInstance);
    }
    return isRecorded;
  }

  @Test
  void oneThatWasDeletedBeforeMusterSawItDoesNotCountForItsGang() {
    nodes("n0", "n1");
    lead(false);
    ask(member("g", 0, 2).uid("ghost").build(), "n0", "n1");
    after(600);

    assertThat(starts(members("g", 2, 2), 60)).as("both are there, and room for both").isTrue();
  }

  @Test
  void norWhereKubeSchedulerGoesOnAskingAboutIt() {
    nodes("n0", "n1");
    lead(false);
    var ghost = member("g", 0, 2).uid("ghost").build();
    for (int i = 0; i < 60; i++) {
      ask(ghost, "n0", "n1");
      after(1);
    }
    assertThat(ask(ghost, "n0", "n1")).isInstanceOf(Answer.Refuse.class);
    assertThat(starts(members("g", 2, 2), 60)).isTrue();
  }

  @Test
  void oneThatTheWatchShowsLateIsAMemberLikeAnyOther() {
    nodes("n0", "n1");
    lead(false);
    var early = member("g", 0, 2).build();
    ask(early, "n0", "n1");
    after(30);
    assertThat(ask(early, "n0", "n1")).isInstanceOf(Answer.Refuse.class);

    assertThat(seen(early)).as("it is tried again").anyMatch(Effect.Wake.class::isInstance);
    var other = member("g", 1, 2).build();
    seen(other);

    assertThat(starts(List.of(early, other), 60)).isTrue();
  }

  @Test
  void oneThatIsConfirmedInTimeKeepsItsPlace() {
    nodes("n0", "n1");
    lead(false);
    var gang = List.of(member("g", 0, 2).build(), member("g", 1, 2).build());
    gang.forEach(pod -> ask(pod, "n0", "n1"));
    after(5);
    gang.forEach(this::seen);
    after(10);

    assertThat(gang).allMatch(pod -> ask(pod, "n0", "n1") instanceof Answer.Accept);
  }

  @Test
  void oneThatIsRecordedIsNotGivenUpHoweverLateTheWatchIs() {
    nodes("n0", "n1");
    lead(false);
    var gang = List.of(member("g", 0, 2).build(), member("g", 1, 2).build());
    ask(gang.get(0), "n0", "n1");
    ask(gang.get(1), "n0", "n1");
    bind(1, gang.get(0), placeOf(gang.get(0), "n0", "n1"));
    var opened = bind(2, gang.get(1), placeOf(gang.get(1), "n0", "n1"));
    assertThat(opened).anyMatch(Effect.WriteRecord.class::isInstance);

    assertThat(after(30)).noneMatch(Effect.Evict.class::isInstance);
    assertThat(record(opened).placement()).hasSize(2);
    assertThat(ask(gang.get(0), "n0", "n1")).isInstanceOf(Answer.Accept.class);
  }
}
