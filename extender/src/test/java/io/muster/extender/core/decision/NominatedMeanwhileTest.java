package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Two gangs ask for the same and do not fit; then a node is nominated that one of them may have.
 */
final class NominatedMeanwhileTest extends ProtocolScenes {

  private static final Duration AGEING = Duration.ofHours(1);

  NominatedMeanwhileTest() {
    super(
        new Rules(
            PlacementMode.AFFINITY,
            NodePinPolicy.ALWAYS,
            new Waiting(
                Duration.ofHours(12),
                Duration.ofHours(24),
                AGEING,
                Duration.ofSeconds(15),
                Duration.ofMinutes(10),
                false)));
  }

  private List<Effect> gang(String name, int priority) {
    var told = new ArrayList<Effect>();
    for (int i = 0; i < 2; i++) {
      var pod = aPod(name + "-" + i).gpus(1).gang(name, 2).gated().priority(priority);
      told.addAll(seen(pod.createdAt(now).build()));
    }
    told.addAll(after(15));
    return told;
  }

  private static List<String> recorded(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.WriteRecord.class::isInstance)
        .map(effect -> ((Effect.WriteRecord) effect).gang().gang().name())
        .toList();
  }

  @Test
  void theOneOfHigherPriorityIsTriedThoughTheOlderGoesFirstByAge() {
    nodes("n0", "n1");
    lead(false);
    var busy = List.of(aPod("b0").gpus(1).on("n0").build(), aPod("b1").gpus(1).on("n1").build());
    busy.forEach(this::seen);
    assertThat(recorded(gang("old", 0))).isEmpty();
    now = now.plus(AGEING);
    assertThat(recorded(gang("higher", 6))).isEmpty();
    seen(aPod("single").gpus(1).priority(5).nominated("n0").build());

    var told = new ArrayList<Effect>();
    busy.forEach(pod -> told.addAll(on(new Event.PodGone(pod.key()))));
    told.addAll(after(60));

    assertThat(recorded(told)).containsExactly("higher");
  }
}
