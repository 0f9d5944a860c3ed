package io.muster.extender.core.decision.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.ExpectedStart.Outcome;
import io.muster.extender.core.protocol.query.StartEstimate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StartErrorsTest {

  private static final Instant BEGIN = Instant.parse("2026-11-26T06:00:00Z");

  private final StartErrors<String> errors = new StartErrors<>();

  private int names;

  private static StartEstimate starting(Instant at) {
    return new StartEstimate(at, Optional.empty());
  }

  /** A gang waits for that many times as long as was estimated. */
  private void waits(Duration expected, double times) {
    var name = "gang-" + names++;
    errors.estimated(name, BEGIN, starting(BEGIN.plus(expected)));
    errors.started(name, BEGIN.plusSeconds((long) (expected.toSeconds() * times)));
  }

  private Duration latest(Duration expected) {
    return Duration.between(
        BEGIN, errors.latest(BEGIN, starting(BEGIN.plus(expected))).orElseThrow());
  }

  @Test
  void nothingIsSaidOfOneInTenBeforeTwentyHaveStarted() {
    for (int i = 0; i < 19; i++) {
      waits(Duration.ofHours(1), 1);
    }
    errors.weigh(BEGIN);
    assertThat(errors.latest(BEGIN, starting(BEGIN.plusSeconds(60)))).isEmpty();
    waits(Duration.ofHours(1), 1);
    errors.weigh(BEGIN);
    assertThat(errors.latest(BEGIN, starting(BEGIN.plusSeconds(60)))).isPresent();
  }

  @ParameterizedTest
  @CsvSource({"45, 66", "44, 548"})
  void nineOfTenWereNotLater(int inTime, long minutes) {
    for (int i = 0; i < 50; i++) {
      waits(Duration.ofHours(1), i < inTime ? 1 : 9);
    }
    errors.weigh(BEGIN);
    assertThat(latest(Duration.ofHours(1)).toMinutes()).isBetween(minutes - 10, minutes);
  }

  @Test
  void neverBeforeTheSlowestRun() {
    for (int i = 0; i < 50; i++) {
      waits(Duration.ofHours(1), 1);
    }
    errors.weigh(BEGIN);
    var estimate = starting(BEGIN.plus(Duration.ofHours(1))).withSlowest(BEGIN.plusSeconds(9_000));
    assertThat(errors.latest(BEGIN, estimate)).contains(BEGIN.plusSeconds(9_000));
  }

  /** Whoever is to wait for a minute learns nothing from those that wait for days. */
  @Test
  void longAndShortWaitsAreWeighedApart() {
    for (int i = 0; i < 50; i++) {
      waits(Duration.ofMinutes(5), 4);
      waits(Duration.ofHours(50), 1);
    }
    errors.weigh(BEGIN);
    assertThat(latest(Duration.ofMinutes(5)).toMinutes()).isBetween(19L, 21L);
    assertThat(latest(Duration.ofHours(50)).toHours()).isBetween(54L, 56L);
  }

  @Test
  void whoWaitsBeyondItsEstimateCountsThoughItHasNotStarted() {
    for (int i = 0; i < 30; i++) {
      waits(Duration.ofHours(1), 1);
    }
    for (int i = 0; i < 10; i++) {
      errors.estimated("late-" + i, BEGIN, starting(BEGIN.plus(Duration.ofHours(1))));
    }
    errors.weigh(BEGIN.plus(Duration.ofHours(5)));
    assertThat(latest(Duration.ofHours(1)).toHours()).isBetween(4L, 6L);
  }

  @Test
  void theFirstEstimateIsComparedWithTheStart() {
    for (int i = 0; i < 30; i++) {
      waits(Duration.ofHours(1), 2);
    }
    errors.weigh(BEGIN);
    errors.estimated("a", BEGIN, starting(BEGIN.plusSeconds(3600)));
    errors.estimated("a", BEGIN, starting(BEGIN.plusSeconds(9_999_999)));
    errors.estimated("b", BEGIN, starting(BEGIN.plusSeconds(3600)));
    errors.estimated("c", BEGIN, starting(BEGIN.plusSeconds(3600)));
    errors.estimated("gone", BEGIN, starting(BEGIN.plusSeconds(3600)));
    errors.forget("gone");

    assertThat(errors.open()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(errors.started("a", BEGIN.plusSeconds(3600))).contains(Outcome.BY_P50);
    assertThat(errors.started("b", BEGIN.plusSeconds(7100))).contains(Outcome.BY_P90);
    assertThat(errors.started("c", BEGIN.plusSeconds(7800))).contains(Outcome.LATER);
    assertThat(errors.started("gone", BEGIN)).isEmpty();
  }

  /** Whatever the errors are like, as long as they stay so: about nine of ten. */
  @Test
  void aboutNineOfTenStartByThen() {
    var random = new Random(26);
    int inTime = 0;
    int judged = 0;
    for (int i = 0; i < 2_000; i++) {
      var expected = Duration.ofSeconds(60 + random.nextInt(36_000));
      double times = Math.exp(random.nextGaussian());
      errors.weigh(BEGIN);
      var latest = errors.latest(BEGIN, starting(BEGIN.plus(expected)));
      if (latest.isPresent()) {
        judged++;
        var start = BEGIN.plusSeconds((long) (expected.toSeconds() * times));
        inTime += start.isAfter(latest.get()) ? 0 : 1;
      }
      waits(expected, times);
    }
    assertThat((double) inTime / judged).isBetween(0.86, 0.94);
  }
}
