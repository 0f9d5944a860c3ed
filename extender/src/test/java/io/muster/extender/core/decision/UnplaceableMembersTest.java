package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.decision.filter.Filter;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that were stored without the webhook and ask for what no gang is placed on. */
final class UnplaceableMembersTest {

  private static final String PROBLEM = "gang \"ml/g\": nvidia.com/gpumem asks for memory";

  private final ClusterSimulation cluster = new ClusterSimulation(1);

  @BeforeEach
  void room() {
    for (int i = 0; i < 8; i++) {
      cluster.addNode(aNode("gpu-" + i).gpus(1).label("set", "gpu").build());
    }
    cluster.runUntil(Duration.ofSeconds(1));
  }

  private static PodBuilder member(int index) {
    return aPod("g-" + index).gpus(1).gang("g", 3).selecting("set", "gpu");
  }

  private static PodBuilder unplaceable(int index) {
    return member(index).unplaceable("f", "v", "nvidia.com/gpumem asks for memory");
  }

  @Test
  void aGangOfThemIsNeverPlacedAndSaysWhy() {
    for (int i = 0; i < 3; i++) {
      cluster.createUnseen(unplaceable(i).build());
    }
    cluster.runUntil(Duration.ofSeconds(60));

    waitsWithTheSentence();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void oneOfThemAmongTheNeededKeepsTheGangWaitingWhereverItComes(int position) {
    for (int i = 0; i < 3; i++) {
      cluster.createUnseen((i == position ? unplaceable(i) : member(i)).build());
    }
    cluster.runUntil(Duration.ofSeconds(60));

    waitsWithTheSentence();
  }

  /** No policy keeps what a pod says that was stored without the webhook. */
  @Test
  void theGangStartsOnceTheMemberSaysSomethingOfUse() {
    cluster.createUnseen(member(0).unusableGang("g", "f", "v", "no number").build());
    cluster.runUntil(Duration.ofSeconds(30));
    assertThat(cluster.boundOf("g")).isZero();

    cluster.store(member(0).gang("g", 1).build());
    cluster.runUntil(Duration.ofSeconds(90));
    assertThat(cluster.boundOf("g")).isEqualTo(1);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void theGangStartsOnceTheMemberAsksForWhatThereIs() {
    for (int i = 0; i < 3; i++) {
      cluster.createUnseen((i == 1 ? unplaceable(i) : member(i)).build());
    }
    cluster.runUntil(Duration.ofSeconds(30));
    assertThat(cluster.boundOf("g")).isZero();

    cluster.store(member(1).build());
    cluster.runUntil(Duration.ofMinutes(2));
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void theOthersStartWhereTheyAreEnough(int position) {
    for (int i = 0; i < 4; i++) {
      cluster.createUnseen((i == position ? unplaceable(i) : member(i)).build());
    }
    cluster.runUntil(Duration.ofSeconds(60));

    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(cluster.pods.get("uid-g-" + position).isBound()).isFalse();
    var nodes = List.of("gpu-0", "gpu-1", "gpu-2", "gpu-3", "gpu-4");
    assertThat(
            cluster.muster().filter(unplaceable(position).build(), nodes, cluster.now()).answer())
        .isEqualTo(new Answer.Refuse(Filter.INVALID));
    assertThat(cluster.faults).isEmpty();
  }

  private void waitsWithTheSentence() {
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.INVALID_TERMS);
    assertThat(cluster.report("g").message()).isEqualTo(PROBLEM);
    assertThat(cluster.explained)
        .extracting(effect -> ((Effect.Explain) effect).sentence())
        .contains("gang has not init, gangName: ml/g, podName: ml/g-0: " + PROBLEM);
    assertThat(cluster.faults).isEmpty();
  }
}
