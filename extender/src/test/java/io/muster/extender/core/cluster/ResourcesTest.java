package io.muster.extender.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class ResourcesTest {

  @Test
  void areShownAsTheirUserMightWriteThem() {
    assertThat(new Resources(8_000, 16L << 30, Map.of("nvidia.com/gpu", 2L, "a.io/b", 1L)).shown())
        .isEqualTo("cpu 8, memory 16Gi, a.io/b 1, nvidia.com/gpu 2");
    assertThat(new Resources(500, 1_000, Map.of()).shown()).isEqualTo("cpu 500m, memory 1000");
    assertThat(new Resources(0, 3L << 50, Map.of()).shown()).isEqualTo("memory 3072Ti");
    assertThat(Resources.NONE.shown()).isEqualTo("no amounts");
  }
}
