package io.muster.deploy.board.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HistoryRangeTest {

  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

  private static HistoryRange range(Optional<String> since, Optional<String> step) {
    return ((HistoryRange.Asked.Range) HistoryRange.of(since, step, NOW)).range();
  }

  @ParameterizedTest
  @CsvSource({"PT1H, 1", "PT6H, 3", "PT24H, 9", "PT240H, 9", "PT0S, 1", "PT-5H, 1"})
  void theLongerTheRangeTheFewerPointsInAnHour(Duration ago, int width) {
    var range = range(Optional.of(NOW.minus(ago).toString()), Optional.empty());
    assertThat(range.width()).isEqualTo(width);
    assertThat((Steps.of(NOW) - range.firstStep()) / width).isLessThan(1_000);
  }

  @Test
  void whoFollowsALongRangeGoesOnAsCoarsely() {
    var since = Optional.of(NOW.minusSeconds(90).toString());
    assertThat(range(since, Optional.of("90")).width()).isEqualTo(9);
    assertThat(range(Optional.empty(), Optional.of("10")).width()).as("too many").isEqualTo(9);
  }

  @Test
  void aTimeIsReadInEitherWay() {
    assertThat(range(Optional.of("1795348800"), Optional.empty()))
        .isEqualTo(range(Optional.of("2026-11-22T12:00:00Z"), Optional.empty()))
        .isEqualTo(range(Optional.of("2026-11-22T13:00:00+01:00"), Optional.empty()))
        .isEqualTo(range(Optional.of("1795348800.5"), Optional.empty()));
    assertThat(range(Optional.of("-5"), Optional.empty()))
        .isEqualTo(range(Optional.empty(), Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yesterday", "1e9", "99999999999999999999", "2026-11-22", "NaN", "-"})
  void whatIsNoTimeIsRefusedWithASentence(String since) {
    assertThat(HistoryRange.of(Optional.of(since), Optional.empty(), NOW))
        .isEqualTo(
            new HistoryRange.Asked.Refused(
                "since must be a time such as 2026-11-22T05:00:00Z, or seconds since 1970"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "60", "-10", "010", "ten"})
  void whatIsNoStepIsRefusedWithASentence(String step) {
    assertThat(HistoryRange.of(Optional.empty(), Optional.of(step), NOW))
        .isEqualTo(new HistoryRange.Asked.Refused("step must be 10, 30 or 90, in seconds"));
  }
}
