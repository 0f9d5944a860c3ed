package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Members whose nodes are lost after their release, while there is room elsewhere. */
final class StrandedMembersTest extends ProtocolScenes {

  private static Pod released(PodBuilder pod, String... nodes) {
    return PodBuilder.tied(pod.build(), new NodePin("7", List.of(nodes)));
  }

  private final Pod second = released(member("g", 1, 2), "n1");

  private void beside(PodBuilder first) {
    nodes(FOUR);
    seen(released(first, "gone"));
    seen(second);
    lead(false);
  }

  private static List<Effect.Remake> remade(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Remake.class::isInstance)
        .map(Effect.Remake.class::cast)
        .toList();
  }

  @Test
  void areMadeAnewByTheirOwnerAfterAMinute() {
    beside(member("g", 0, 2));

    assertThat(remade(after(59))).isEmpty();
    assertThat(remade(after(12))).extracting(effect -> effect.pod().name()).containsExactly("g-0");
  }

  /** It would be given places with members that are about to go. */
  @Test
  void whileTheyEndTheirGangIsNotPlaced() {
    beside(member("g", 0, 2));
    while (remade(after(1)).isEmpty()) {
      assertThat(now).isBefore(Instant.EPOCH.plusSeconds(90));
    }
    on(new Event.NodeSeen(aNode("gone").gpus(1).build()));

    assertThat(ask(second, "n1")).isInstanceOf(Answer.Refuse.class);
    after(11);
    assertThat(ask(second, "n1")).isInstanceOf(Answer.Accept.class);
  }

  /** Nothing ends, so there is nothing to wait for. */
  @Test
  void thatNobodyMakesAnewStayAndAreServedWhenTheirNodeIsBack() {
    beside(member("g", 0, 2).bare());

    assertThat(remade(after(200))).isEmpty();
    on(new Event.NodeSeen(aNode("gone").gpus(1).build()));
    assertThat(ask(second, "n1")).isInstanceOf(Answer.Accept.class);
  }
}
