package io.muster.extender.kube.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceTolerationBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpecBuilder;
import io.muster.extender.kube.device.ClaimedDevices.Asked;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClaimedDevicesTest {

  private static List<Asked> asked(DeviceRequest... requests) {
    return ClaimedDevices.of(
            new ResourceClaimSpecBuilder()
                .withNewDevices()
                .withRequests(requests)
                .endDevices()
                .build())
        .asked();
  }

  private static DeviceRequest of(Long count) {
    return new DeviceRequestBuilder()
        .withName("r")
        .withNewExactly()
        .withDeviceClassName("gpu")
        .withCount(count)
        .endExactly()
        .build();
  }

  @Test
  void soManyDevicesOfAClassAreCounted() {
    assertThat(asked(of(null), of(64L)))
        .containsExactly(
            new Asked(List.of("gpu"), 1, Optional.empty()),
            new Asked(List.of("gpu"), 64, Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 65, Long.MAX_VALUE})
  void aCountThatNoNodeHasIsSpecial(long count) {
    assertThat(asked(of(count)))
        .containsExactly(
            new Asked(
                List.of("gpu"),
                0,
                Optional.of(
                    "asks for %d devices; ask for 1 to 64 in one request".formatted(count))));
  }

  @Test
  void aClaimForMoreThanAnyNodeHasIsSpecial() {
    var most = Collections.nCopies(16, of(64L));
    assertThat(asked(most.toArray(DeviceRequest[]::new)))
        .hasSize(16)
        .allMatch(it -> it.count() == 64 && it.special().isEmpty());
    var more = Collections.nCopies(17, of(64L));
    assertThat(asked(more.toArray(DeviceRequest[]::new)))
        .hasSize(17)
        .containsOnly(
            new Asked(
                List.of("gpu"), 0, Optional.of("asks for more than 1024 devices; ask for fewer")));
  }

  @Test
  void aRequestThatToleratesTaintsIsSpecial() {
    var tolerating =
        new DeviceRequestBuilder(of(1L))
            .editExactly()
            .withTolerations(new DeviceTolerationBuilder().withKey("broken").build())
            .endExactly()
            .build();
    assertThat(asked(tolerating))
        .containsExactly(
            new Asked(
                List.of("gpu"),
                0,
                Optional.of("tolerates taints of devices; ask for devices without taints")));
  }
}
