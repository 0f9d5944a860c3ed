package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.state.Observed.Refusal;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How long pods that the API server refuses are not tried again. */
final class JobMemoryTest {

  private static final Instant NOW = Instant.EPOCH;

  private final JobMemory memory = new JobMemory();

  private Duration pauseAt(Instant at) {
    return Duration.between(at, memory.refusal().map(Refusal::until).orElseThrow());
  }

  @Test
  void eightPodsThatAreRefusedAtOnceWaitAsOneWould() {
    memory.refused("w-0", "quota", NOW);
    var one = pauseAt(NOW);
    for (int i = 1; i < 8; i++) {
      memory.refused("w-" + i, "quota", NOW);
    }

    assertThat(pauseAt(NOW)).isEqualTo(one);
  }

  @Test
  void eachTryThatIsRefusedDoublesThePauseAndOneThatIsTakenEndsIt() {
    memory.refused("w-0", "quota", NOW);
    var first = pauseAt(NOW);
    var later = NOW.plus(first);
    memory.refused("w-0", "quota", later);
    assertThat(pauseAt(later)).isEqualTo(first.multipliedBy(2));

    memory.allowed("w-0");
    memory.refused("w-0", "quota", later);

    assertThat(pauseAt(later)).isEqualTo(first);
  }
}
