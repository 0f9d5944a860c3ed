package io.muster.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The sandbox keeps its promises, without Muster. */
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class SandboxIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  @Test
  void runsAPodUntilItsTimeIsOver(TestSpace space) {
    var nodes = space.nodes(2, NodeShape.GPU1);
    create(space, pod("timed", Map.of("sandbox.muster.io/run-for", "2s"), 1));

    Await.until("the pod to run", SOON, () -> phase(space, "timed").equals("Running"));
    var running = get(space, "timed");
    assertThat(running.getSpec().getNodeName()).isIn(nodes);
    assertThat(running.getStatus().getPodIP()).startsWith("10.");
    assertThat(running.getStatus().getContainerStatuses())
        .singleElement()
        .satisfies(container -> assertThat(container.getReady()).isTrue());
    Await.until("the pod to end", SOON, () -> phase(space, "timed").equals("Succeeded"));
  }

  @Test
  void keepsAPodRunningWithoutAnEndAndRemovesItAfterItsGracePeriod(TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    create(space, pod("endless", Map.of(), 1));
    Await.until("the pod to run", SOON, () -> phase(space, "endless").equals("Running"));

    var pods = space.client().pods().inNamespace(space.namespace());
    pods.withName("endless").withGracePeriod(2).delete();
    assertThat(get(space, "endless").getMetadata().getDeletionTimestamp()).isNotBlank();
    Await.until("the pod to be gone", SOON, () -> pods.withName("endless").get() == null);
  }

  @Test
  void leavesAPodPendingThatNoNodeCanHold(TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    create(space, pod("large", Map.of(), 2));

    Await.until(
        "the verdict of kube-scheduler",
        SOON,
        () ->
            get(space, "large").getStatus().getConditions().stream()
                .anyMatch(condition -> Objects.equals(condition.getReason(), "Unschedulable")));
  }

  @Test
  void endsThePodsOfAJob(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var template = pod("worker", Map.of("sandbox.muster.io/run-for", "1s"), 1);
    template.getSpec().setRestartPolicy("Never");
    template.getSpec().setNodeSelector(space.nodeSelector());
    var jobs = space.client().batch().v1().jobs().inNamespace(space.namespace());
    jobs.resource(
            new JobBuilder()
                .withNewMetadata()
                .withName("job")
                .endMetadata()
                .withNewSpec()
                .withCompletions(2)
                .withParallelism(2)
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(template.getMetadata().getAnnotations())
                .endMetadata()
                .withSpec(template.getSpec())
                .endTemplate()
                .endSpec()
                .build())
        .create();

    Await.until(
        "the Job to succeed",
        SOON,
        () -> Objects.equals(jobs.withName("job").get().getStatus().getSucceeded(), 2));
  }

  /** Such a Job lets go of a pod that is deleted only once it has Failed. */
  @Test
  void endsADeletedPodOfAJobThatLooksIntoFailures(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var template = pod("worker", Map.of(), 1);
    template.getSpec().setRestartPolicy("Never");
    template.getSpec().setTerminationGracePeriodSeconds(1L);
    template.getSpec().setNodeSelector(space.nodeSelector());
    space
        .client()
        .batch()
        .v1()
        .jobs()
        .inNamespace(space.namespace())
        .resource(
            new JobBuilder()
                .withNewMetadata()
                .withName("strict")
                .endMetadata()
                .withNewSpec()
                .withNewPodFailurePolicy()
                .addNewRule()
                .withAction("Ignore")
                .addNewOnPodCondition("True", "DisruptionTarget")
                .endRule()
                .endPodFailurePolicy()
                .withNewTemplate()
                .withSpec(template.getSpec())
                .endTemplate()
                .endSpec()
                .build())
        .create();
    var pods = space.client().pods().inNamespace(space.namespace()).withLabel("job-name", "strict");
    Await.until(
        "the pod to run",
        SOON,
        () ->
            pods.list().getItems().stream()
                .anyMatch(pod -> pod.getStatus().getPhase().equals("Running")));
    var first = pods.list().getItems().getFirst().getMetadata().getName();
    space.client().pods().inNamespace(space.namespace()).withName(first).delete();
    Await.until(
        "the pod to be gone",
        SOON,
        () -> space.client().pods().inNamespace(space.namespace()).withName(first).get() == null);
  }

  @Test
  void takesANodeDownAndUpAgain(Sandbox sandbox, TestSpace space) {
    var node = space.nodes(1, NodeShape.CPU).getFirst();
    sandbox.nodes().takeDown(node);
    Await.until(
        "the node to be down", SOON, () -> sandbox.nodes().ready(space.nodeSelector()).isEmpty());
    sandbox.nodes().bringUp(node);
    Await.until(
        "the node to be up",
        SOON,
        () -> sandbox.nodes().ready(space.nodeSelector()).contains(node));
  }

  @Test
  void restartsTheSchedulerAlone(Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    sandbox.scheduler().kill();
    assertThat(sandbox.scheduler().process().isAlive()).isFalse();
    create(space, pod("early", Map.of(), 1));
    sandbox.scheduler().restart();

    Await.until("the pod to run", SOON, () -> phase(space, "early").equals("Running"));
  }

  @Test
  void cleansUpAfterAPredecessorThatWasKilledAndTouchesNothingElse(@TempDir Path folder)
      throws IOException {
    var state = new StateDirectory(folder.resolve("state"));
    var predecessor = upInAnotherJvm(folder, state);
    var stranger = new ProcessBuilder("sleep", "300").start();
    try {
      Await.until(
          "the predecessor to have started its API server",
          Duration.ofSeconds(60),
          () -> state.isRunning("etcd") && state.isRunning("kube-apiserver"));
      predecessor.destroyForcibly();
      Await.until("the end of the predecessor", SOON, () -> !predecessor.isAlive());
      var orphans = state.running();
      assertThat(orphans).hasSizeGreaterThanOrEqualTo(2);
      // A pid that was given to somebody else since it was written down.
      Files.writeString(state.pidFile("recycled"), stranger.pid() + "\n");

      try (var next = Sandbox.start(Layout.current(), SandboxOptions.bare(state))) {
        // Whoever inherits orphans may take its time to bury them.
        assertThat(orphans).noneMatch(orphan -> orphan.info().commandLine().isPresent());
        assertThat(next.nodes().add(NodeRequest.of("n", 1, NodeShape.CPU))).containsExactly("n-0");
        assertThat(state.running()).hasSize(5);
      }
      assertThat(state.running()).isEmpty();
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      predecessor.destroyForcibly();
      stranger.destroyForcibly();
      state.killAll();
    }
  }

  private static Process upInAnotherJvm(Path folder, StateDirectory state) throws IOException {
    var builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dmuster.deploy=" + Layout.current().deploy(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.muster.sandbox.Main",
                "up",
                "--bare")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("predecessor.log").toFile());
    builder.environment().put("MUSTER_SANDBOX_STATE", state.root().toString());
    return builder.start();
  }

  private static Pod pod(String name, Map<String, String> annotations, int gpus) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withImage("any")
        .withNewResources()
        .addToLimits("nvidia.com/gpu", new Quantity(Integer.toString(gpus)))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private static void create(TestSpace space, Pod pod) {
    pod.getSpec().setNodeSelector(space.nodeSelector());
    space.client().pods().inNamespace(space.namespace()).resource(pod).create();
  }

  private static Pod get(TestSpace space, String name) {
    return space.client().pods().inNamespace(space.namespace()).withName(name).get();
  }

  private static String phase(TestSpace space, String name) {
    return get(space, name).getStatus().getPhase();
  }
}
