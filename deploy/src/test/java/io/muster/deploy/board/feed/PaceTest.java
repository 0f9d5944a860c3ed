package io.muster.deploy.board.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PaceTest {

  private static final long BEGIN = Long.MAX_VALUE - 7;

  private final Pace pace = new Pace(BEGIN);
  private long now = BEGIN;

  /** Looks without end that take so long each, for that long; how many there were. */
  private int looks(Duration each, Duration forSo) {
    long until = now + forSo.toNanos();
    int looks = 0;
    while (now - until < 0) {
      now += each.toNanos();
      now += pace.afterLook(each.toNanos(), now).toNanos();
      looks++;
    }
    return looks;
  }

  @Test
  void whereLooksTakeLittleThereAreTwoASecond() {
    assertThat(looks(Duration.ofMillis(20), Duration.ofMinutes(1))).isBetween(115, 120);
    assertThat(looks(Duration.ofMillis(50), Duration.ofMinutes(1))).isBetween(105, 114);
  }

  @Test
  void howeverLongLooksTakeTheyTakeATenthOfACore() {
    for (int each = 60; each <= 400; each += 20) {
      int looks = looks(Duration.ofMillis(each), Duration.ofMinutes(10));
      assertThat(looks * each).as("%d ms each", each).isBetween(57_000, 61_000);
    }
  }

  @Test
  void afterAQuietWhileAFewLooksThatTakeLongFollowAtOnce() {
    looks(Duration.ofMillis(400), Duration.ofMinutes(1));
    now += Duration.ofSeconds(10).toNanos();

    assertThat(pace.afterLook(Duration.ofMillis(100).toNanos(), now))
        .isEqualTo(Pace.SHORTEST_PAUSE);
    now += Pace.SHORTEST_PAUSE.toNanos();
    assertThat(pace.afterLook(Duration.ofMillis(100).toNanos(), now))
        .isEqualTo(Pace.SHORTEST_PAUSE);
    now += Pace.SHORTEST_PAUSE.toNanos();
    assertThat(looks(Duration.ofMillis(100), Duration.ofMinutes(1))).isBetween(58, 62);
  }

  @Test
  void noViewIsOlderThanSecondsAndWhatWasOwedIsForgotten() {
    for (int i = 0; i < 20; i++) {
      now += Duration.ofSeconds(30).toNanos();
      assertThat(pace.afterLook(Duration.ofSeconds(30).toNanos(), now))
          .isEqualTo(Pace.LONGEST_PAUSE);
      now += Pace.LONGEST_PAUSE.toNanos();
    }
    assertThat(pace.afterLook(Duration.ofMillis(10).toNanos(), now)).isEqualTo(Pace.SHORTEST_PAUSE);
  }
}
