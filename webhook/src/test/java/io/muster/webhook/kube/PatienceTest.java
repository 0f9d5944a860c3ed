package io.muster.webhook.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PatienceTest {

  private final Patience patience = new Patience();

  @Test
  void actsAtOnceTheFirstTimeAndThenEverLater() {
    assertThat(next(0)).isZero();
    assertThat(next(1)).isEqualTo(Duration.ofSeconds(1));
    assertThat(next(3)).isEqualTo(Duration.ofSeconds(2));
    assertThat(next(6)).isEqualTo(Duration.ofSeconds(4));
    for (int i = 0; i < 100; i++) {
      next(10 + i);
    }
    assertThat(next(111)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void forgetsWhatHasNotHappenedForTenMinutes() {
    next(0);
    next(1);

    assertThat(next(602)).isZero();
  }

  private Duration next(long second) {
    return patience.next(Instant.ofEpochSecond(second));
  }
}
