package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.protocol.Effect.Evict;
import io.muster.extender.core.protocol.Event;
import org.junit.jupiter.api.Test;

/** A gang behind many for which nobody could end, on many nodes of which few hold anyone. */
final class PreemptionTurnsTest extends ProtocolScenes {

  private static final int NODES = 1_200;
  private static final int HOPELESS = 150;

  @Test
  void itHasItsTurnSoonWhereFewMayEnd() {
    for (int node = 0; node < NODES; node++) {
      on(new Event.NodeSeen(aNode("n" + node).gpus(1).build()));
      var pod = aPod("full-" + node).gpus(1).on("n" + node);
      seen(
          node == 0
              ? pod.gang("low", 1).priority(1).placedBy(1).build()
              : pod.priority(999).build());
    }
    lead(false);
    for (int gang = 0; gang < HOPELESS; gang++) {
      var terms = terms("h" + gang, 1).topology(Topology.requiring("spine")).build();
      seen(
          aPod("h" + gang + "-0")
              .gpus(1)
              .gang("h" + gang, terms, "")
              .priority(200)
              .gated()
              .build());
    }
    seen(aPod("high-0").gpus(1).gang("high", 1).priority(100).gated().build());
    int seconds = 0;
    while (seconds < HOPELESS && after(1).stream().noneMatch(Evict.class::isInstance)) {
      seconds++;
    }
    assertThat(seconds).isLessThan(HOPELESS / 5);
  }
}
