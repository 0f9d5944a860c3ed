package io.muster.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttributeBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceTaint;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceTaintBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequestBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplateBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.sandbox.TestSpace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a DRA driver for GPUs publishes: a DeviceClass with an extended resource name, and one
 * ResourceSlice for each node. Closing it removes both. Confined to the test's thread.
 */
final class DraDevices implements AutoCloseable {

  static final String GPU = "nvidia.com/gpu";
  private static final String DRIVER = "gpu.example.com";

  private final TestSpace space;
  private final List<String> slices = new ArrayList<>();
  private final List<String> classes = new ArrayList<>();

  private DraDevices(TestSpace space) {
    this.space = space;
  }

  /** A class whose devices are asked for as {@code nvidia.com/gpu}, and no devices yet. */
  static DraDevices ofGpus(TestSpace space) {
    var devices = new DraDevices(space);
    devices.deviceClass(devices.className(), Optional.of(GPU), "type == \"gpu\"");
    return devices;
  }

  /** Name of the class of GPUs. */
  String className() {
    return DRIVER;
  }

  /** Adds a class of the devices of this driver of which that holds. */
  void deviceClass(String name, Optional<String> extendedResource, String attribute) {
    classes.add(name);
    space
        .client()
        .resource(
            new DeviceClassBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withExtendedResourceName(extendedResource.orElse(null))
                .addNewSelector()
                .withNewCel(
                    "device.driver == '%s' && device.attributes['%s'].%s"
                        .formatted(DRIVER, DRIVER, attribute))
                .endSelector()
                .endSpec()
                .build())
        .create();
  }

  /** So many GPUs on each of these nodes. */
  void on(Collection<String> nodes, int each) {
    nodes.forEach(node -> on(node, each, "gpu"));
  }

  /** The node lists its GPU no more, and offers it by a ResourceSlice. */
  void insteadOf(String node) {
    var none = "{\"%s\":null}".formatted(GPU);
    space
        .client()
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\":{\"capacity\":%s,\"allocatable\":%s}}".formatted(none, none));
    on(node, 1, "gpu");
  }

  /** So many devices of that type on the node. */
  void on(String node, int count, String type) {
    var slice =
        new ResourceSliceBuilder()
            .withNewMetadata()
            .withName(node + "-" + type)
            .endMetadata()
            .withNewSpec()
            .withDriver(DRIVER)
            .withNodeName(node)
            .withNewPool(1L, node + "-" + type, 1L)
            .withDevices(
                IntStream.range(0, count)
                    .mapToObj(i ->
                        new DeviceBuilder()
                            .withName(type + "-" + i)
                            .withAttributes(
                                Map.of(
                                    "type", new DeviceAttributeBuilder().withString(type).build()))
                            .build())
                    .toList())
            .endSpec()
            .build();
    slices.add(node + "-" + type);
    space.client().resource(slice).create();
  }

  /** Claims so many GPUs by that name. */
  void claim(String name, long count) {
    space
        .client()
        .resource(
            new ResourceClaimBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewSpec()
                .withNewDevices()
                .addNewRequest()
                .withName("gpu")
                .withNewExactly()
                .withDeviceClassName(DRIVER)
                .withCount(count)
                .endExactly()
                .endRequest()
                .endDevices()
                .endSpec()
                .build())
        .create();
  }

  /** A template by that name for claims of so many GPUs; the mode may be All. */
  void template(String name, String mode, Long count) {
    template(
        name,
        new ExactDeviceRequestBuilder()
            .withDeviceClassName(DRIVER)
            .withAllocationMode(mode)
            .withCount(count)
            .build());
  }

  /** A template by that name for claims that ask for that. */
  void template(String name, ExactDeviceRequest exactly) {
    space
        .client()
        .resource(
            new ResourceClaimTemplateBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewSpec()
                .withNewSpec()
                .withNewDevices()
                .addNewRequest()
                .withName("devices")
                .withExactly(exactly)
                .endRequest()
                .endDevices()
                .endSpec()
                .endSpec()
                .build())
        .create();
  }

  /** The pod with a claim of its own by that template. */
  static Pod claimingBy(Pod pod, String template) {
    pod.getSpec()
        .setResourceClaims(
            List.of(
                new PodResourceClaimBuilder()
                    .withName("devices")
                    .withResourceClaimTemplateName(template)
                    .build()));
    return pod;
  }

  /** Devices that claims of the test's namespace have. */
  long allocated() {
    return space
        .client()
        .resources(ResourceClaim.class)
        .inNamespace(space.namespace())
        .list()
        .getItems()
        .stream()
        .filter(claim -> claim.getStatus() != null && claim.getStatus().getAllocation() != null)
        .mapToLong(claim -> claim.getStatus().getAllocation().getDevices().getResults().size())
        .sum();
  }

  /** The pod with what is claimed by that name. */
  static Pod claiming(Pod pod, String claim) {
    pod.getSpec()
        .setResourceClaims(
            List.of(
                new PodResourceClaimBuilder()
                    .withName("devices")
                    .withResourceClaimName(claim)
                    .build()));
    return pod;
  }

  /** The first so many GPUs of the node get a taint of that effect. */
  void taint(String node, int count, String effect) {
    space
        .client()
        .resources(ResourceSlice.class)
        .withName(node + "-gpu")
        .edit(slice -> {
          var all = slice.getSpec().getDevices();
          for (int i = 0; i < count; i++) {
            all.get(i).setTaints(List.of(taint(effect)));
          }
          return slice;
        });
  }

  private static DeviceTaint taint(String effect) {
    return new DeviceTaintBuilder().withKey("example.com/broken").withEffect(effect).build();
  }

  @Override
  public void close() {
    var client = space.client();
    slices.forEach(name -> client.resources(ResourceSlice.class).withName(name).delete());
    classes.forEach(name ->
        client
            .resources(io.fabric8.kubernetes.api.model.resource.v1.DeviceClass.class)
            .withName(name)
            .delete());
  }
}
