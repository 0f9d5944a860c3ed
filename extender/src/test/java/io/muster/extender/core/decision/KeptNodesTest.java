package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes of a domain that stay free for members that are lost. */
final class KeptNodesTest extends ProtocolScenes {

  @Test
  void areForReplacementsAndNotForMembersBeyondTheMinimum() {
    on(new Event.LevelsSet(new Levels(List.of(new Levels.Level("rack", "rack", 1)), false)));
    for (var name : List.of("n0", "n1", "n2")) {
      on(new Event.NodeSeen(aNode(name).gpus(1).label("rack", "r").build()));
    }
    var first = member("g", 0, 2).on("n0").placedBy(1).build();
    seen(first);
    seen(member("g", 1, 2).on("n1").placedBy(1).build());
    var extra = member("g", 2, 2).build();
    seen(extra);
    lead(false);
    assertThat(ask(extra, "n2")).as("two of two run").isInstanceOf(Answer.Refuse.class);

    on(new Event.PodGone(first.key()));
    seen(aPod("stranger").gpus(1).scheduler("another").on("n0").build());
    assertThat(ask(extra, "n2")).as("one of two runs").isInstanceOf(Answer.Accept.class);
  }
}
