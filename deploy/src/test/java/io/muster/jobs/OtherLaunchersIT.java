package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.kit.Launcher;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** et-operator's jobs whose launcher is not Horovod. */
@ExtendWith(SandboxExtension.class)
final class OtherLaunchersIT {

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  private static String manifest(TrainingJobs jobs, String command) {
    return jobs.manifest("j")
        .replaceFirst("horovodrun(?s:.*)python train.py", command + " python train.py");
  }

  /** DeepSpeed by /job/hostfile, another maker's by /etc/edl/hostfile. */
  @ParameterizedTest
  @CsvSource({"deepspeed --hostfile /job/hostfile", "otherrun"})
  void whoReadsTheHostsAgainAndAgainGrowsAndShrinks(String command, TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        manifest(jobs, command).replace("cleanPodPolicy:", "slotsPerWorker: 4\n  cleanPodPolicy:"));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    awaitHosts(launcher, "j-worker-0", "j-worker-1");
    assertThat(launcher.file("/job/hostfile"))
        .isEqualTo("j-worker-0 slots=4\nj-worker-1 slots=4\n");

    launcher.keepWorker("j-worker-1");
    jobs.scaleIn("in", "j", "{count: 1}");
    awaitHosts(launcher, "j-worker-0");
    staysThere(jobs, "j-worker-1");
    launcher.letLeave("j-worker-1");
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-0");

    jobs.scaleOut("out", "j", "toAdd: {count: 2}");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    awaitHosts(launcher, "j-worker-0", "j-worker-1", "j-worker-2");
    assertThat(launcher.file("/job/hostfile"))
        .isEqualTo("j-worker-0 slots=4\nj-worker-1 slots=4\nj-worker-2 slots=4\n");
    assertThat(launcher.blacklist()).isEmpty();
  }

  /** As DeepSpeed does: it must not lose a worker that it was never told to let go. */
  @Test
  void whoReadsTheHostsOnceKeepsItsWorkersUntilTheirProcessesEnd(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        manifest(jobs, "deepspeed")
            .replace(
                "{name: KIT_READ_TICKS, value: \"1\"}",
                "{name: KIT_READ_TICKS, value: \"99999\"}"));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    awaitHosts(launcher, "j-worker-0", "j-worker-1");

    jobs.scaleIn("in", "j", "{count: 1}");
    Await.until(
        "the list without it",
        TrainingJobs.SOON,
        () -> launcher.file("/job/hostfile").equals("j-worker-0 slots=1\n"));
    staysThere(jobs, "j-worker-1");
    assertThat(launcher.hosts()).containsExactly("j-worker-0", "j-worker-1");
    assertThat(jobs.last("ScaleIn", "in").orElseThrow().type()).isEqualTo("ScriptExecuted");

    launcher.failWorker("j-worker-1", 1);
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-0");
    assertThat(jobs.phase("j")).isEqualTo("Running");
  }

  private static void staysThere(TrainingJobs jobs, String worker) {
    assertThat(Await.within(Duration.ofSeconds(4), () -> isGoing(jobs, worker)))
        .as("%s was deleted while its launcher reached out to it", worker)
        .isFalse();
  }

  private static boolean isGoing(TrainingJobs jobs, String worker) {
    return jobs.pods().stream()
        .noneMatch(pod ->
            pod.getMetadata().getName().equals(worker)
                && pod.getMetadata().getDeletionTimestamp() == null);
  }

  private static void awaitHosts(Launcher launcher, String... hosts) {
    Await.until(
        launcher + " to use " + List.of(hosts),
        TrainingJobs.SOON,
        () -> launcher.hosts().equals(List.of(hosts)));
  }
}
