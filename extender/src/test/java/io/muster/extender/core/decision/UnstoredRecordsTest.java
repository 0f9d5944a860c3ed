package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A gang whose object cannot be written, as while the definition of Gangs is missing. */
final class UnstoredRecordsTest {

  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");
  private static final Instant NOW = Instant.EPOCH;

  private final GangScheduler muster =
      new GangScheduler(
          Deadlines.DEFAULT, new Rules(PlacementMode.NATIVE, NodePinPolicy.NEVER, Waiting.DEFAULT));

  private List<Effect> on(Event event) {
    return ProtocolScenes.withoutFaults(muster.on(event, NOW));
  }

  @Test
  void itsMembersSayWhyItDoesNotStart() {
    for (int i = 0; i < 2; i++) {
      on(new Event.NodeSeen(aNode("n" + i).gpus(1).build()));
    }
    on(new Event.LeaseHeld(Instant.MAX, false));
    on(new Event.Ready());
    for (int i = 0; i < 2; i++) {
      on(
          new Event.PodSeen(
              aPod("ml", "g-" + i).gpus(1).gang("g", 2).grouped().ownedBy("job").gated().build()));
    }
    var record =
        on(new Event.CompanionsEnsured(G, 1, Optional.empty())).stream()
            .filter(Effect.WriteRecord.class::isInstance)
            .map(Effect.WriteRecord.class::cast)
            .findFirst()
            .orElseThrow()
            .gang();
    assertThat(on(new Event.RecordWritten(G, record.epoch(), false)))
        .filteredOn(Effect.Warn.class::isInstance)
        .extracting(effect -> ((Effect.Warn) effect).pod().name())
        .containsExactlyInAnyOrder("g-0", "g-1");
  }
}
