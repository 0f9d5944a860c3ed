package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCounterConsumptionBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import io.muster.deploy.doctor.Finding.Outcome;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DraDevicesTest {

  private static final String DRIVER = "gpu.example.com";

  private static DeviceClass deviceClass(String name, String resource, String expression) {
    return new DeviceClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withExtendedResourceName(resource)
        .addNewSelector()
        .withNewCel(expression)
        .endSelector()
        .endSpec()
        .build();
  }

  private static ResourceSlice slice(String node, Device... devices) {
    return new ResourceSliceBuilder()
        .withNewMetadata()
        .withName("slice-of-" + node)
        .endMetadata()
        .withNewSpec()
        .withDriver(DRIVER)
        .withNodeName(node)
        .withNewPool(1L, "pool-of-" + node, 1L)
        .withDevices(devices)
        .endSpec()
        .build();
  }

  private static Device[] whole(int count) {
    return Stream.iterate(0, i -> i + 1)
        .limit(count)
        .map(i -> new DeviceBuilder().withName("gpu-" + i).build())
        .toArray(Device[]::new);
  }

  private static List<Finding> findings(List<DeviceClass> classes, List<ResourceSlice> slices) {
    return new DraDevices(classes, slices).findings();
  }

  private static final DeviceClass GPUS =
      deviceClass(DRIVER, "nvidia.com/gpu", "device.driver == \"gpu.example.com\"");

  @Test
  void saysHowManyDevicesOfWhichNameAreCounted() {
    assertThat(findings(List.of(GPUS), List.of(slice("a", whole(8)), slice("b", whole(4)))))
        .containsExactly(Finding.ok("devices.dra", "DRA offers nvidia.com/gpu (12 on 2 nodes)"));
  }

  @Test
  void namesTheClassThatItsSelectorKeepsFromBeingCounted() {
    var wrong = deviceClass("broken.example.com", null, "device.driver ==");

    assertThat(findings(List.of(GPUS, wrong), List.of(slice("a", whole(8)))))
        .hasSize(2)
        .last()
        .returns("devices.dra.uncounted", Finding::check)
        .returns(Outcome.CANNOT_TELL, Finding::outcome)
        .extracting(Finding::evidence)
        .asString()
        .startsWith("devices of 1 nodes are not counted: DeviceClass broken.example.com: ");
  }

  @Test
  void namesTheClassWhosePartitionsAreNotCounted() {
    var partition =
        new DeviceBuilder()
            .withName("half")
            .withConsumesCounters(new DeviceCounterConsumptionBuilder().build())
            .build();

    assertThat(findings(List.of(GPUS), List.of(slice("a", partition))))
        .singleElement()
        .returns(Outcome.CANNOT_TELL, Finding::outcome)
        .extracting(Finding::evidence)
        .asString()
        .contains("DeviceClass gpu.example.com: ");
  }

  @Test
  void devicesOfNoNodeAreNotCounted() {
    assertThat(findings(List.of(GPUS), List.of(slice(null, whole(2)))))
        .singleElement()
        .returns(
            "devices of 1 ResourceSlices are not counted: they name no node", Finding::evidence);
  }

  @Test
  void nothingIsSaidWhereThereAreNone() {
    assertThat(findings(List.of(GPUS), List.of())).isEmpty();
  }
}
