package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A gang of thousands, most of them beyond its minimum, whose members are in a PodGroup. */
final class ManyInPodGroupTest {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");
  private static final int MEMBERS = 5_000;
  private static final int LEAST = 10;
  private static final Instant NOW = Instant.EPOCH;

  private final GangScheduler muster =
      new GangScheduler(
          Deadlines.DEFAULT, new Rules(PlacementMode.NATIVE, NodePinPolicy.NEVER, Waiting.DEFAULT));

  private List<Effect> on(Event event) {
    return ProtocolScenes.withoutFaults(muster.on(event, NOW));
  }

  private static PodBuilder member(String name) {
    return aPod("ml", name).gpus(1).gang("g", LEAST).grouped().ownedBy("job");
  }

  /** All other gangs wait while members beyond the minimum are let go. */
  @Test
  void whenItStartsNobodyElseWaitsForLong() {
    for (int i = 0; i < LEAST; i++) {
      on(new Event.NodeSeen(aNode("n" + i).gpus(1).build()));
    }
    on(new Event.LeaseHeld(Instant.MAX, false));
    on(new Event.Ready());
    for (int i = 0; i < MEMBERS; i++) {
      on(new Event.PodSeen(member("g-" + i).gated().build()));
    }
    var record =
        on(new Event.CompanionsEnsured(G, 1, Optional.empty())).stream()
            .filter(Effect.WriteRecord.class::isInstance)
            .map(Effect.WriteRecord.class::cast)
            .findFirst()
            .orElseThrow()
            .gang();
    on(new Event.RecordWritten(G, record.epoch(), true));

    long before = THREADS.getCurrentThreadCpuTime();
    long letGo = 0;
    for (var place : record.placement().entrySet()) {
      var started = member(place.getValue().podName()).uid(place.getKey());
      letGo +=
          on(new Event.PodSeen(started.on(place.getValue().node()).build())).stream()
              .filter(Effect.Ungate.class::isInstance)
              .count();
    }
    var spent = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before);
    assertThat(letGo).isEqualTo(MEMBERS - LEAST);
    assertThat(spent).isLessThan(Duration.ofSeconds(1));
  }
}
