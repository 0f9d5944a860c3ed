package io.muster.e2e;

import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** GPUs that Dynamic Resource Allocation offers, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class DraIT {

  private static final Duration SOON = Duration.ofSeconds(40);

  @Test
  void aPodWithoutAGangRunsOnANodeThatListsNoGpus(TestSpace space) {
    try (var devices = DraDevices.ofGpus(space)) {
      devices.on(space.nodes(1, NodeShape.CPU), 8);
      var single =
          GangManifest.of(space, "single", 1)
              .without(GangManifest.NAME)
              .without(GangManifest.MIN)
              .gpus(8);
      single.create();
      Await.until("the pod to be bound", SOON, () -> node(space, "single-0").isPresent());
    }
  }

  private static Optional<String> node(TestSpace space, String pod) {
    var found = space.client().pods().inNamespace(space.namespace()).withName(pod).get();
    return Optional.ofNullable(found.getSpec().getNodeName());
  }
}
