package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hundreds of gangs that only are looked at, while kube-scheduler asks about all pods. */
final class ManyShadowGangsTest extends ProtocolScenes {

  private static final int NODES = 2_400;

  /** As many as walk over so many nodes in half a second. */
  private static final int A_TICK = 4;

  @BeforeEach
  void aLargeClusterInShadow() {
    muster.on(new Event.NamespaceSeen("ml", Enrolment.SHADOW), now);
    for (int i = 0; i < NODES; i++) {
      muster.on(new Event.NodeSeen(aNode("n" + i).gpus(1).build()), now);
    }
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    muster.on(new Event.Ready(), now);
  }

  private void gang(String name) {
    for (int i = 0; i < 2; i++) {
      // No node has so many.
      muster.on(new Event.PodSeen(member(name, i, 2).gpus(8).build()), now);
    }
  }

  private List<Effect.WriteReport> tick() {
    now = now.plusMillis(500);
    return withoutFaults(muster.on(new Event.Tick(), now)).stream()
        .filter(Effect.WriteReport.class::isInstance)
        .map(Effect.WriteReport.class::cast)
        .toList();
  }

  @Test
  void aFewArePlannedAtATimeAndEachHasItsTurn() {
    for (int i = 0; i < 100; i++) {
      gang("g-" + i);
    }
    Set<String> told = new HashSet<>();
    for (int i = 0; i < 100 / A_TICK; i++) {
      // They are due again after five seconds wherever room has come or gone.
      muster.on(new Event.NodeSeen(aNode("m" + i).gpus(1).build()), now);
      var reports = tick();
      assertThat(reports).hasSizeBetween(1, A_TICK);
      reports.forEach(report -> told.add(report.gang().gang().name()));
    }
    assertThat(told).hasSize(100);
  }
}
