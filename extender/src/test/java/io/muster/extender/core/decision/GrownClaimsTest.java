package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Queues;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A claim that is deleted and made again larger, while the gang of its pod has its places. */
final class GrownClaimsTest extends ProtocolScenes {

  private static Pod asking(int index, long gpus) {
    return aPod("g-" + index).gpus(gpus).gang("g", 2).queue("q").build();
  }

  private void aQueueOfTwoDevicesAndNodesOfEight() {
    on(
        new Event.QueuesSet(
            new Queues(
                List.of(QueuedGangScenes.queue("q", Optional.empty(), Optional.of(2L), "ml")))));
    on(new Event.NodeSeen(aNode("n0").gpus(8).build()));
    on(new Event.NodeSeen(aNode("n1").gpus(8).build()));
    lead(false);
  }

  @Test
  void aGangThatHasItsPlacesDoesNotPassTheLimitOfItsQueue() {
    aQueueOfTwoDevicesAndNodesOfEight();
    seen(asking(0, 1));
    seen(asking(1, 1));
    placeOf(asking(0, 1), "n0", "n1");
    seen(asking(0, 4));
    seen(asking(1, 4));
    var effects = new ArrayList<Effect>();
    var bound = List.of(asking(0, 4), asking(1, 4));
    for (int i = 0; i < 2; i++) {
      var answer = ask(bound.get(i), "n0", "n1");
      if (answer instanceof Answer.Accept accept) {
        effects.addAll(bind(i, bound.get(i), accept.nodes().getFirst()));
      }
    }
    effects.addAll(after(2));
    assertThat(effects).as("eight of two devices").noneMatch(Effect.WriteRecord.class::isInstance);
  }
}
