package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pods of one gang that are made anew one after the other, and name another queue then. */
final class NamedAnewTest extends QueuedGangScenes {

  private void member(String name, String queue) {
    gang(name, 1, pod -> pod.gang("g", 2).queue(queue));
  }

  private void queues() {
    configure(
        queue("small", Optional.empty(), Optional.of(8L), "*"),
        queue("big", Optional.empty(), Optional.of(64L), "*"));
    nodes(4);
  }

  @Test
  void aGangThatWaitsIsInTheQueueThatItsPodsName() {
    queues();
    member("a", "nosuch");
    member("b", "nosuch");
    after(10);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.UNKNOWN_QUEUE);
    cluster.delete("uid-a-0");
    member("c", "big");
    after(10);
    cluster.delete("uid-b-0");
    member("d", "big");
    after(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  @Test
  void itIsSaidThatMembersNameDifferentOnes() {
    queues();
    member("a", "small");
    after(1);
    member("b", "big");
    after(10);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "queue \"small\" may hold 8 devices, holds 0, and 16 more are needed; a member names"
                + " queue \"big\", and \"small\" holds, which was named first");
    assertThat(cluster.report("g").remedy())
        .isEqualTo(
            "make the gang smaller, or raise the limit of the queue; or delete the pods that name"
                + " queue \"small\", so that \"big\" holds");
  }

  @Test
  void theOldestPodThatNamesOneDecidesWhoeverIsMadeAgain() {
    queues();
    member("a", "small");
    after(1);
    member("b", "big");
    after(10);
    member("again", "small");
    cluster.delete("uid-a-0");
    after(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  @Test
  void aGangThatRunsStaysInItsQueue() {
    queues();
    member("a", "big");
    member("b", "big");
    after(10);
    member("c", "small");
    after(10);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
  }
}
