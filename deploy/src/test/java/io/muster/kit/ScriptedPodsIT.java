package io.muster.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pods play what their annotations say. */
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class ScriptedPodsIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String SCRIPT = "test.muster.io/script";

  @BeforeEach
  void makeRoom(TestSpace space) {
    space.nodes(1, NodeShape.CPU);
  }

  @Test
  void endsWithTheCodeAndReasonOfItsScriptWhenItsTimeIsOver(TestSpace space) {
    create(space, "well", Map.of(SCRIPT, "run 2s; exit 0"), "main");
    create(space, "killed", Map.of(SCRIPT, "run 500ms; exit 137 OOMKilled"), "main");
    awaitPhase(space, "well", "Running");
    long running = System.nanoTime();
    // An update does not prolong the run.
    space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withName("well")
        .edit(
            pod -> new PodBuilder(pod).editMetadata().addToLabels("a", "b").endMetadata().build());

    awaitPhase(space, "killed", "Failed");
    assertThat(terminated(get(space, "killed"), 0))
        .returns(137, ContainerStateTerminated::getExitCode)
        .returns("OOMKilled", ContainerStateTerminated::getReason);
    awaitPhase(space, "well", "Succeeded");
    assertThat(Duration.ofNanos(System.nanoTime() - running))
        .isBetween(Duration.ofMillis(1500), Duration.ofMillis(3500));
    assertThat(terminated(get(space, "well"), 0))
        .returns(0, ContainerStateTerminated::getExitCode)
        .returns("Completed", ContainerStateTerminated::getReason);
  }

  @Test
  void isEvictedAsByAKubelet(TestSpace space) {
    create(space, "evicted", Map.of(SCRIPT, "run 500ms; evict"), "main");

    awaitPhase(space, "evicted", "Failed");
    var pod = get(space, "evicted");
    assertThat(pod.getStatus().getReason()).isEqualTo("Evicted");
    assertThat(terminated(pod, 0).getExitCode()).isEqualTo(137);
    assertThat(condition(pod, "DisruptionTarget")).isEqualTo("True");
    assertThat(condition(pod, "Ready")).isEqualTo("False");
  }

  @Test
  void restartsItsContainerAsOftenAsItCrashes(TestSpace space) {
    create(space, "crashing", Map.of(SCRIPT, "crash 2"), "main");

    Await.until(
        "the container to wait",
        SOON,
        () ->
            status(get(space, "crashing"), 0)
                .filter(container -> container.getState().getWaiting() != null)
                .anyMatch(container ->
                    container.getState().getWaiting().getReason().equals("CrashLoopBackOff")));
    Await.until(
        "both restarts",
        SOON,
        () ->
            status(get(space, "crashing"), 0)
                .anyMatch(container ->
                    container.getRestartCount() == 2 && container.getState().getRunning() != null));
    var pod = get(space, "crashing");
    assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
    assertThat(condition(pod, "Ready")).isEqualTo("True");
    assertThat(pod.getStatus().getContainerStatuses().getFirst().getLastState().getTerminated())
        .returns(1, ContainerStateTerminated::getExitCode);
  }

  @Test
  void runsWithoutBecomingReadyOrWithASidecarThatStays(TestSpace space) {
    create(space, "slow", Map.of(SCRIPT, "never ready"), "main");
    create(space, "left", Map.of(SCRIPT, "run 500ms; exit 3; others stay"), "main", "sidecar");

    awaitPhase(space, "slow", "Running");
    Await.until(
        "the first container to end",
        SOON,
        () ->
            status(get(space, "left"), 0)
                .anyMatch(container -> container.getState().getTerminated() != null));
    var left = get(space, "left");
    assertThat(left.getStatus().getPhase()).isEqualTo("Running");
    assertThat(terminated(left, 0).getExitCode()).isEqualTo(3);
    assertThat(left.getStatus().getContainerStatuses().get(1).getState().getRunning()).isNotNull();
    var slow = get(space, "slow");
    assertThat(slow.getStatus().getPhase()).isEqualTo("Running");
    assertThat(condition(slow, "Ready")).isEqualTo("False");
    assertThat(slow.getStatus().getContainerStatuses().getFirst().getReady()).isFalse();
  }

  @Test
  void failsWithASentenceIfItsScriptIsNone(TestSpace space) {
    create(space, "odd", Map.of(SCRIPT, "run 3s, exit 0"), "main");

    awaitPhase(space, "odd", "Failed");
    assertThat(get(space, "odd").getStatus().getReason()).isEqualTo("BadScript");
    assertThat(get(space, "odd").getStatus().getMessage()).contains("run 3s; ");
  }

  @Test
  void keepsItsNodeUntilItsGraceIsOver(TestSpace space) {
    create(space, "graceful", Map.of("test.muster.io/grace", "2s"), "main");
    create(space, "quick", Map.of("test.muster.io/grace", "0s"), "main");
    awaitPhase(space, "graceful", "Running");
    awaitPhase(space, "quick", "Running");
    var pods = space.client().pods().inNamespace(space.namespace());
    long asked = System.nanoTime();
    pods.withName("graceful").withGracePeriod(30).delete();
    pods.withName("quick").withGracePeriod(30).delete();

    Await.until("the quick one to be gone", SOON, () -> pods.withName("quick").get() == null);
    assertThat(get(space, "graceful").getSpec().getNodeName()).isNotBlank();
    Await.until("the other to be gone", SOON, () -> pods.withName("graceful").get() == null);
    assertThat(Duration.ofNanos(System.nanoTime() - asked))
        .isBetween(Duration.ofSeconds(2), Duration.ofMillis(4500));
  }

  @Test
  void showsWhatItIsSaidToHavePrinted(Sandbox sandbox, TestSpace space) {
    create(space, "talking", Map.of(SCRIPT, "run 30s; exit 0"), "main");
    awaitPhase(space, "talking", "Running");
    var logs = new PodLogs(sandbox);
    logs.print(get(space, "talking"), List.of("Step #1", "Step #2"));
    logs.print(get(space, "talking"), List.of("Step #3"));

    Await.until(
        "kubectl to show the log",
        SOON,
        () ->
            sandbox
                .kubectl("logs", "-n", space.namespace(), "talking", "--ignore-errors=true")
                .equals("Step #1\nStep #2\nStep #3\n"));
  }

  private static void create(
      TestSpace space, String name, Map<String, String> annotations, String... containers) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withAnnotations(annotations)
            .endMetadata()
            .withNewSpec()
            .withNodeSelector(space.nodeSelector())
            .withRestartPolicy("Never")
            .withContainers(
                Stream.of(containers)
                    .map(container ->
                        new ContainerBuilder().withName(container).withImage("any").build())
                    .toList())
            .endSpec()
            .build();
    space.client().pods().inNamespace(space.namespace()).resource(pod).create();
  }

  private static void awaitPhase(TestSpace space, String name, String phase) {
    Await.until(
        name + " to be " + phase,
        SOON,
        () -> get(space, name).getStatus().getPhase().equals(phase));
  }

  private static Pod get(TestSpace space, String name) {
    return space.client().pods().inNamespace(space.namespace()).withName(name).get();
  }

  private static Stream<ContainerStatus> status(Pod pod, int container) {
    return pod.getStatus().getContainerStatuses().stream().skip(container).limit(1);
  }

  private static ContainerStateTerminated terminated(Pod pod, int container) {
    return pod.getStatus().getContainerStatuses().get(container).getState().getTerminated();
  }

  private static String condition(Pod pod, String type) {
    return pod.getStatus().getConditions().stream()
        .filter(condition -> Objects.equals(condition.getType(), type))
        .map(condition -> condition.getStatus())
        .findFirst()
        .orElse("none");
  }
}
