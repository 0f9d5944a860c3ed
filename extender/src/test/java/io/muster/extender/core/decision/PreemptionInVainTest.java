package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.DURATION;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** A gang that others end for again and again, and that never comes to its places. */
final class PreemptionInVainTest extends ProtocolScenes {

  private static final GangId GANG =
      aPod("high-0").gang("high", 1).build().membership().orElseThrow().gang();

  private int lives;
  private Pod low;

  /** Its owner makes it anew at once, and kube-scheduler takes it wherever it may go. */
  private void lowComes() {
    low = aPod("low").uid("low-" + lives++).gpus(1).createdAt(now).build();
    seen(low);
  }

  private void lowStartsIfItMay() {
    if (!low.isBound() && ask(low, "n0") instanceof Answer.Accept) {
      bind(lives, low, "n0");
      on(new Event.BindingEnded(GANG, low.key(), "n0", new BindingOutcome.Bound()));
      low = aPod("low").uid(low.key().uid()).gpus(1).createdAt(now).on("n0").build();
      seen(low);
    }
  }

  @Test
  void othersEndForItMoreAndMoreRarely() {
    on(new Event.NodeSeen(aNode("n0").gpus(1).build()));
    lead(false);
    lowComes();
    lowStartsIfItMay();
    seen(aPod("high-0").gpus(1).gang("high", 1).priority(100).build());
    var ended = new ArrayList<Instant>();
    for (int i = 0; i < 2000; i++) {
      var told = after(5);
      if (told.stream().anyMatch(Effect.Evict.class::isInstance)) {
        ended.add(now);
        on(new Event.PodGone(low.key()));
        lowComes();
      }
      lowStartsIfItMay();
    }
    var pauses = new ArrayList<Duration>();
    for (int i = 2; i < ended.size(); i++) {
      pauses.add(Duration.between(ended.get(i - 1), ended.get(i)));
    }
    assertThat(pauses).isSorted().first().asInstanceOf(DURATION).isLessThan(Duration.ofMinutes(2));
    assertThat(pauses.getLast()).isBetween(Duration.ofHours(1), Duration.ofMinutes(62));
  }
}
