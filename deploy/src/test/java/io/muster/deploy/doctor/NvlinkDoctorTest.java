package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NvlinkDoctorTest {

  private static Node node(String name, String clique) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("nvidia.com/gpu.clique", clique)
        .endMetadata()
        .build();
  }

  private static ResourceSlice channels(String node) {
    return new ResourceSliceBuilder()
        .withNewSpec()
        .withDriver("compute-domain.nvidia.com")
        .withNodeName(node)
        .endSpec()
        .build();
  }

  private static final List<Node> NODES =
      List.of(node("a", "x.1"), node("b", "x.1"), node("c", "x.2"));

  @Test
  void saysNothingWhereThereIsNoSuchHardware() {
    assertThat(new NvlinkDomains(false, List.of(), List.of()).findings()).isEmpty();
  }

  @Test
  void saysWhatIsMissing() {
    assertThat(new NvlinkDomains(false, NODES, List.of()).findings())
        .singleElement()
        .satisfies(found -> {
          assertThat(found.evidence()).contains("3 nodes have nvidia.com/gpu.clique");
          assertThat(found.remedy()).contains("install NVIDIA's DRA driver");
        });
    assertThat(new NvlinkDomains(true, List.of(), List.of()).findings())
        .singleElement()
        .satisfies(
            found -> assertThat(found.evidence()).contains("no node has nvidia.com/gpu.clique"));
    assertThat(new NvlinkDomains(true, NODES, List.of(channels("a"), channels("z"))).findings())
        .singleElement()
        .satisfies(found -> {
          assertThat(found.isProblem()).isTrue();
          assertThat(found.evidence())
              .isEqualTo("3 nodes are in 2 NVLink cliques, 1 of them have channels");
        });
  }

  @Test
  void saysWhatThereIs() {
    var slices = List.of(channels("a"), channels("b"), channels("c"));
    assertThat(new NvlinkDomains(true, NODES, slices).findings())
        .containsExactly(
            Finding.ok(
                "devices.nvlink", "3 nodes are in 2 NVLink cliques, 3 of them have channels"));
  }
}
