package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.webhook.core.Admission.Allowed;
import org.junit.jupiter.api.Test;

/** Who gets memory at {@code /dev/shm}, and how much. */
final class SharedMemoryTest {

  private static JsonNode stored(String initContainers, String containers) {
    JsonNode pod =
        Serialization.unmarshal(
            "---\n{metadata: {name: p}, spec: {initContainers: [%s], containers: [%s]}}"
                .formatted(initContainers, containers),
            JsonNode.class);
    return Fixture.patched(pod, (Allowed) Fixture.admit(pod));
  }

  private static String gpu(String memory) {
    return "{name: m, resources: {limits: {nvidia.com/gpu: 1, memory: %s}}}".formatted(memory);
  }

  private static String size(JsonNode pod) {
    return pod.at("/spec/volumes/0/emptyDir/sizeLimit").asText();
  }

  /** Tests of the network before the training begins run NCCL as the training does. */
  @Test
  void anInitContainerWithADeviceGetsTheMemoryAndDoesNotSizeIt() {
    var pod = stored(gpu("2Gi") + ", {name: plain}", gpu("32Gi"));

    assertThat(pod.at("/spec/initContainers/0/volumeMounts/0/mountPath").asText())
        .isEqualTo("/dev/shm");
    assertThat(pod.at("/spec/initContainers/1/volumeMounts").isMissingNode()).isTrue();
    assertThat(size(pod)).isEqualTo("16Gi");
  }

  @Test
  void anInitContainerThatIsAloneWithADeviceSizesTheMemory() {
    assertThat(size(stored(gpu("2Gi"), "{name: main}"))).isEqualTo("1Gi");
  }
}
