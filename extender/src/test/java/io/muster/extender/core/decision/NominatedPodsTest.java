package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * kube-scheduler, which asks nobody, keeps a node for a pod without a gang: it waits there for one
 * that it has preempted.
 */
final class NominatedPodsTest extends ProtocolScenes {

  private static final int OF_THE_POD = 5;

  NominatedPodsTest() {
    super(new Rules(PlacementMode.AFFINITY, NodePinPolicy.ALWAYS, Waiting.DEFAULT));
  }

  private static PodBuilder single() {
    return aPod("single").gpus(1).priority(OF_THE_POD);
  }

  @BeforeEach
  void aNodeIsNominated() {
    nodes("n0", "n1");
    lead(false);
    seen(single().nominated("n0").build());
  }

  private List<Effect> gang(String name, int priority) {
    var told = new ArrayList<Effect>();
    for (int i = 0; i < 2; i++) {
      told.addAll(seen(gated(name, i, priority)));
    }
    told.addAll(after(1));
    return told;
  }

  private static Pod gated(String gang, int index, int priority) {
    return aPod(gang + "-" + index).gpus(1).gang(gang, 2).gated().priority(priority).build();
  }

  private static boolean isPlanned(List<Effect> effects) {
    return effects.stream().anyMatch(Effect.WriteRecord.class::isInstance);
  }

  @Test
  void aGangIsNotPlannedThere() {
    assertThat(isPlanned(gang("lower", OF_THE_POD - 1))).isFalse();
    assertThat(isPlanned(gang("equal", OF_THE_POD))).isFalse();
  }

  @Test
  void anotherThatDoesNotFitIsNoSignForAGangOfHigherPriority() {
    assertThat(isPlanned(gang("lower", OF_THE_POD - 1))).isFalse();
    assertThat(isPlanned(gang("higher", OF_THE_POD + 1))).isTrue();
  }

  /** kube-scheduler keeps it from the one whose priority is lower. */
  @Test
  void theLowestPriorityOfAGangDecides() {
    seen(gated("mixed", 0, OF_THE_POD + 1));
    seen(gated("mixed", 1, OF_THE_POD));
    assertThat(isPlanned(after(1))).isFalse();
  }

  @Test
  void aGangIsPlannedOnceThePodIsElsewhere() {
    nodes("n2");
    assertThat(isPlanned(gang("g", 0))).as("on the two others").isTrue();
    assertThat(isPlanned(gang("h", 0))).isFalse();

    seen(single().nominated("n3").build());
    assertThat(isPlanned(on(new Event.NodeSeen(aNode("n4").gpus(1).build()))))
        .as("on n0 and n4")
        .isTrue();
  }

  @Test
  void aGangIsPlannedOnceThePodHasGone() {
    assertThat(isPlanned(gang("g", 0))).isFalse();
    var told = on(new Event.PodGone(single().build().key()));
    told = new ArrayList<>(told);
    told.addAll(after(1));
    assertThat(isPlanned(told)).isTrue();
  }

  private String messageOf(String gang) {
    var told = new ArrayList<>(gang(gang, 0));
    told.addAll(after(10));
    return told.stream()
        .filter(Effect.WriteReport.class::isInstance)
        .map(effect -> ((Effect.WriteReport) effect).report().message())
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  @Test
  void aGangIsToldForWhomItIsKept() {
    seen(aPod("busy").gpus(1).on("n1").build());
    assertThat(messageOf("g"))
        .contains(
            "0 nvidia.com/gpu of the 2 needed are free",
            "; 1 node is kept for pod %s, nominated there by kube-scheduler"
                .formatted(single().build().key()));
  }

  @Test
  void theNumberOfNodesIsToldAndOnePod() {
    for (int i = 1; i < 40; i++) {
      nodes("n" + i);
      seen(aPod("single-" + i).gpus(1).priority(OF_THE_POD).nominated("n" + i).build());
    }
    assertThat(messageOf("g"))
        .contains(
            "; 40 nodes are kept for pod %s and others, nominated there"
                .formatted(single().build().key()));
  }

  @Test
  void aPodOfAnotherNamespaceIsNotNamed() {
    on(new Event.PodGone(single().build().key()));
    seen(aPod("other", "secret").gpus(1).priority(OF_THE_POD).nominated("n0").build());
    seen(aPod("busy").gpus(1).on("n1").build());
    assertThat(messageOf("g"))
        .contains("; 1 node is kept for a pod of another namespace, nominated there")
        .doesNotContain("secret");
  }

  @Test
  void whatIsKeptWhereNoMemberWouldFitIsNotTold() {
    seen(single().gpus(0).nominated("n0").build());
    seen(aPod("busy").gpus(1).on("n0").build());
    assertThat(messageOf("g")).doesNotContain("kept for");
  }

  @Test
  void whereThePodIsBoundNothingIsKeptBesideIt() {
    nodes("n2");
    seen(single().on("n0").nominated("n0").build());
    assertThat(isPlanned(gang("g", 0))).isTrue();
    seen(single().on("n0").phase(Pod.Phase.SUCCEEDED).build());
    nodes("n3");
    assertThat(isPlanned(gang("h", 0))).as("on n0 and n3").isTrue();
  }
}
