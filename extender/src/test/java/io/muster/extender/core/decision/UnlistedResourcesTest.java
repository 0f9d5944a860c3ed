package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.decision.filter.Filter;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.Event;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Nodes that do not list what a pod asks for, as those whose devices DRA offers. */
final class UnlistedResourcesTest extends ProtocolScenes {

  @Test
  void aPodWithoutAGangIsLeftToKubeSchedulerThere() {
    on(new Event.NodeSeen(aNode("bare").build()));
    nodes("n0");
    lead(false);
    var single = aPod("single").gpus(1).build();
    seen(single);
    assertThat(ask(single, "bare")).isEqualTo(new Answer.Accept(List.of("bare"), Filter.NO_ROOM));
    assertThat(bind(1, single, "bare")).hasAtLeastOneElementOfType(Effect.Bind.class);
  }

  @Test
  void whatItAsksForBesideIsKeptForGangsThereAllTheSame() {
    on(new Event.NodeSeen(aNode("bare").cpuMillis(2000).build()));
    lead(false);
    for (int i = 0; i < 2; i++) {
      seen(aPod("g-" + i).cpuMillis(1000).gang("g", 2).build());
    }
    var single = aPod("single").cpuMillis(1000).gpus(1).build();
    seen(single);
    assertThat(ask(single, "bare")).isEqualTo(new Answer.Refuse(Filter.NO_ROOM));
  }

  @Test
  void aMemberIsNotPlannedThere() {
    on(new Event.NodeSeen(aNode("bare").build()));
    lead(false);
    var gang = List.of(member("g", 0, 2).build(), member("g", 1, 2).build());
    gang.forEach(this::seen);
    assertThat(ask(gang.getFirst(), "bare")).isEqualTo(new Answer.Refuse(Filter.WAITS));
  }

  @Test
  void aFullNodeIsStillRefusedAtTheBindCall() {
    nodes("n0");
    lead(false);
    seen(aPod("before").gpus(1).on("n0").build());
    var single = aPod("single").gpus(1).build();
    seen(single);
    assertThat(bind(1, single, "n0")).contains(new AnswerBind(1, Optional.of(Filter.NO_ROOM)));
  }
}
