package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
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

  @Test
  void aGangOfWhichAClaimIsNotThereHoldsNothingUntilItIs(Sandbox sandbox, TestSpace space) {
    var nodes = space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 2);
    try (var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      gang.create(LocalVolumes.mounting(gang.pod("train-0"), CLAIM));
      gang.create(gang.pod("train-1"));
      waitsForIt(space, gang, "which is not there");

      var volumes = waitingForConsumers(space);
      nodes.forEach(volumes::on);
      volumes.claim(CLAIM);
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      assertThat(watch.everBound(gang.gang())).hasSize(2);
    }
  }

  @Test
  void aGangWhoseClaimHasAClassThatDoesNotExistHoldsNothingUntilItDoes(TestSpace space) {
    var nodes = space.nodes(2, NodeShape.GPU1);
    var volumes = new LocalVolumes(space, space.namespace());
    volumes.claim(CLAIM);
    var gang = aGangMountingIt(space);
    waitsForIt(space, gang, "whose StorageClass does not exist");

    storageClass(space, "WaitForFirstConsumer");
    nodes.forEach(volumes::on);
    Await.until("the gang to run", SOON, () -> gang.running() == 2);
  }

  @Test
  void soDoesOneWhoseClaimIsToBeBoundBeforeAPodNeedsIt(TestSpace space) {
    var nodes = space.nodes(2, NodeShape.GPU1);
    storageClass(space, "Immediate");
    var volumes = new LocalVolumes(space, space.namespace());
    volumes.claim(CLAIM);
    var gang = aGangMountingIt(space);
    waitsForIt(space, gang, "which has no volume yet");

    nodes.forEach(volumes::on);
    Await.until("the gang to run", SOON, () -> gang.running() == 2);
  }

  private static GangManifest aGangMountingIt(TestSpace space) {
    var gang = GangManifest.of(space, "train", 2);
    gang.create(LocalVolumes.mounting(gang.pod("train-0"), CLAIM));
    gang.create(gang.pod("train-1"));
    return gang;
  }

  /** The gang says so, and another that needs all nodes runs meanwhile and ends. */
  private static void waitsForIt(TestSpace space, GangManifest gang, String why) {
    Await.until(
        "the gang to name the claim",
        SOON,
        () ->
            reason(space, gang).equals("VolumeClaimsMissing")
                && why(space).contains("\"%s\", %s".formatted(CLAIM, why)));
    var behind = GangManifest.of(space, "behind", 2);
    behind.create();
    Await.until("the gang behind it to run", SOON, () -> behind.running() == 2);
    assertThat(reason(space, gang)).isEqualTo("VolumeClaimsMissing");
    space.client().pods().inNamespace(space.namespace()).withName("behind-0").delete();
    space.client().pods().inNamespace(space.namespace()).withName("behind-1").delete();
  }

  @Test
  void theClaimOfAnEphemeralVolumeMayComeAfterItsPod(TestSpace space) {
    var volumes = waitingForConsumers(space);
    space.nodes(2, NodeShape.GPU1).forEach(volumes::on);
    var gang = GangManifest.of(space, "train", 2);
    gang.pods().stream().map(volumes::withScratch).forEach(gang::create);
    Await.until("the gang to run", SOON, () -> gang.running() == 2);
  }

  private static LocalVolumes waitingForConsumers(TestSpace space) {
    storageClass(space, "WaitForFirstConsumer");
    return new LocalVolumes(space, space.namespace());
  }

  private static void storageClass(TestSpace space, String binding) {
    space
        .client()
        .resource(
            new StorageClassBuilder()
                .withNewMetadata()
                .withName(space.namespace())
                .endMetadata()
                .withProvisioner("kubernetes.io/no-provisioner")
                .withVolumeBindingMode(binding)
                .build())
        .serverSideApply();
  }

  private static String reason(TestSpace space, GangManifest gang) {
    return Optional.ofNullable(
            space
                .client()
                .resources(Gang.class)
                .inNamespace(space.namespace())
                .withName(gang.name())
                .get())
        .map(Gang::getStatus)
        .map(GangStatus::reason)
        .orElse("");
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
