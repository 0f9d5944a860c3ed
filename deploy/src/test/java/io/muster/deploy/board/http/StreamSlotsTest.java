package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StreamSlotsTest {

  private final StreamSlots slots = new StreamSlots(5, 2);

  @Test
  void nobodyHasMoreThanTheirsAndAllTogetherNoMoreThanThereAre() {
    assertThat(slots.tryAcquire("a")).isTrue();
    assertThat(slots.tryAcquire("a")).isTrue();
    assertThat(slots.tryAcquire("a")).isFalse();
    assertThat(slots.tryAcquire("b")).isTrue();
    assertThat(slots.tryAcquire("b")).isTrue();
    assertThat(slots.tryAcquire("c")).isTrue();
    assertThat(slots.tryAcquire("d")).as("the sixth").isFalse();
  }

  @Test
  void whatIsGivenBackCanBeHadAgain() {
    for (int i = 0; i < 100; i++) {
      assertThat(slots.tryAcquire("a")).isTrue();
      assertThat(slots.tryAcquire("a")).isTrue();
      assertThat(slots.tryAcquire("a")).isFalse();
      slots.release("a");
      slots.release("a");
    }
  }
}
