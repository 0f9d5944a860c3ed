package io.muster.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class GaugeTest {

  private final Gauge gauge = new Gauge(16);

  @Test
  void addsUpWhatIsUsedAndWhatAPartHolds() {
    gauge.take(8);
    gauge.holdIncomplete(8);
    gauge.moveTo(10_000);
    gauge.holdIncomplete(-8);
    gauge.take(4);
    gauge.moveTo(20_000);
    assertThat(gauge.usedGpuSeconds()).isEqualTo(8 * 10 + 12 * 10);
    assertThat(gauge.incompleteGpuSeconds()).isEqualTo(80);
  }

  @Test
  void idleDevicesCountAsFragmentsOnlyWhileAGangWaitsThatNeedsNoMore() {
    gauge.take(8);
    gauge.waits(16);
    gauge.moveTo(10_000);
    assertThat(gauge.fragmentedGpuSeconds()).isZero();
    gauge.waits(8);
    gauge.moveTo(20_000);
    assertThat(gauge.fragmentedGpuSeconds()).isEqualTo(80);
    gauge.waitsNoMore(8);
    gauge.moveTo(30_000);
    assertThat(gauge.fragmentedGpuSeconds()).isEqualTo(80);
  }

  @Test
  void refusesToUseMoreThanThereIs() {
    assertThatThrownBy(() -> gauge.take(17)).hasMessage("17 of 16 GPUs are used");
  }

  @Test
  void samplesAreMeansAndStayFewHoweverLongItTakes() {
    gauge.take(4);
    gauge.moveTo(Duration.ofDays(400).toMillis());
    gauge.take(8);
    gauge.moveTo(Duration.ofDays(800).toMillis());
    var samples = gauge.samples();
    assertThat(samples).hasSizeBetween(900, 2000);
    assertThat(samples.getFirst().used()).isEqualTo(4);
    assertThat(samples.getLast().used()).isEqualTo(12);
    double mean = samples.stream().mapToDouble(Result.Sample::used).average().orElseThrow();
    assertThat(mean).isCloseTo(8, within(0.05));
  }
}
