package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What queues have, borrow, lend and are asked for. */
final class QueueStandingsTest {

  private final GangScheduler muster =
      new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));

  private void on(Event event) {
    muster.on(event, Instant.EPOCH);
  }

  private static Queue queue(String name, long own, long limit) {
    return new Queue(
        name,
        1,
        Optional.of(own),
        Optional.of(limit),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of());
  }

  private void runs(String name, String queue, int gpus) {
    on(new Event.PodSeen(aPod("ml", name).gpus(gpus).queue(queue).on("n0").build()));
  }

  @Test
  void whatOneBorrowsOthersLendAndThePartsAddUp() {
    on(new Event.NodeSeen(aNode("n0").gpus(32).build()));
    on(
        new Event.QueuesSet(
            new Queues(List.of(queue("a", 4, 20), queue("b", 8, 8), queue("c", 16, 16)))));
    on(new Event.LeaseHeld(Instant.MAX, false));
    on(new Event.Ready());
    runs("one", "a", 11);
    runs("two", "b", 2);
    for (int i = 0; i < 2; i++) {
      on(
          new Event.PodSeen(
              aPod("ml", "g-" + i)
                  .gpus(40)
                  .gang("g", 2)
                  .queue("c")
                  .createdAt(Instant.EPOCH)
                  .build()));
    }

    // a borrows 7; b has 6 and c has 16 that are idle.
    assertThat(muster.placementQueries().queues())
        .containsExactly(
            new QueueStanding("a", Optional.of(4L), Optional.of(20L), 11, 7, 0, 0, 0),
            new QueueStanding("b", Optional.of(8L), Optional.of(8L), 2, 0, 2, 0, 0),
            new QueueStanding("c", Optional.of(16L), Optional.of(16L), 0, 0, 5, 80, 1),
            new QueueStanding("default", Optional.empty(), Optional.empty(), 0, 0, 0, 0, 0));
    assertThat(muster.usage(Instant.EPOCH).queues()).isEqualTo(muster.placementQueries().queues());
  }

  @Test
  void withoutAnyQueueNothingIsMeasured() {
    on(new Event.LeaseHeld(Instant.MAX, false));
    on(new Event.Ready());
    assertThat(muster.usage(Instant.EPOCH).queues()).isEmpty();
  }
}
