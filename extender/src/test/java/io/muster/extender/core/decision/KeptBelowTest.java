package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Event;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a pod without a gang may count upon on a node beside what is free there. */
final class KeptBelowTest extends QueuedGangScenes {

  private static PodBuilder single(int priority) {
    return aPod("ml", "single").gpus(1).priority(priority);
  }

  /** It takes what comes free there, in kube-scheduler's eyes for nobody. */
  @Test
  void nobodyIsPreemptedWhereAGangThatComesFirstHasABackfillReservation() {
    cluster.addNode(aNode("n0").gpus(2).build());
    cluster.create(aPod("ml", "low-0").gpus(1).priority(1).bare().on("n0").build());
    cluster.create(aPod("ml", "low-1").gpus(1).priority(1).bare().on("n0").build());
    gang("first", 2, pod -> pod.gpus(1).priority(10));
    after(400);
    var muster = cluster.muster();
    assertThat(muster.cluster().backfillHolds().gangs()).hasSize(1);

    var victims = Map.of("n0", Set.of("uid-low-0"));
    assertThat(muster.preemptable(single(5).build(), victims)).isEmpty();
    assertThat(muster.preemptable(single(11).build(), victims)).containsExactly("n0");
  }

  /** kube-scheduler has preempted others there for it; elsewhere a queue keeps its own. */
  @Test
  void whatAGangOfAnotherQueueWaitsForIsThePodsWhereItIsNominatedAlone() {
    configure(
        queue("a", Optional.empty(), Optional.empty()),
        queue("b", Optional.empty(), Optional.empty()));
    cluster.addNode(aNode("n0").gpus(2).build());
    cluster.create(aPod("ml", "low-0").gpus(1).priority(1).bare().on("n0").build());
    cluster.create(aPod("ml", "low-1").gpus(1).priority(1).bare().on("n0").build());
    gang("first", 2, pod -> pod.gpus(1).priority(10).queue("a"));
    after(400);
    cluster.complete("uid-low-0");
    after(5);
    assertThat(cluster.muster().cluster().backfillHolds().devices()).isEqualTo(1);

    cluster.create(single(11).uid("elsewhere").queue("b").build());
    after(20);
    assertThat(cluster.pods.get("elsewhere").isBound()).isFalse();
    cluster.delete("elsewhere");
    cluster.create(single(11).uid("nominated").queue("b").nominated("n0").build());
    after(20);
    assertThat(cluster.pods.get("nominated").isBound()).isTrue();
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatEndsIsItsQueuesUntilItIsGone() {
    configure(queue("a", Optional.empty(), Optional.of(2L)));
    cluster.addNode(aNode("n0").gpus(3).build());
    for (var name : List.of("low-0", "low-1")) {
      cluster.create(aPod("ml", name).gpus(1).priority(1).queue("a").on("n0").build());
    }
    after(5);
    var muster = cluster.muster();
    var ending = aPod("ml", "low-0").gpus(1).priority(1).queue("a").on("n0").deleting().build();
    muster.on(new Event.PodSeen(ending), cluster.now());
    var pod = single(5).queue("a").nominated("n0").build();
    assertThat(muster.filter(pod, List.of("n0"), cluster.now()).answer())
        .isInstanceOf(Answer.Refuse.class);

    muster.on(new Event.PodGone(ending.key()), cluster.now());
    assertThat(muster.filter(pod, List.of("n0"), cluster.now()).answer())
        .isInstanceOf(Answer.Accept.class);
  }
}
