package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Reason;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Placed members that kube-scheduler's own rules let go nowhere, such as those about other pods.
 */
final class RejectedMembersTest extends ProtocolScenes {

  private static final String WHY =
      "0/4 nodes are available: 4 node(s) didn't match pod anti-affinity rules.";

  private List<Pod> members;

  @BeforeEach
  void aGangIsPlaced() {
    nodes(FOUR);
    lead(false);
    members = members("g", 2, 2);
    bind(1, members.get(1), placeOf(members.get(1), FOUR));
    placeOf(members.get(0), FOUR);
  }

  private void saidOf(Pod pod, Optional<String> rejection) {
    seen(pending(pod, rejection, false));
  }

  private static boolean gaveUp(List<Effect> effects) {
    return answers(effects).stream()
        .map(Effect.AnswerBind.class::cast)
        .flatMap(answer -> answer.error().stream())
        .anyMatch(error -> error.contains("kube-scheduler has no node for g-0: " + WHY));
  }

  @Test
  void oneThatWasAskedAboutBeforeIsWaitedForNoLongerThanOthers() {
    saidOf(members.get(0), Optional.of(WHY));
    assertThat(gaveUp(after(7))).isTrue();
  }

  @Test
  void whileNoOtherNodesAreThereTheGangSaysWhatTheLastAttemptFailedFor() {
    for (var node : FOUR) {
      if (members.stream().noneMatch(pod -> placeOf(pod, FOUR).equals(node))) {
        on(new Event.NodeGone(node));
      }
    }
    saidOf(members.get(0), Optional.of(WHY));
    var said =
        after(20).stream()
            .filter(Effect.WriteReport.class::isInstance)
            .map(effect -> ((Effect.WriteReport) effect).report())
            .filter(report -> report.reason() == Reason.NODES_UNAVAILABLE)
            .toList();
    assertThat(said.getLast().message())
        .endsWith("; the last attempt failed: kube-scheduler has no node for g-0: " + WHY);
    assertThat(said.getLast().remedy()).contains("mend what the last attempt failed for");
  }

  /** What comes free elsewhere would do, but it is not why the gang waits. */
  @Test
  void whatTheLastAttemptFailedForIsSaidTooWhereTheOtherNodesAreFull() {
    saidOf(members.get(0), Optional.of(WHY));
    after(7);
    for (var node : FOUR) {
      seen(aPod("full-" + node).gpus(1).on(node).build());
    }
    var said =
        after(20).stream()
            .filter(Effect.WriteReport.class::isInstance)
            .map(effect -> ((Effect.WriteReport) effect).report())
            .toList();
    assertThat(said.getLast().reason()).isNotEqualTo(Reason.NODES_UNAVAILABLE);
    assertThat(said.getLast().reason().isWantOfRoom()).isTrue();
    assertThat(said.getLast().message())
        .endsWith("; the last attempt failed: kube-scheduler has no node for g-0: " + WHY);
  }

  @Test
  void oneThatComesAgainIsWaitedFor() {
    saidOf(members.get(0), Optional.of(WHY));
    after(3);
    placeOf(members.get(0), FOUR);
    assertThat(gaveUp(after(15))).isFalse();
  }

  @Test
  void whatIsSaidLateOfOneThatHasArrivedIsOver() {
    var other = members.get(1);
    saidOf(other, Optional.of(WHY));
    assertThat(gaveUp(after(40))).isFalse();
  }
}
