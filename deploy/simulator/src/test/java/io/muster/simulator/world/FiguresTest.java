package io.muster.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FiguresTest {

  private static Result.Finished job(String tenant, int waited, int duration) {
    return new Result.Finished(
        "j" + tenant + waited,
        tenant,
        1,
        Duration.ZERO,
        Duration.ofSeconds(waited),
        Duration.ofSeconds(waited + duration),
        Duration.ofSeconds(duration),
        0);
  }

  private static Figures of(Result.Finished... jobs) {
    return Figures.of(
        new Result(
            "p",
            10,
            List.of(jobs),
            0,
            0,
            Duration.ofSeconds(100),
            500,
            50,
            100,
            0,
            0.9,
            0,
            0,
            0,
            0,
            List.of()));
  }

  @Test
  void meansAndShares() {
    var figures = of(job("a", 0, 100), job("a", 100, 100), job("a", 800, 100));
    assertThat(figures.meanCompletion()).isEqualTo(400);
    assertThat(figures.medianCompletion()).isEqualTo(200);
    assertThat(figures.p99Completion()).isEqualTo(900);
    assertThat(figures.meanWait()).isEqualTo(300);
    assertThat(figures.utilisation()).isEqualTo(0.5);
    assertThat(figures.fragmented()).isEqualTo(0.1);
    assertThat(figures.wasted()).isEqualTo(0.1);
  }

  @Test
  void tenantsThatFareAlikeAreFairlyTreated() {
    var figures = of(job("a", 100, 100), job("b", 10, 10));
    assertThat(figures.jain()).isCloseTo(1, within(1e-9));
    assertThat(figures.worstTenant()).isEqualTo(2);
  }

  @Test
  void aTenantThatWaitsForTheOthersShows() {
    var figures = of(job("a", 0, 100), job("b", 900, 100));
    assertThat(figures.worstTenant()).isEqualTo(10);
    assertThat(figures.jain()).isCloseTo(121.0 / 202, within(1e-9));
  }

  @Test
  void aReplayWithoutJobsHasFiguresToo() {
    assertThat(of().jain()).isEqualTo(1);
  }
}
