package io.muster.extender.core.decision.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** For how long failures keep a gang from nodes, and from being tried. */
final class SetbacksTest {

  private static final Instant NOW = Instant.EPOCH;

  private final Setbacks setbacks = new Setbacks();

  @Test
  void theHoldOffDoublesUpToFiveMinutes() {
    for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
      setbacks.holdOff(NOW);
      assertThat(setbacks.holdOffUntil()).isEqualTo(NOW.plusSeconds(seconds));
    }
    assertThat(setbacks.isHeldOff(NOW.plusSeconds(299))).isTrue();
    assertThat(setbacks.isHeldOff(NOW.plusSeconds(300))).isFalse();
  }

  @Test
  void thatOfACutBurstDoublesUpToHalfAMinute() {
    for (long seconds : new long[] {1, 2, 4, 8, 16, 30, 30}) {
      setbacks.holdOffBurst(NOW);
      assertThat(setbacks.holdOffUntil()).isEqualTo(NOW.plusSeconds(seconds));
    }
  }

  @Test
  void afterAStartTheFirstFailureIsAFirstOneAgain() {
    setbacks.holdOff(NOW);
    setbacks.holdOff(NOW);
    setbacks.forgetFailures();
    setbacks.holdOff(NOW);
    assertThat(setbacks.holdOffUntil()).isEqualTo(NOW.plusSeconds(1));
  }

  @Test
  void aNodeIsAvoidedForTwiceAsLongEachTimeUpToSixteenMinutes() {
    var now = NOW;
    for (long minutes : new long[] {1, 2, 4, 8, 16, 16}) {
      setbacks.blame("n0", now);
      var end = now.plus(Duration.ofMinutes(minutes));
      assertThat(setbacks.excluded(end.minusMillis(1))).containsExactly("n0");
      assertThat(setbacks.excluded(end)).isEmpty();
      now = end;
    }
    assertThat(setbacks.exclusionEnds()).isEmpty();
  }

  @Test
  void anotherIncarnationHasNoneOfThem() {
    setbacks.holdOff(NOW);
    setbacks.blame("n0", NOW);
    setbacks.forget();
    assertThat(setbacks.isHeldOff(NOW)).isFalse();
    assertThat(setbacks.excluded(NOW)).isEmpty();
  }
}
