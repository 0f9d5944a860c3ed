package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.Observed.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How long pods that the API server refuses are not tried again. */
final class JobMemoryTest {

  private static final Instant NOW = Instant.EPOCH;

  private final JobMemory memory = new JobMemory();

  private Duration pauseAt(Instant at) {
    return Duration.between(at, memory.refusals().getFirst().until());
  }

  private static Action.Create create(String pod, Optional<String> resize) {
    return new Action.Create("worker", 0, pod, 1, resize, 0, 0);
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

    memory.allowed(create("w-0", Optional.empty()));
    memory.refused("w-0", "quota", later);

    assertThat(pauseAt(later)).isEqualTo(first);
  }

  @Test
  void aClockThatIsSetBackMakesNoPauseLonger() {
    for (int i = 0; i < 8; i++) {
      memory.refused("w-0", "quota", NOW.plus(Duration.ofMinutes(5).multipliedBy(i)));
    }
    var last = memory.refusals().getFirst().until();

    memory.beginsAt(last.minus(Duration.ofMinutes(4)));
    assertThat(memory.refusals()).as("a pause that lasts").hasSize(1);
    memory.beginsAt(last.minus(Duration.ofHours(1)));

    assertThat(memory.refusals()).isEmpty();
  }

  /** Its user has made room, say, and asks again. */
  @Test
  void whatWasRefusedForAScaleOutKeepsNoOtherWaiting() {
    var first = create("w-2", Optional.of("ScaleOut:ml/a"));
    var later = NOW;
    for (int i = 0; i < 8; i++) {
      memory.refused(first, "quota", later);
      later = memory.refusals().getFirst().until();
    }
    memory.refused("w-0", "another", later);
    memory.decided(Optional.of("ScaleOut:ml/a"));
    assertThat(memory.refusals()).extracting(Refusal::pod).containsExactly("w-0", "w-2");

    memory.decided(Optional.of("ScaleOut:ml/b"));

    assertThat(memory.refusals()).extracting(Refusal::pod).containsExactly("w-0");
    var next = create("w-2", Optional.of("ScaleOut:ml/b"));
    memory.refused(next, "quota", later);
    assertThat(Duration.between(later, memory.refusals().getLast().until()))
        .isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void aJobThatLosesPodsForEverIsNotRememberedForEver() {
    for (int i = 0; i <= 2 * Job.MOST_MEMBERS; i++) {
      memory.know("fact " + i);
    }
    assertThat(memory.knows("fact 0")).isFalse();
    assertThat(memory.knows("fact 1")).isTrue();
    assertThat(memory.knows("fact " + 2 * Job.MOST_MEMBERS)).isTrue();
  }
}
