package io.muster.controller.kinds.di.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class GpuSplitTest {

  private static final List<Integer> EIGHT = List.of(8, 8, 4);

  @Test
  void onePodHasAllThatFitsIntoTheUsualNode() {
    assertThat(GpuSplit.usual(1, EIGHT)).containsExactly(1);
    assertThat(GpuSplit.usual(2, EIGHT)).containsExactly(2);
    assertThat(GpuSplit.usual(8, EIGHT)).containsExactly(8);
  }

  @Test
  void moreGoesToSeveralPodsAndTheRestToTheLast() {
    assertThat(GpuSplit.usual(10, EIGHT)).containsExactly(8, 2);
    assertThat(GpuSplit.usual(12, EIGHT)).containsExactly(8, 4);
    assertThat(GpuSplit.usual(16, EIGHT)).containsExactly(8, 8);
    assertThat(GpuSplit.usual(16, List.of(10))).containsExactly(10, 6);
  }

  @Test
  void theLargerOfTwoFrequentNodesCounts() {
    assertThat(GpuSplit.usual(12, List.of(4, 8, 4, 8))).containsExactly(8, 4);
  }

  @Test
  void theLargestNodeCountsWhereMostHaveNone() {
    assertThat(GpuSplit.usual(6, List.of(0, 0, 0, 4, 2))).containsExactly(4, 2);
  }

  @Test
  void withoutAnyGpuThePodWaitsForOneNodeWithAll() {
    assertThat(GpuSplit.usual(6, List.of(0, 0))).containsExactly(6);
    assertThat(GpuSplit.usual(6, List.of())).containsExactly(6);
  }
}
