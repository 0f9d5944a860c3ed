package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequestBuilder;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Members that claim devices by name, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class ClaimsIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String TEMPLATE = "gpus";

  @Test
  void claimedAndAskedForDevicesAreCountedTogether(Sandbox sandbox, TestSpace space) {
    try (var devices = DraDevices.ofGpus(space);
        var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      devices.on(space.nodes(2, NodeShape.CPU), 4);
      devices.template(TEMPLATE, "ExactCount", 3L);
      var mixed = GangManifest.of(space, "mixed", 3);
      for (var pod : mixed.gpus(0).pods().subList(0, 2)) {
        mixed.create(DraDevices.claimingBy(pod, TEMPLATE));
      }
      mixed.create(mixed.pods().getLast());
      Await.until("the gang to run", SOON, () -> mixed.running() == 3);
      assertThat(devices.allocated()).isEqualTo(7);

      var next = GangManifest.of(space, "next", 2);
      next.create();
      Await.until(
          "the next to say what is free",
          SOON,
          () -> GangManifest.why(space, "next").contains("1 nvidia.com/gpu of the 2 needed"));
      assertThat(watch.everBound(next.gang())).isEmpty();
      mixed.delete();
      Await.until("the next to run", SOON, () -> next.running() == 2);
    }
  }

  @Test
  void aMemberWaitsForTheTemplateThatItNames(TestSpace space) {
    try (var devices = DraDevices.ofGpus(space)) {
      devices.on(space.nodes(1, NodeShape.CPU), 2);
      var gang = claiming(space);
      Await.until(
          "the gang to say what is missing",
          SOON,
          () ->
              GangManifest.why(space, "train")
                  .contains("names the ResourceClaimTemplate gpus, which is not"));
      devices.template(TEMPLATE, "ExactCount", 1L);
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
    }
  }

  @Test
  void whatCannotBeCountedIsRefusedWithWhatWouldDo(TestSpace space) {
    try (var devices = DraDevices.ofGpus(space)) {
      devices.on(space.nodes(1, NodeShape.CPU), 2);
      devices.template(TEMPLATE, "All", null);
      var gang = claiming(space);
      Await.until(
          "the gang to say what would do",
          SOON,
          () ->
              GangManifest.why(space, "train")
                  .contains(
                      "spec.resourceClaims[0] asks for all devices of a node; ask for a count"));
      assertThat(gang.bound()).isZero();
    }
  }

  /** As those of network interfaces and of ComputeDomains. */
  @Test
  void otherClaimsAreKubeSchedulersMatter(TestSpace space) {
    try (var devices = DraDevices.ofGpus(space)) {
      var node = space.nodes(1, NodeShape.CPU).getFirst();
      devices.on(node, 2, "nic");
      devices.deviceClass("nic.example.com", Optional.empty(), "type == \"nic\"");
      devices.template(
          TEMPLATE,
          new ExactDeviceRequestBuilder()
              .withDeviceClassName("nic.example.com")
              .addNewSelector()
              .withNewCel("device.driver == 'gpu.example.com'")
              .endSelector()
              .build());
      var gang = claiming(space);
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      assertThat(devices.allocated()).isEqualTo(2);
    }
  }

  /**
   * kube-scheduler deletes those that it made, and frees others where the pod could go elsewhere.
   */
  @Test
  void aBindThatFailsLeavesNoClaimAllocated(Sandbox sandbox, TestSpace space) {
    try (var devices = DraDevices.ofGpus(space)) {
      devices.on(space.nodes(2, NodeShape.CPU), 4);
      devices.template(TEMPLATE, "ExactCount", 1L);
      var gang = GangManifest.of(space, "train", 4);
      for (var pod : gang.gpus(0).pods().subList(0, 2)) {
        gang.create(DraDevices.claimingBy(pod, TEMPLATE));
      }
      gang.createUntilHeld(0, () -> 0);
      gang.create(gang.pods().get(2));
      Await.until(
          "the bind calls to be held", SOON, () -> sandbox.muster().orElseThrow().heldBinds() == 3);
      assertThat(devices.allocated()).isEqualTo(3);

      gang.endStandIn();
      Await.until("no claim to be allocated", SOON, () -> devices.allocated() == 0);
      gang.create(gang.pods().getLast());
      Await.until("the gang to run", SOON, () -> gang.running() == 4);
      assertThat(devices.allocated()).isEqualTo(4);
    }
  }

  private static GangManifest claiming(TestSpace space) {
    var gang = GangManifest.of(space, "train", 2).gpus(0);
    gang.pods().forEach(pod -> gang.create(DraDevices.claimingBy(pod, TEMPLATE)));
    return gang;
  }
}
