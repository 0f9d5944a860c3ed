package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import org.junit.jupiter.api.Test;

/** What is said of a gang that has too few members. */
final class AbsentMembersTest extends ProtocolScenes {

  @Test
  void aMemberThatIsHeldWhileItIsDeletedIsNamed() {
    on(new Event.NodeSeen(aNode("n0").gpus(4).build()));
    lead(false);
    seen(member("g", 0, 3).gated().build());
    seen(member("g", 1, 3).gated().deleting().build());
    assertThat(report().message()).isEqualTo("1 of 3 members exist; g-1 is being deleted");
    assertThat(report().remedy())
        .startsWith(
            "see metadata.finalizers of pod g-1: while one is there the pod stays, and no other can"
                + " have its name; else see the events of the owner of the pods: ");

    seen(member("g", 2, 3).gated().deleting().build());
    assertThat(report().message())
        .isEqualTo("1 of 3 members exist; g-1 and 1 more are being deleted");
    on(new Event.PodGone(member("g", 1, 3).build().key()));
    on(new Event.PodGone(member("g", 2, 3).build().key()));
    assertThat(report().message()).isEqualTo("1 of 3 members exist");
    assertThat(report().remedy()).startsWith("see the events of the owner of the pods");
  }

  private GangReport last;

  private GangReport report() {
    after(10).stream()
        .filter(Effect.WriteReport.class::isInstance)
        .map(effect -> ((Effect.WriteReport) effect).report())
        .forEach(report -> last = report);
    assertThat(last.reason()).isEqualTo(Reason.MEMBERS_MISSING);
    return last;
  }
}
