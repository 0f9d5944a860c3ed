package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.bench.Killer.Outage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long a gang was in part with nothing away is what a run of kills is judged by. */
final class KillerTest {

  private static Instant at(long second) {
    return Instant.EPOCH.plusSeconds(second);
  }

  private static Duration undisturbed(long from, long to, Outage... outages) {
    return Killer.undisturbed(List.of(outages), at(from), at(to));
  }

  @Test
  void withoutOutagesItIsAllOfTheTime() {
    assertThat(undisturbed(10, 55)).isEqualTo(Duration.ofSeconds(45));
  }

  @Test
  void anOutageCutsItInTwoAndTheLongerPartCounts() {
    var outage = new Outage(at(20), at(25));
    assertThat(undisturbed(10, 55, outage)).isEqualTo(Duration.ofSeconds(30));
    assertThat(undisturbed(0, 30, outage)).isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  void whatBeginsOrEndsWithinAnOutageCountsFromItsEndAndToItsBegin() {
    var outages = new Outage[] {new Outage(at(5), at(15)), new Outage(at(40), at(60))};
    assertThat(undisturbed(10, 50, outages)).isEqualTo(Duration.ofSeconds(25));
    assertThat(undisturbed(42, 50, outages)).isZero();
    assertThat(undisturbed(70, 75, outages)).isEqualTo(Duration.ofSeconds(5));
  }
}
