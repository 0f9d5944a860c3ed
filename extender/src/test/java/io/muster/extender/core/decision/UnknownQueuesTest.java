package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Queues;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods without a gang that name a queue. */
final class UnknownQueuesTest extends ProtocolScenes {

  @BeforeEach
  void aQueueOfOneDevice() {
    on(
        new Event.QueuesSet(
            new Queues(
                List.of(QueuedGangScenes.queue("q", Optional.empty(), Optional.of(1L), "ml")))));
    on(new Event.NodeSeen(aNode("n0").gpus(8).build()));
    lead(false);
  }

  @Test
  void aPodIsToldThatItMayNotBeInItsQueue() {
    var pod = aPod("alone").gpus(1).queue("typo").build();
    seen(pod);
    assertThat(ask(pod, "n0"))
        .isEqualTo(new Answer.Refuse("muster: the pod may not be in the queue that it names"));
  }

  @Test
  void aPodIsToldThatItsQueueIsFull() {
    var pod = aPod("alone").gpus(2).queue("q").build();
    seen(pod);
    assertThat(ask(pod, "n0"))
        .isEqualTo(new Answer.Refuse("muster: the queue has no devices left"));
  }
}
