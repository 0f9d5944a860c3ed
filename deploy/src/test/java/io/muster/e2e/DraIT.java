package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** GPUs that Dynamic Resource Allocation offers, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class DraIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Duration CONTENTION = Duration.ofMinutes(3);
  private static final Duration TOGETHER = Duration.ofSeconds(5);
  private static final int CONTENDING = 24;

  @Test
  void aPodWithoutAGangRunsOnANodeThatListsNoGpus(TestSpace space) {
    try (var devices = DraDevices.ofGpus(space)) {
      devices.on(space.nodes(1, NodeShape.CPU), 8);
      single(space, "single").gpus(8).create();
      Await.until("the pod to be bound", SOON, () -> node(space, "single-0").isPresent());
    }
  }

  @Test
  void aGangStartsOnNodesOfBothKindsAsIfTheyWereOfOne(Sandbox sandbox, TestSpace space) {
    try (var devices = DraDevices.ofGpus(space);
        var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      var nodes = new ArrayList<>(space.nodes(2, NodeShape.GPU4));
      var withDra = space.nodes(2, NodeShape.CPU);
      devices.on(withDra, 4);
      nodes.addAll(withDra);
      var gang = GangManifest.of(space, "both", 4).gpus(4);
      gang.create();
      Await.until("the gang to run", SOON, () -> gang.running() == 4);

      assertThat(gang.stored())
          .extracting(pod -> pod.getSpec().getNodeName())
          .containsExactlyInAnyOrderElementsOf(nodes);
      assertThat(watch.spread(gang.gang(), 4))
          .hasValueSatisfying(spread -> assertThat(spread).isLessThan(TOGETHER));
      var more = GangManifest.of(space, "more", 2);
      more.create();
      Await.until(
          "the next to say that nothing is free",
          SOON,
          () -> GangManifest.why(space, "more").contains("0 nvidia.com/gpu of the 2 needed"));
      assertThat(watch.everBound(more.gang())).isEmpty();
    }
  }

  @Test
  void taintedAndAllocatedDevicesAreNotPlannedOn(Sandbox sandbox, TestSpace space) {
    try (var devices = DraDevices.ofGpus(space);
        var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      var node = space.nodes(1, NodeShape.CPU).getFirst();
      devices.on(node, 5, "gpu");
      devices.taint(node, 2, "NoSchedule");
      devices.claim("other", 1);
      var holder = DraDevices.claiming(single(space, "holder").pod("holder"), "other");
      single(space, "holder").create(holder);
      Await.until("the claim to be allocated", SOON, () -> node(space, "holder").isPresent());
      var gang = GangManifest.of(space, "train", 3);
      gang.create();
      Await.until(
          "the gang to say what is free",
          SOON,
          () -> GangManifest.why(space, "train").contains("2 nvidia.com/gpu of the 3 needed"));
      assertThat(watch.everBound(gang.gang())).isEmpty();

      space.client().pods().resource(holder).withGracePeriod(0).delete();
      Await.until("the gang to run", SOON, () -> gang.running() == 3);
    }
  }

  @Test
  void whatCannotBeCountedIsSaid(TestSpace space) {
    try (var devices = DraDevices.ofGpus(space)) {
      devices.deviceClass("bad.example.com", Optional.of("example.com/bad"), "missing == \"x\"");
      devices.on(space.nodes(1, NodeShape.CPU), 4);
      var gang = GangManifest.of(space, "train", 2).gpus(0);
      for (var pod : gang.pods()) {
        pod.getSpec()
            .getContainers()
            .getFirst()
            .getResources()
            .setLimits(Map.of("example.com/bad", new Quantity("1")));
        gang.create(pod);
      }
      Await.until(
          "the gang to say why",
          SOON,
          () ->
              GangManifest.why(space, "train")
                  .contains("devices of 1 node cannot be counted: DeviceClass bad.example.com"));
    }
  }

  @Test
  void gangsThatContendForBothKindsStartWhole(Sandbox sandbox, TestSpace space) {
    try (var devices = DraDevices.ofGpus(space);
        var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      space.nodes(2, NodeShape.GPU4);
      devices.on(space.nodes(2, NodeShape.CPU), 4);
      var waiting = new ArrayList<GangManifest>();
      for (int i = 0; i < CONTENDING; i++) {
        waiting.add(GangManifest.of(space, "g" + i, 4));
      }
      var all = List.copyOf(waiting);
      all.forEach(GangManifest::create);
      Await.until(
          "all gangs to have run",
          CONTENTION,
          () -> {
            for (var gang : List.copyOf(waiting)) {
              if (gang.running() == 4) {
                gang.stored()
                    .forEach(
                        pod -> space.client().pods().resource(pod).withGracePeriod(0).delete());
                waiting.remove(gang);
              }
            }
            return waiting.isEmpty();
          });
      for (var gang : all) {
        assertThat(watch.spread(gang.gang(), 4))
            .as("from the first to the last binding of %s", gang.name())
            .hasValueSatisfying(spread -> assertThat(spread).isLessThan(TOGETHER));
      }
    }
  }

  private static GangManifest single(TestSpace space, String name) {
    return GangManifest.of(space, name, 1)
        .without(GangManifest.NAME)
        .without(GangManifest.MIN)
        .gpus(0);
  }

  private static Optional<String> node(TestSpace space, String pod) {
    var found = space.client().pods().inNamespace(space.namespace()).withName(pod).get();
    return Optional.ofNullable(found.getSpec().getNodeName());
  }
}
