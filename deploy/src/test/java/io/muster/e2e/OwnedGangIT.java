package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
import io.muster.faults.Capacity;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs with an owner that makes some pods only once others run, or looks after losses. */
@ExtendWith(SandboxExtension.class)
final class OwnedGangIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String WORKER_CPU = "30";
  private static final String LAUNCHER_CPU = "20";

  /** A worker and a launcher do not fit on one node of 32 cores. */
  @Test
  void aGangStartsWithRoomForItsLauncherWhichIsKeptUntilItComes(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var plain = GangManifest.of(space, "train", 2);
    var workers =
        plain.annotated(
            "muster.io/gang-later",
            "{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}],\"nodeSelector\":{\"%s\":\"%s\"}}"
                .formatted(LAUNCHER_CPU, TestSpace.SET_LABEL, space.namespace()));
    workers.pods().forEach(pod -> workers.create(asking(WORKER_CPU, pod)));
    Await.until(
        "the gang to say for whom there is no room",
        SOON,
        () -> message(space).startsWith("no room for the pod that comes later (cpu 20) beside 2"));
    Await.until("its members to say so", SOON, () -> isToldToAMember(space));
    assertThat(workers.bound()).isZero();

    space.nodes(1, NodeShape.GPU1);
    Await.until("the workers to run", SOON, () -> workers.running() == 2);
    var another =
        GangManifest.of(space, "another", 1).without(GangManifest.NAME).without(GangManifest.MIN);
    another.create(asking(LAUNCHER_CPU, another.pod("another-0")));
    assertThat(Await.within(Duration.ofSeconds(5), () -> isOnANode(space, "another-0"))).isFalse();

    plain.create(asking(LAUNCHER_CPU, plain.gpus(0).pod("train-launcher")));
    Await.until("the launcher to run", SOON, () -> plain.running() == 3);
    assertThat(isOnANode(space, "another-0")).isFalse();
    assertThat(Capacity.exceeded(space)).isEmpty();
    space.nodes(1, NodeShape.GPU1);
    Await.until("the other pod to run too", SOON, () -> isOnANode(space, "another-0"));
  }

  /** A quarter of eight devices would be two. */
  @Test
  void noMoreIsKeptForLaterPodsThanAResourceQuotaLeaves(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    space
        .client()
        .resourceQuotas()
        .inNamespace(space.namespace())
        .resource(
            new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("devices")
                .endMetadata()
                .withNewSpec()
                .addToHard("requests.nvidia.com/gpu", new Quantity("1"))
                .endSpec()
                .build())
        .create();
    promising(space, "train").create();
    Await.until("room to be kept", SOON, () -> message(space).contains("; room is kept"));

    var other = promising(space, "other");
    other.create();
    Await.until(
        "the other gang to start without",
        SOON,
        () -> message(space, "other").equals("1 of at least 1 members bound"));
  }

  /** A gang of one without a GPU, before a pod with one. */
  private static GangManifest promising(TestSpace space, String name) {
    return GangManifest.of(space, name, 1)
        .gpus(0)
        .annotated(
            "muster.io/gang-later",
            "{\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}}],\"nodeSelector\":{\"%s\":\"%s\"}}"
                .formatted(TestSpace.SET_LABEL, space.namespace()));
  }

  @Test
  void aGangWhoseOwnerLooksAfterItRunsOnWithFewer(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 2).annotated("muster.io/gang-on-loss", "owner");
    gang.create();
    Await.until("the gang to run", SOON, () -> gang.running() == 2);
    space.client().pods().resource(gang.pod("train-0")).withGracePeriod(0).delete();
    Await.until(
        "the gang to say whose business that is",
        SOON,
        () -> message(space).equals("1 member left, fewer than 2; their owner looks after them"));
    assertThat(status(space).map(GangStatus::phase)).hasValue("Running");

    gang.create(gang.pod("train-0"));
    Await.until("the new member to run", SOON, () -> gang.running() == 2);
  }

  /** By default its second pod is created once the first one is ready. */
  @Test
  void aGangOfAStatefulSetThatCreatesItsPodsOneByOneSaysWhatItNeeds(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var plain = GangManifest.of(space, "train", 2);
    var sets = space.client().apps().statefulSets().inNamespace(space.namespace());
    var oneByOne = statefulSet(plain);
    sets.resource(oneByOne).create();
    Await.until(
        "the gang to say so",
        SOON,
        () ->
            status(space)
                .filter(status -> status.message().equals("1 of 2 members exist"))
                .filter(status -> status.remedy().endsWith("podManagementPolicy: Parallel"))
                .isPresent());

    sets.resource(oneByOne).withGracePeriod(0).delete();
    Await.until("it to be gone", SOON, () -> plain.stored().isEmpty());
    var atOnce = statefulSet(plain);
    atOnce.getSpec().setPodManagementPolicy("Parallel");
    sets.resource(atOnce).create();
    Await.until("both to run", SOON, () -> plain.running() == 2);
  }

  private static StatefulSet statefulSet(GangManifest gang) {
    var pod = gang.pod("train-0");
    pod.getSpec().setRestartPolicy("Always");
    pod.getSpec().setTerminationGracePeriodSeconds(0L);
    var labels = Map.of("app", "train");
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("train")
        .endMetadata()
        .withNewSpec()
        .withReplicas(2)
        .withServiceName("train")
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withAnnotations(pod.getMetadata().getAnnotations())
        .withLabels(labels)
        .endMetadata()
        .withSpec(pod.getSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  private static Pod asking(String cpu, Pod pod) {
    var resources = pod.getSpec().getContainers().getFirst().getResources();
    var requests = new HashMap<>(resources.getRequests());
    requests.put("cpu", new Quantity(cpu));
    resources.setRequests(requests);
    return pod;
  }

  private static boolean isOnANode(TestSpace space, String name) {
    return space
            .client()
            .pods()
            .inNamespace(space.namespace())
            .withName(name)
            .get()
            .getSpec()
            .getNodeName()
        != null;
  }

  private static boolean isToldToAMember(TestSpace space) {
    return space.client().v1().events().inNamespace(space.namespace()).list().getItems().stream()
        .anyMatch(event ->
            "FailedScheduling".equals(event.getReason())
                && "Pod".equals(event.getInvolvedObject().getKind())
                && event
                    .getMessage()
                    .contains("due to no room for the pod that comes later (cpu 20)"));
  }

  private static String message(TestSpace space) {
    return message(space, "train");
  }

  private static String message(TestSpace space, String gang) {
    return status(space, gang).map(GangStatus::message).orElse("");
  }

  private static Optional<GangStatus> status(TestSpace space) {
    return status(space, "train");
  }

  private static Optional<GangStatus> status(TestSpace space, String gang) {
    return Optional.ofNullable(
            space
                .client()
                .resources(Gang.class)
                .inNamespace(space.namespace())
                .withName(gang)
                .get())
        .map(Gang::getStatus);
  }
}
