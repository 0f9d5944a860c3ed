package io.muster.extender.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AcceleratorsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/gpu",
        "nvidia.com/mig-1g.5gb",
        "nvidia.com/mig-3g.20gb.me",
        "amd.com/gpu",
        "gpu.intel.com/i915",
        "gpu.intel.com/xe",
        "habana.ai/gaudi"
      })
  void managesGpusWholeAndInPartitions(String name) {
    assertThat(Accelerators.isManaged(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpu",
        "memory",
        "rdma/ib",
        "nvidia.com/gpumem",
        "nvidia.com/gpu.shared",
        "nvidia.com/",
        Accelerators.MARKER
      })
  void leavesTheRestAlone(String name) {
    assertThat(Accelerators.isManaged(name)).isFalse();
  }
}
