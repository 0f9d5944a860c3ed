package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.faults.Capacity;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What may change between a gang's plan and its bindings, and whoever else may stand in the way: on
 * a real control plane, one assertion of the promise each.
 */
@ExtendWith(SandboxExtension.class)
final class RacesIT {

  private static final Duration SOON = Duration.ofSeconds(40);

  /** A node that failed a gang is kept from it for 60 s; kube-scheduler's backoff comes on top. */
  private static final Duration TRIED_AGAIN = Duration.ofSeconds(90);

  private static final int MEMBERS = 4;

  private static GangWatch watch;

  @BeforeAll
  static void watchAllGangs(Sandbox sandbox) {
    watch = new GangWatch(sandbox.client(), InstantSource.system());
  }

  @AfterAll
  static void lookAway() {
    watch.close();
  }

  /** What takes the place kept for the member that has not come yet. */
  enum Taken {
    TAINT {
      @Override
      void from(TestSpace space, String node) {
        space
            .client()
            .nodes()
            .withName(node)
            .edit(found -> {
              found.getSpec().getTaints().add(new Taint("NoSchedule", "busy", null, "yes"));
              return found;
            });
      }
    },
    CORDON {
      @Override
      void from(TestSpace space, String node) {
        space
            .client()
            .nodes()
            .withName(node)
            .edit(found -> {
              found.getSpec().setUnschedulable(true);
              return found;
            });
      }
    },
    CPU {
      @Override
      void from(TestSpace space, String node) {
        occupy(space, node, "daemon", Map.of("cpu", new Quantity("32")));
      }
    },
    GPU_OF_ANOTHER_SCHEDULER {
      @Override
      void from(TestSpace space, String node) {
        occupy(space, node, "foreign", Map.of("nvidia.com/gpu", new Quantity("1")));
      }
    },
    NODE_DELETED {
      @Override
      void from(TestSpace space, String node) {
        space.sandbox().nodes().remove(List.of(node));
      }
    };

    abstract void from(TestSpace space, String node);

