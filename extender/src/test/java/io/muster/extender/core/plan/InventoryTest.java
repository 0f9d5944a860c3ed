package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Resources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class InventoryTest {

  private static final Resources ONE = new Resources(0, 0, Map.of("nvidia.com/gpu", 1L));

  private final Inventory inventory = new Inventory();

  private long free(String node) {
    return inventory.room(node).orElseThrow().free("nvidia.com/gpu");
  }

  @Test
  void reservesOnlyWhereThereIsRoom() {
    inventory.seen(aNode("n").gpus(1).build());
    assertThat(inventory.reserve("a", "n", ONE)).isTrue();
    assertThat(inventory.reserve("b", "n", ONE)).isFalse();
    assertThat(inventory.reserve("a", "n", ONE)).as("its own room is free to it").isTrue();
    assertThat(inventory.reserve("a", "unknown", ONE)).isFalse();
  }

  @Test
  void isAsItWasAfterAQuestionAboutHoldersThatGo() {
    inventory.seen(aNode("n").gpus(1).build());
    inventory.occupy("a", "n", ONE);
    long generation = inventory.generation();

    assertThat(inventory.asIfGone(List.of("a", "unknown"), () -> free("n"))).isEqualTo(1);

    assertThat(free("n")).isZero();
    assertThat(inventory.nodeOf("a")).contains("n");
    assertThat(inventory.totals().freeDevices()).isZero();
    assertThat(inventory.generation()).isEqualTo(generation);
  }

  @Test
  void severalHoldersMayBeTakenToHaveLeftOneNode() {
    inventory.seen(aNode("n").gpus(3).build());
    inventory.occupy("a", "n", ONE);
    inventory.occupy("b", "n", ONE);
    inventory.occupy("c", "n", ONE);
    assertThat(inventory.asIfGone(List.of("a", "b"), () -> free("n"))).isEqualTo(2);
    assertThat(free("n")).isZero();
  }

  @Test
  void countsAHolderOnceWhereverItMoves() {
    inventory.seen(aNode("n").gpus(2).build());
    inventory.seen(aNode("m").gpus(2).build());
    inventory.occupy("a", "n", ONE);
    inventory.occupy("a", "n", ONE);
    inventory.occupy("a", "m", ONE);
    assertThat(free("n")).isEqualTo(2);
    assertThat(free("m")).isEqualTo(1);
    assertThat(inventory.release("a")).isTrue();
    assertThat(inventory.release("a")).isFalse();
    assertThat(free("m")).isEqualTo(2);
  }

  @Test
  void remembersWhoIsOnANodeThatIsNotKnownYet() {
    inventory.occupy("a", "late", ONE);
    inventory.seen(aNode("late").gpus(2).build());
    assertThat(free("late")).isEqualTo(1);
  }

  @Test
  void remembersWhoIsOnANodeThatWentAndCameBack() {
    inventory.seen(aNode("n").gpus(2).build());
    inventory.occupy("a", "n", ONE);
    inventory.gone("n");
    assertThat(inventory.room("n")).isEmpty();
    inventory.seen(aNode("n").gpus(2).build());
    assertThat(free("n")).isEqualTo(1);
    inventory.release("a");
    assertThat(free("n")).isEqualTo(2);
  }

  @Test
  void keepsCountingWhatANodeCanNoLongerOffer() {
    inventory.seen(aNode("n").gpus(2).build());
    inventory.occupy("a", "n", ONE);
    inventory.occupy("b", "n", ONE);
    inventory.seen(aNode("n").gpus(1).build());
    assertThat(free("n")).isEqualTo(-1);
    assertThat(inventory.reserve("c", "n", ONE)).isFalse();
  }

  @Test
  void forgetsAPortWhenItsHolderGoes() {
    inventory.seen(aNode("n").gpus(2).build());
    var withPort = aPod("p").hostPort("TCP", "", 8080).build().demand().requests();
    assertThat(inventory.reserve("a", "n", withPort)).isTrue();
    assertThat(inventory.reserve("b", "n", withPort)).isFalse();
    inventory.release("a");
    assertThat(inventory.reserve("b", "n", withPort)).isTrue();
  }

  @Test
  void countsAPortTwiceThatTwoPodsWereGivenByForce() {
    inventory.seen(aNode("n").gpus(2).build());
    var withPort = aPod("p").hostPort("TCP", "", 8080).build().demand().requests();
    inventory.occupy("a", "n", withPort);
    inventory.occupy("b", "n", withPort);
    inventory.release("a");
    assertThat(inventory.reserve("c", "n", withPort)).isFalse();
  }

  /** A pod may ask for as many as fit into it, and each change of a node is held against each. */
  @Test
  void aNameThatNoNodeOffersCostsThemNothing() {
    inventory.seen(aNode("n").gpus(1).build());
    inventory.occupy("odd", "n", new Resources(0, 0, Map.of("example.com/odd", 3L)));
    assertThat(inventory.snapshot().grid().units("example.com/odd")).isEmpty();
    assertThat(inventory.snapshot().grid().units("nvidia.com/gpu")).containsExactly(1);
  }
}
