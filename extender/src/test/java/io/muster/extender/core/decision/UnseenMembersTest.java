package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** A member is bound, as its Binding has said, and no watch shows it on its node yet. */
final class UnseenMembersTest extends ProtocolScenes {

  private final Pod first = member("low", 0, 2).ownedBy("job").build();
  private final Pod bare = member("low", 1, 2).bare().build();

  /** A gang of higher priority waits. */
  @Test
  void nobodyEndsOfAGangOneOfWhichNobodyWouldMakeAnew() {
    nodes("n0", "n1");
    lead(false);
    seen(first);
    seen(bare);
    var node = placeOf(first, "n0", "n1");
    var other = node.equals("n0") ? "n1" : "n0";
    bind(1, first, node);
    var record = record(bind(2, bare, other)).gang();
    seen(aPod("high-0").gpus(1).gang("high", 1).priority(100).build());
    on(new Event.RecordWritten(record, 1, true));
    on(new Event.BindingEnded(record, first.key(), node, new BindingOutcome.Bound()));
    seen(member("low", 0, 2).ownedBy("job").on(node).build());
    after(1);
    var bound = new Event.BindingEnded(record, bare.key(), other, new BindingOutcome.Bound());
    var told = new ArrayList<>(on(bound));
    told.addAll(after(20));
    assertThat(told).noneMatch(Effect.Evict.class::isInstance);
  }
}
