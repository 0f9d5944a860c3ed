package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Gangs whose members an earlier life of Muster released, and of which nothing is recorded. */
final class ReleasedBeforeTest extends ProtocolScenes {

  private static Pod released(String gang, int index, String... nodes) {
    return PodBuilder.tied(member(gang, index, 2).build(), new NodePin("7", List.of(nodes)));
  }

  /** Planned anew one after the other, the first would take what the second was released to. */
  @Test
  void getTheirPlacesBackBeforeAnythingIsPlanned() {
    nodes(FOUR);
    var a =
        List.of(released("a", 0, "n2", "n0", "n1", "n3"), released("a", 1, "n3", "n0", "n1", "n2"));
    var b = List.of(released("b", 0, "n0"), released("b", 1, "n1"));
    a.forEach(this::seen);
    b.forEach(this::seen);
    lead(false);

    assertThat(placeOf(a.getFirst(), FOUR)).isEqualTo("n2");
    assertThat(placeOf(a.getLast(), FOUR)).isEqualTo("n3");
    assertThat(placeOf(b.getFirst(), "n0")).isEqualTo("n0");
    assertThat(placeOf(b.getLast(), "n1")).isEqualTo("n1");
  }

  @Test
  void whoWasNotReleasedYetIsPlannedBesideThem() {
    nodes(FOUR);
    var first = released("a", 0, "n3", "n0", "n1");
    seen(first);
    seen(member("a", 1, 2).gated().build());
    lead(false);

    assertThat(placeOf(first, "n0", "n1", "n3")).isEqualTo("n3");
  }

  @Test
  void keepNothingWhereOneOfThemCannotHaveItsPlaceBack() {
    nodes("n0");
    seen(released("a", 0, "n0"));
    seen(released("a", 1, "gone"));
    lead(false);

    assertThat(ask(PodBuilder.aPod("alone").gpus(1).build(), "n0"))
        .isInstanceOf(Answer.Accept.class);
  }

  @Test
  void areDrawnAsAWholeToOtherNodesWhereOneIsTaken() {
    nodes(FOUR);
    on(new Event.PodSeen(PodBuilder.aPod("alone").gpus(1).on("n2").build()));
    var a = List.of(released("a", 0, "n2", "n0"), released("a", 1, "n3", "n1"));
    a.forEach(this::seen);
    lead(false);

    assertThat(placeOf(a.getFirst(), "n2", "n0")).isEqualTo("n0");
    assertThat(ask(a.getLast(), "n3", "n1")).isInstanceOf(Answer.Accept.class);
  }
}