    private static void occupy(
        TestSpace space, String node, String name, Map<String, Quantity> limits) {
      var manifest =
          GangManifest.of(space, name, 1)
              .without(GangManifest.NAME)
              .without(GangManifest.MIN)
              .gpus(0);
      var pod =
          new PodBuilder(manifest.pod(name))
              .editSpec()
              .withNodeName(node)
              .withSchedulerName("another")
              .endSpec()
              .build();
      pod.getSpec().getContainers().getFirst().getResources().setLimits(limits);
      pod.getSpec().getContainers().getFirst().getResources().setRequests(limits);
      manifest.create(pod);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TAINT", "GPU_OF_ANOTHER_SCHEDULER"})
  void aGangWhoseKeptPlaceIsTakenGoesElsewhereWhole(Taken taken, Sandbox sandbox, TestSpace space) {
    takeTheLastPlace(taken, sandbox, space);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = {"CORDON", "CPU", "NODE_DELETED"})
  void aGangWhoseKeptPlaceIsLostGoesElsewhereWhole(Taken taken, Sandbox sandbox, TestSpace space) {
    takeTheLastPlace(taken, sandbox, space);
  }

  private static void takeTheLastPlace(Taken taken, Sandbox sandbox, TestSpace space) {
    var nodes = space.nodes(MEMBERS + 1, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", MEMBERS);
    var pods = gang.pods();
    gang.createUntilHeld(MEMBERS - 1, sandbox.muster().orElseThrow()::heldBinds);
    // Alike nodes are taken in the order of their names.
    taken.from(space, nodes.get(MEMBERS - 1));
    gang.endStandIn();
    gang.create(pods.getLast());

    awaitRunning(gang, MEMBERS);
    assertThat(gang.stored())
        .noneMatch(pod -> nodes.get(MEMBERS - 1).equals(pod.getSpec().getNodeName()));
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  @Test
  void aQuotaThatRefusesAMemberKeepsNoRoomFromOthers(Sandbox sandbox, TestSpace space) {
    space.nodes(MEMBERS, NodeShape.GPU1);
    quota(space, MEMBERS - 1);
    var gang = GangManifest.of(space, "refused", MEMBERS);
    var pods = gang.pods();
    pods.subList(0, MEMBERS - 1).forEach(gang::create);
    assertThatThrownBy(() -> gang.create(pods.getLast()))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("exceeded quota");

    try (var elsewhere = TestSpace.open(sandbox, "beside")) {
      var other = GangManifest.of(elsewhere, "other", MEMBERS);
      other.pods().stream().map(pod -> onNodesOf(space, pod)).forEach(other::create);
      awaitRunning(other, MEMBERS);
      assertThat(watch.everBound(gang.gang())).isEmpty();
      other.stored().forEach(pod -> delete(space, pod));
    }
    quota(space, MEMBERS);
    Await.until("the quota to be seen", SOON, () -> created(gang, pods.getLast()));
    awaitRunning(gang, MEMBERS);
  }

  @Test
  void aMemberMadeAgainUnderItsNameWhileTheOthersAreHeldIsPlaced(Sandbox sandbox, TestSpace space) {
    space.nodes(MEMBERS, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", MEMBERS);
    var pods = gang.pods();
    gang.createUntilHeld(MEMBERS - 1, sandbox.muster().orElseThrow()::heldBinds);
    var gone = gang.stored().getFirst();
    delete(space, gone);
    gang.create(gang.pod(gone.getMetadata().getName()));
    gang.endStandIn();
    gang.create(pods.getLast());

    awaitRunning(gang, MEMBERS);
    assertThat(watch.everBound(gang.gang()))
        .hasSize(MEMBERS)
        .doesNotContain(gone.getMetadata().getUid());
  }

  @Test
  void membersNominatedToOtherNodesGoToTheirPlaces(TestSpace space) {
    var nodes = space.nodes(MEMBERS - 1, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", MEMBERS);
    gang.create();
    Await.until("the gang to wait", SOON, () -> phase(gang).equals("Waiting"));
    for (var pod : gang.stored()) {
      space
          .client()
          .pods()
          .resource(pod)
          .subresource("status")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"status\":{\"nominatedNodeName\":\"" + nodes.getFirst() + "\"}}");
    }
    space.nodes(1, NodeShape.GPU1);

    awaitRunning(gang, MEMBERS);
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  @Test
  void membersWhoseVolumesAreOnSomeNodesGoThereWhole(TestSpace space) {
    var nodes = space.nodes(MEMBERS + 2, NodeShape.GPU1);
    var withVolumes = nodes.subList(2, nodes.size());
    volumes(space, withVolumes);
    var gang = GangManifest.of(space, "train", MEMBERS);
    gang.pods().forEach(pod -> gang.create(claiming(space, pod)));

    awaitRunning(gang, MEMBERS);
    assertThat(placesOf(gang)).isEqualTo(Set.copyOf(withVolumes));
  }

  @Tag("long")
  @Test
  void aGangWithTooFewVolumesWaitsWhole(TestSpace space) {
    var nodes = space.nodes(MEMBERS, NodeShape.GPU1);
    volumes(space, nodes.subList(0, MEMBERS - 1));
    var gang = GangManifest.of(space, "train", MEMBERS);
    gang.pods().forEach(pod -> gang.create(claiming(space, pod)));

    var bound = Await.within(Duration.ofSeconds(6), () -> gang.bound() > 0);
    assertThat(bound).isFalse();
    volumes(space, nodes.subList(MEMBERS - 1, MEMBERS));
    Await.until("the gang to run", TRIED_AGAIN, () -> gang.running() == MEMBERS);
    assertThat(placesOf(gang)).isEqualTo(Set.copyOf(nodes));
  }

  private static void volumes(TestSpace space, List<String> nodes) {
    var storage = space.namespace();
    space
        .client()
        .resource(
            new StorageClassBuilder()
                .withNewMetadata()
                .withName(storage)
                .endMetadata()
                .withProvisioner("kubernetes.io/no-provisioner")
                .withVolumeBindingMode("WaitForFirstConsumer")
                .build())
        .serverSideApply();
    var volumes = new LocalVolumes(space, storage);
    nodes.forEach(volumes::on);
  }

  private static Pod claiming(TestSpace space, Pod pod) {
    var claim = pod.getMetadata().getName();
    new LocalVolumes(space, space.namespace()).claim(claim);
    return LocalVolumes.mounting(pod, claim);
  }

  private static void quota(TestSpace space, int pods) {
    space
        .client()
        .resource(
            new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("pods")
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewSpec()
                .addToHard("pods", new Quantity(Integer.toString(pods)))
                .endSpec()
                .build())
        .serverSideApply();
    Await.until(
        "the quota to count",
        SOON,
        () -> {
          var quota =
              space.client().resourceQuotas().inNamespace(space.namespace()).withName("pods").get();
          return quota.getStatus() != null
              && quota.getStatus().getHard() != null
              && quota.getSpec().getHard().equals(quota.getStatus().getHard());
        });
  }

  private static boolean created(GangManifest gang, Pod pod) {
    try {
      gang.create(pod);
      return true;
    } catch (KubernetesClientException _) {
      return false;
    }
  }

  private static Pod onNodesOf(TestSpace space, Pod pod) {
    pod.getSpec().setNodeSelector(space.nodeSelector());
    return pod;
  }

  private static Set<String> placesOf(GangManifest gang) {
    return gang.stored().stream()
        .map(pod -> pod.getSpec().getNodeName())
        .collect(Collectors.toSet());
  }

  private static String phase(GangManifest gang) {
    return Optional.ofNullable(
            gang.space()
                .client()
                .genericKubernetesResources("muster.io/v1alpha1", "Gang")
                .inNamespace(gang.space().namespace())
                .withName(gang.name())
                .get())
        .map(found -> found.<String>get("status", "phase"))
        .orElse("");
  }

  private static void delete(TestSpace space, Pod pod) {
    space.client().pods().resource(pod).withGracePeriod(0).delete();
  }

  private static void awaitRunning(GangManifest gang, int members) {
    Await.until(
        members + " members of " + gang.gang() + " to run", SOON, () -> gang.running() == members);
  }
}
