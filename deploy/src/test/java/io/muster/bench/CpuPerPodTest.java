package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class CpuPerPodTest {

  private static final String APISERVER = "kube-apiserver";
  private static final double NEXT_TO_NOTHING = 1e-9;

  private final CpuPerPod cpu = new CpuPerPod();

  @Test
  void eachProcessHasTheMedianOfItsRoundsAPod() {
    cpu.add(Side.BARE, new CpuTimes(Map.of(APISERVER, 4.0)), 1_000);
    cpu.add(Side.MUSTER, new CpuTimes(Map.of(APISERVER, 9.0, "muster", 1.0)), 1_000);
    cpu.add(Side.MUSTER, new CpuTimes(Map.of(APISERVER, 5.0, "muster", 3.0)), 1_000);
    cpu.add(Side.MUSTER, new CpuTimes(Map.of(APISERVER, 6.0, "muster", 2.0)), 1_000);

    assertThat(cpu.median(Side.MUSTER, APISERVER)).isCloseTo(6, within(NEXT_TO_NOTHING));
    assertThat(cpu.median(Side.MUSTER, "muster")).isCloseTo(2, within(NEXT_TO_NOTHING));
    assertThat(cpu.median(Side.BARE, "muster")).isZero();
    assertThat(cpu.totals())
        .containsExactly(entry("cpuMsAPod.bare", 4.0), entry("cpuMsAPod.muster", 8.0));
  }
}
