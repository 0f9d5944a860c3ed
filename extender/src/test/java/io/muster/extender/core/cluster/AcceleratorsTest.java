package io.muster.extender.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Accelerator.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AcceleratorsTest {

  @ParameterizedTest
  @CsvSource({
    "nvidia.com/gpu, WHOLE",
    "nvidia.com/pgpu, WHOLE",
    "nvidia.com/vgpu, SHARE",
    "nvidia.com/gpu.shared, SHARE",
    "nvidia.com/mig-1g.5gb, PARTITION",
    "nvidia.com/mig-3g.20gb.me, PARTITION",
    "nvidia.com/mig-1g.5gb.shared, SHARE",
    "nvidia.com/gpumem, MEMORY",
    "nvidia.com/gpumem-percentage, MEMORY",
    "nvidia.com/gpucores, SHARE",
    "hygon.com/dcunum, WHOLE",
    "cambricon.com/vmlu, SHARE",
    "metax-tech.com/gpu, WHOLE",
    "metax-tech.com/sgpu, SHARE",
    "mthreads.com/vgpu, SHARE",
    "mthreads.com/sgpu-memory, MEMORY",
    "iluvatar.ai/BI-V150-vgpu, SHARE",
    "iluvatar.ai/BI-V150.vMem, MEMORY",
    "kunlunxin.com/xpu, WHOLE",
    "vastaitech.com/va, WHOLE",
    "birentech.com/gpu, WHOLE",
    "aws.amazon.com/neuron, WHOLE",
    "amd.com/gpu, WHOLE",
    "amd.com/gpumem, MEMORY",
    "huawei.com/Ascend910A, WHOLE",
    "huawei.com/Ascend910B2, WHOLE",
    "huawei.com/Ascend910B3, WHOLE",
    "huawei.com/Ascend910B4, WHOLE",
    "huawei.com/Ascend910B4-1, WHOLE",
    "huawei.com/Ascend910C, WHOLE",
    "huawei.com/Ascend310P, WHOLE",
    "huawei.com/Ascend910B4-1-memory, MEMORY",
    "aliyun.com/gpu-mem, MEMORY",
    "aliyun.com/gpu-count, SHARE",
    "koordinator.sh/gpu, SHARE",
    "koordinator.sh/gpu-core, SHARE",
    "koordinator.sh/gpu-memory, MEMORY",
    "koordinator.sh/gpu-memory-ratio, MEMORY",
    "koordinator.sh/gpu.shared, SHARE",
    "koordinator.sh/rdma, SHARE",
    "dcu.com/gpu, WHOLE",
    "gpu.intel.com/i915, WHOLE",
    "gpu.intel.com/xe, WHOLE",
    "habana.ai/gaudi, WHOLE",
    "google.com/tpu, WHOLE"
  })
  void knowsWhatEachEcosystemCallsItsDevices(String name, Kind kind) {
    assertThat(Accelerators.kindOf(name)).contains(kind);
    assertThat(Accelerators.isManaged(name))
        .isEqualTo(kind == Kind.WHOLE || kind == Kind.PARTITION);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpu",
        "memory",
        "rdma/ib",
        "nvidia.com/",
        "nvidia.com/mig-",
        "nvidia.com/gpu2",
        "iluvatar.ai/-vgpu",
        Accelerators.MARKER
      })
  void leavesTheRestAlone(String name) {
    assertThat(Accelerators.kindOf(name)).isEmpty();
    assertThat(Accelerators.isManaged(name)).isFalse();
  }

  @Test
  void whatIsCountedHasANameOrAPrefixThatOthersCanBeTold() {
    assertThat(Accelerators.TABLE)
        .filteredOn(row -> row.kind().isCounted())
        .allMatch(row ->
            Accelerators.NAMES.contains(row.pattern())
                || Accelerators.PREFIXES.contains(row.pattern().replace("*", "")));
    assertThat(Accelerators.NAMES).noneMatch(name -> name.contains("*"));
  }

  @Test
  void namesEachResourceOnce() {
    assertThat(Accelerators.TABLE).extracting(Accelerator::pattern).doesNotHaveDuplicates();
  }

  @Test
  void aRemedyIsACountedNameOrAWord() {
    assertThat(Accelerators.TABLE)
        .filteredOn(row -> !row.askFor().contains(" "))
        .allMatch(row -> Accelerators.isManaged(row.askFor()));
  }
}
