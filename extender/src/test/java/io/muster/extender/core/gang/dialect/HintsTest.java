package io.muster.extender.core.gang.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Markings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What pods say about how they want to wait and to end. */
final class HintsTest {

  private static Markings markings(Map<String, String> annotations) {
    return new Markings("ml", Map.of(), annotations);
  }

  @Test
  void aPodThatSaysNothingIsInNoQueueOfItsOwnAndMayEnd() {
    assertThat(Hints.of(markings(Map.of()))).isEqualTo(Hints.NONE);
    assertThat(Hints.faults(markings(Map.of()))).isEmpty();
  }

  @Test
  void whatCanBeReadIsTaken() {
    var said =
        markings(
            Map.of(
                "muster.io/queue", "team-a",
                "muster.io/run-time", "90m",
                "muster.io/run-time-limit", "4h",
                "muster.io/preemptible", "false"));
    assertThat(Hints.of(said))
        .isEqualTo(
            new Hints(
                Optional.of("team-a"),
                Optional.of(Duration.ofMinutes(90)),
                Optional.empty(),
                Optional.of(false),
                Optional.of(Duration.ofHours(4))));
    assertThat(Hints.faults(said)).isEmpty();
  }

  @Test
  void whatCannotBeReadCountsAsNotSaidAndIsNamed() {
    var said =
        markings(
            Map.of(
                "muster.io/queue", "",
                "muster.io/run-time", "soon",
                "muster.io/run-time-limit", "-4h",
                "muster.io/preemptible", "no"));
    assertThat(Hints.of(said)).isEqualTo(Hints.NONE);
    assertThat(Hints.faults(said))
        .containsExactlyInAnyOrder(
            "muster.io/run-time: \"soon\" is no duration above 0, like 90m; nothing is"
                + " known of the run time",
            "muster.io/run-time-limit: \"-4h\" is no duration above 0, like 4h; it sets no limit",
            "muster.io/queue is empty; the queue of the namespace is used",
            "muster.io/preemptible: \"no\" is neither true nor false; it is ignored");
  }
}
