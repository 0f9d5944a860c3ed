package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.api.PodCounts;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** et-operator's jobs as their users know them; the rows are those of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class EtOperatorIT {

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  /** Rows 2, 8, 13 and 16, and script A of the acceptance rows. */
  @Tag("quick")
  @Test
  void aJobStartsScalesInScalesOutAndEnds(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var launcher = jobs.running("elastic-training");

    assertThat(jobs.conditions("elastic-training"))
        .containsExactly("Created", "WorkersCreated", "WorkersReady", "LauncherCreated", "Running");
    assertThat(jobs.printed("trainingjobs"))
        .containsExactly("NAME PHASE", "elastic-training Running");
    assertThat(jobs.printed("po"))
        .containsExactly(
            "NAME READY STATUS RESTARTS",
            "elastic-training-launcher 1/1 Running 0",
            "elastic-training-worker-0 1/1 Running 0",
            "elastic-training-worker-1 1/1 Running 0");
    assertThat(jobs.serviceNames())
        .containsExactly("elastic-training-worker-0", "elastic-training-worker-1");
    assertThat(launcher.file("/etc/edl/hostfile"))
        .isEqualTo("elastic-training-worker-0:1\nelastic-training-worker-1:1\n");
    assertThat(launcher.file("/job/hostfile"))
        .isEqualTo("elastic-training-worker-0 slots=1\nelastic-training-worker-1 slots=1\n");
    var status = jobs.status("elastic-training");
    assertThat(status.targetWorkers())
        .containsExactly("elastic-training-worker-0", "elastic-training-worker-1")
        .isEqualTo(status.currentWorkers());
    assertThat(status.replicaStatuses())
        .isEqualTo(
            Map.of(
                "Launcher", new PodCounts(1, null, null),
                "Worker", new PodCounts(2, null, null)));
    assertThat(status.restartCount()).isZero();
    var uid = uidOf(jobs, "elastic-training-launcher");
    Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > 0);
    long before = launcher.step();

    jobs.scaleIn("in", "elastic-training", "{count: 1}");
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    assertThat(jobs.scaleIn("in").getStatus().plan()).containsExactly("elastic-training-worker-1");
    assertThat(TrainingJobs.types(jobs.scaleIn("in").getStatus().conditions()))
        .containsExactly("Created", "Scaling", "ScriptExecuted", "ScaleSucceeded");
    assertThat(jobs.printed("scaleins")).containsExactly("NAME PHASE", "in ScaleSucceeded");
    assertThat(launcher.file("/etc/edl/hostfile")).isEqualTo("elastic-training-worker-0:1\n");
    assertThat(jobs.serviceNames()).containsExactly("elastic-training-worker-0");
    jobs.awaitPhase("elastic-training", "Running");
    assertThat(jobs.status("elastic-training").currentScaler()).isNull();
    long between = launcher.step();

    jobs.scaleOut("out", "elastic-training", "toAdd: {count: 2}");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    assertThat(jobs.scaleOut("out").getStatus().plan())
        .containsExactly("elastic-training-worker-1", "elastic-training-worker-2");
    assertThat(jobs.pods())
        .filteredOn(pod -> "out".equals(pod.getMetadata().getLabels().get("scaleout-name")))
        .hasSize(2);
    assertThat(launcher.file("/etc/edl/hostfile").lines()).hasSize(3);
    Await.until("all three at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 3);
    Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > between);
    assertThat(between).isGreaterThan(before);
    assertThat(uidOf(jobs, "elastic-training-launcher")).isEqualTo(uid);
    assertThat(launcher.blacklist()).isEmpty();

    launcher.finish(0);
    jobs.awaitPhase("elastic-training", "Succeeded");
    Await.until(
        "the workers to be gone",
        TrainingJobs.SOON,
        () -> jobs.podNames().equals(List.of("elastic-training-launcher")));
    assertThat(jobs.serviceNames()).isEmpty();
    assertThat(Instant.parse(jobs.status("elastic-training").completionTime()))
        .isBeforeOrEqualTo(Instant.now());
    assertThat(jobs.events("elastic-training"))
        .anyMatch(event -> event.startsWith("TrainingJobRunning"))
        .anyMatch(event -> event.startsWith("TrainingJobSucceeded"));
  }

  private static String uidOf(TrainingJobs jobs, String pod) {
    return jobs.pods().stream()
        .filter(found -> found.getMetadata().getName().equals(pod))
        .findFirst()
        .orElseThrow()
        .getMetadata()
        .getUid();
  }

  /** Row 3. */
  @Test
  void aJobThatDoesNotFitHoldsNothing(TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(jobs.manifest("j"));
    Await.until(
        "the reason",
        TrainingJobs.SOON,
        () -> jobs.printed("gangs").stream().anyMatch(line -> line.contains("no room for 2")));
    awaitEvent(
        jobs,
        "TrainingJobWaiting: no room for 2 workers together: 2 nvidia.com/gpu needed, 1 free: 0/");
    assertThat(jobs.phase("j")).isEqualTo("Created");
    assertThat(jobs.bound()).isEmpty();
    space.nodes(1, NodeShape.GPU1);
    jobs.awaitPhase("j", "Running");
  }

  private static void awaitEvent(TrainingJobs jobs, String start) {
    Await.until(
        "the event " + start,
        TrainingJobs.SOON,
        () -> jobs.events("j").stream().anyMatch(event -> event.startsWith(start)));
  }

  /** Row 5. */
  @Test
  void aJobWhoseLauncherFitsNowhereHoldsNothingAndNamesIt(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("env:", "resources: {requests: {cpu: \"500\"}}\n            env:"));
    Await.until(
        "the reason",
        TrainingJobs.SOON,
        () -> jobs.printed("gangs").stream().anyMatch(line -> line.contains("comes later")));
    assertThat(jobs.printed("gangs")).anyMatch(line -> line.contains("cpu 500"));
    awaitEvent(jobs, "TrainingJobWaiting: launcher j-launcher (cpu 500");
    assertThat(jobs.bound()).isEmpty();
  }

  /** Rows 9, 10 and 15. */
  @Test
  void aScalerThatCannotBeServedChangesNothing(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("minReplicas: 1", "minReplicas: 2")
            .replace("maxReplicas: 9", "maxReplicas: 3"));
    jobs.awaitPhase("j", "Running");
    jobs.scaleIn("unknown", "j", "{podNames: [j-worker-1, j-worker-9]}");
    jobs.scaleIn("below", "j", "{count: 1}");
    jobs.scaleIn("all", "j", "{count: 2}");
    jobs.scaleOut("above", "j", "toAdd: {count: 2}");
    jobs.awaitEnd("ScaleIn", "unknown", "ScaleFailed");
    jobs.awaitEnd("ScaleIn", "below", "ScaleFailed");
    jobs.awaitEnd("ScaleIn", "all", "ScaleFailed");
    jobs.awaitEnd("ScaleOut", "above", "ScaleFailed");
    assertThat(jobs.last("ScaleIn", "unknown").orElseThrow())
        .matches(last -> last.reason().equals("ScalingInFailed"))
        .matches(last -> last.message().contains("j-worker-9"));
    assertThat(jobs.last("ScaleIn", "below").orElseThrow().message())
        .isEqualTo("workers after scale-in 1 < minReplicas 2");
    assertThat(jobs.last("ScaleOut", "above").orElseThrow().message())
        .isEqualTo("workers after scale-out 4 > maxReplicas 3");
    assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-0", "j-worker-1");
    assertThat(jobs.launcher("j").hostSets()).hasSize(1);
  }

  /** Row 14. */
  @Test
  void aScaleOutThatDoesNotFitInTimeLeavesTheJobAsItWas(TestSpace space) {
    space.nodes(3, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    var launcher = jobs.running("j");
    jobs.scaleOut("out", "j", "toAdd: {count: 2}\n  timeout: 5");
    jobs.awaitPhase("j", "Scaling");
    assertThat(jobs.bound()).containsExactly("j-launcher", "j-worker-0", "j-worker-1");
    jobs.awaitEnd("ScaleOut", "out", "ScaleFailed");
    assertThat(jobs.last("ScaleOut", "out").orElseThrow().message())
        .isEqualTo("scaleout job ScaleOut:%s/out execution timeout".formatted(space.namespace()));
    Await.until(
        "the new pods to be gone",
        TrainingJobs.SOON,
        () -> jobs.podNames().equals(List.of("j-launcher", "j-worker-0", "j-worker-1")));
    assertThat(jobs.serviceNames()).containsExactly("j-worker-0", "j-worker-1");
    assertThat(launcher.hostSets()).hasSize(1);
    assertThat(jobs.phase("j")).isEqualTo("Running");
  }
}
