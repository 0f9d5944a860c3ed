package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.kube.gang.Gang;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Volumes that are on one node, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class VolumesIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String CLAIM = "data";

  @Test
  void aGangWaitsForTheNodeOfItsVolumeAndSaysSo(Sandbox sandbox, TestSpace space) {
    var nodes = space.nodes(3, NodeShape.GPU1);
    var home = nodes.getLast();
    var before =
        GangManifest.of(space, "before", 1).without(GangManifest.NAME).without(GangManifest.MIN);
    var blocker = before.pod("before-0");
    blocker.getSpec().setNodeName(home);
    before.create(blocker);
    claimOnVolumeOf(space, home);
    var gang = GangManifest.of(space, "train", 2);
    try (var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      gang.create(LocalVolumes.mounting(gang.pod("train-0"), CLAIM));
      gang.create(gang.pod("train-1"));

      Await.until(
          "the gang to say that the volume is elsewhere",
          SOON,
          () -> why(space).contains("node(s) didn't match PersistentVolume's node affinity"));
      assertThat(watch.everBound(gang.gang())).isEmpty();

      space.client().pods().resource(blocker).withGracePeriod(0).delete();
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      assertThat(
              space
                  .client()
                  .pods()
                  .inNamespace(space.namespace())
                  .withName("train-0")
                  .get()
                  .getSpec()
                  .getNodeName())
          .isEqualTo(home);
    }
  }

  private static String why(TestSpace space) {
    return space
        .client()
        .resources(Gang.class)
        .inNamespace(space.namespace())
        .list()
        .getItems()
        .stream()
        .filter(gang -> gang.getStatus() != null && gang.getStatus().message() != null)
        .map(gang -> gang.getStatus().message())
        .findFirst()
        .orElse("");
  }

  private static void claimOnVolumeOf(TestSpace space, String node) {
    var volumes = new LocalVolumes(space, "by-hand");
    volumes.on(node);
    volumes.claim(CLAIM, node);
    var claims = space.client().persistentVolumeClaims().inNamespace(space.namespace());
    Await.until(
        "the claim to be bound",
        SOON,
        () -> "Bound".equals(claims.withName(CLAIM).get().getStatus().getPhase()));
  }
}
