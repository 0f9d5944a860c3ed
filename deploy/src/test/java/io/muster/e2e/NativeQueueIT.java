package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGroup;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Gangs of the cluster's own gang scheduling that wait in a queue of Muster's. */
@Tag("long")
final class NativeQueueIT {

  private static final Duration SOON = Duration.ofSeconds(40);

  private static Sandbox sandbox;

  @BeforeAll
  static void start() {
    sandbox = NativeCluster.start("native-queue", NativeCluster::withJobs);
  }

  @AfterAll
  static void stop() {
    sandbox.close();
  }

  private static TestSpace open(String name) {
    var space = TestSpace.open(sandbox, name);
    sandbox.kubectl("label", "namespace", space.namespace(), "muster.io/queue=default");
    return space;
  }

  /** What the Job controller of Kubernetes takes for a gang: it makes the PodGroup itself. */
  private static Job indexed(TestSpace space, int size) {
    var plain =
        GangManifest.of(space, "train", size)
            .without(GangManifest.NAME)
            .without(GangManifest.MIN)
            .job();
    return new JobBuilder(plain)
        .editSpec()
        .withCompletionMode("Indexed")
        .addToAdditionalProperties(NativeCluster.gangOfJob(size))
        .endSpec()
        .build();
  }

  private static void create(TestSpace space, Job job) {
    space.client().batch().v1().jobs().inNamespace(space.namespace()).resource(job).create();
  }

  private static List<Pod> pods(TestSpace space) {
    return space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withLabel("job-name", "train")
        .list()
        .getItems();
  }

  private static long running(TestSpace space) {
    return pods(space).stream().filter(pod -> "Running".equals(pod.getStatus().getPhase())).count();
  }

  private static Optional<GangStatus> gangOf(TestSpace space) {
    return pods(space).stream()
        .map(pod -> pod.getSpec().getSchedulingGroup().getPodGroupName())
        .findFirst()
        .flatMap(name ->
            Optional.ofNullable(
                space
                    .client()
                    .resources(Gang.class)
                    .inNamespace(space.namespace())
                    .withName(name)
                    .get()))
        .flatMap(gang -> Optional.ofNullable(gang.getStatus()));
  }

  /** Row NP7: nothing on the Job is Muster's. */
  @Test
  void aJobWithAPodGroupOfItsOwnWaitsWithReasonAndPositionAndThenRunsWhole() {
    try (var space = open("job")) {
      space.nodes(3, NodeShape.GPU1);
      var before = GangManifest.of(space, "before", 1).annotated("muster.io/run-time", "10m");
      before.create();
      Await.until("the one before to run", SOON, () -> before.running() == 1);
      create(space, indexed(space, 3));
      Await.until(
          "the gang to say why it waits, where, and for how long",
          SOON,
          () ->
              gangOf(space)
                  .filter(gang -> gang.reason().equals("NoRoom"))
                  .filter(gang -> gang.position() != null && gang.expectedStart() != null)
                  .isPresent());
      assertThat(gangOf(space).orElseThrow().position()).isEqualTo(1);
      assertThat(pods(space))
          .hasSize(3)
          .allSatisfy(pod -> {
            assertThat(pod.getSpec().getNodeName()).isNull();
            assertThat(pod.getSpec().getSchedulingGates()).isNotEmpty();
            assertThat(pod.getMetadata().getAnnotations())
                .containsEntry("muster.io/queue", "default");
          });

      before.delete();
      Await.until("the job to run whole", SOON, () -> running(space) == 3);
      Await.until(
          "the gang to say so",
          SOON,
          () -> gangOf(space).filter(gang -> gang.phase().equals("Running")).isPresent());
      var lost = pods(space).getFirst();
      space.client().pods().resource(lost).withGracePeriod(0).delete();
      Await.until(
          "a replacement to run",
          SOON,
          () ->
              running(space) == 3
                  && pods(space).stream()
                      .noneMatch(
                          pod -> pod.getMetadata().getUid().equals(lost.getMetadata().getUid())));
    }
  }

  /** Row NP8: bare pods come before their PodGroup does. */
  @Test
  void podsWaitForTheirPodGroupAndTheGangSaysSo() {
    try (var space = open("late")) {
      space.nodes(2, NodeShape.GPU1);
      var gang =
          GangManifest.of(space, "train", 2).without(GangManifest.NAME).without(GangManifest.MIN);
      gang.pods().forEach(pod -> gang.create(named(pod, "mine")));
      Await.until(
          "the gang to say what is missing",
          SOON,
          () -> GangManifest.why(space, "mine").contains("PodGroup \"mine\" (scheduling.k8s.io)"));
      var manifest =
          "apiVersion: %s\nkind: PodGroup\n".formatted(NativeCluster.API_VERSION)
              + "metadata: {name: mine, namespace: %s}\n".formatted(space.namespace())
              + "spec: {schedulingPolicy: {gang: {minCount: 2}}}\n";
      space
          .client()
          .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
          .create();
      Await.until(
          "both to run",
          SOON,
          () ->
              space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
                  .allMatch(pod -> "Running".equals(pod.getStatus().getPhase())));
    }
  }

  /** Row NP9. */
  @Test
  void withoutALabelOfTheNamespaceTheClusterStartsItAndMusterOnlyTells() {
    try (var space = TestSpace.open(sandbox, "observed")) {
      space.nodes(2, NodeShape.GPU1);
      create(space, indexed(space, 2));
      Await.until("the job to run", SOON, () -> running(space) == 2);
      assertThat(pods(space))
          .allSatisfy(pod ->
              assertThat(pod.getMetadata().getAnnotations())
                  .doesNotContainKey("muster.io/gang-dialect"));
      Await.until(
          "it to be told of",
          SOON,
          () -> gangOf(space).filter(gang -> gang.reason().equals("Observed")).isPresent());
    }
  }

  private static Pod named(Pod pod, String group) {
    pod.getSpec().setSchedulingGroup(new PodSchedulingGroup(group));
    return pod;
  }
}
