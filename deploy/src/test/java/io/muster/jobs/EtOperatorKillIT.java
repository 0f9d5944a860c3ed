package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.kit.Launcher;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Muster is killed right after a write of its own was seen, and started again: the job ends as it
 * would have; row 34 of acceptance.md.
 */
@ExtendWith(SandboxExtension.class)
final class EtOperatorKillIT {

  private static Launchers launchers;
  private static MusterProcess muster;
  private static Kills kills;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
    muster = sandbox.muster().orElseThrow();
    kills = new Kills(muster);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  @AfterEach
  void startAgain() {
    if (!muster.isAlive()) {
      muster.start();
    }
  }

  @Test
  void aJobCutOffWhileItStartsStartsOnce(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    try (var pods = new PodsSeen(space)) {
      kills.on(space, Pod.class, Kills.named("j-worker-1"), () -> jobs.create(jobs.manifest("j")));
      assertThat(pods.uids("j-launcher")).isEmpty();
      kills.on(space, RoleBinding.class, Kills.named("j-launcher"), () -> {});
      jobs.awaitPhase("j", "Running");
      var launcher = jobs.launcher("j");
      assertThat(launcher.file("/etc/edl/hostfile")).isEqualTo("j-worker-0:1\nj-worker-1:1\n");
      assertThat(jobs.conditions("j"))
          .containsExactly(
              "Created", "WorkersCreated", "WorkersReady", "LauncherCreated", "Running");
      assertThat(jobs.serviceNames()).containsExactly("j-worker-0", "j-worker-1");
      pods.assertEachMadeOnce("j-launcher", "j-worker-0", "j-worker-1");
    }
  }

  @Test
  void aScaleInCutOffTwiceTakesOneWorkerAndHurtsNobody(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    try (var pods = new PodsSeen(space)) {
      var launcher = jobs.running("j");
      try (var steps = new Steps(launcher)) {
        launcher.keepWorker("j-worker-1");
        kills.on(
            space,
            ScaleIn.class,
            scaler ->
                scaler.getStatus() != null
                    && TrainingJobs.types(scaler.getStatus().conditions()).contains("Scaling"),
            () -> jobs.scaleIn("in", "j", "{count: 1}"));
        // The launcher knows, and the worker is still there: between hostfile and deletion.
        Await.until(
            "the launcher to be told",
            TrainingJobs.SOON,
            () -> launcher.file("/etc/edl/hostfile").equals("j-worker-0:1\n"));
        muster.kill();
        assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-0", "j-worker-1");
        muster.start();
        launcher.letLeave("j-worker-1");
        jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
        jobs.awaitPhase("j", "Running");
        assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-0");
        assertThat(jobs.serviceNames()).containsExactly("j-worker-0");
        assertThat(jobs.scaleIn("in").getStatus().plan()).containsExactly("j-worker-1");
        assertThat(launcher.file("/etc/edl/hostfile")).isEqualTo("j-worker-0:1\n");
        assertThat(launcher.hostSets())
            .containsExactly(List.of("j-worker-0", "j-worker-1"), List.of("j-worker-0"));
        steps.assertGrowing();
      }
      assertThat(launcher.blacklist()).isEmpty();
      pods.assertEachMadeOnce("j-launcher", "j-worker-0", "j-worker-1");
    }
  }

  @Test
  void aScaleOutCutOffTwiceAddsItsWorkersOnce(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    try (var pods = new PodsSeen(space)) {
      var launcher = jobs.running("j");
      try (var steps = new Steps(launcher)) {
        kills.on(
            space,
            Pod.class,
            Kills.named("j-worker-3"),
            () -> jobs.scaleOut("out", "j", "toAdd: {count: 2}"));
        Await.until(
            "the launcher to be told",
            TrainingJobs.SOON,
            () -> launcher.file("/etc/edl/hostfile").lines().count() == 4);
        muster.kill();
        muster.start();
        jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
        jobs.awaitPhase("j", "Running");
        assertThat(jobs.scaleOut("out").getStatus().plan())
            .containsExactly("j-worker-2", "j-worker-3");
        assertThat(launcher.file("/etc/edl/hostfile"))
            .isEqualTo("j-worker-0:1\nj-worker-1:1\nj-worker-2:1\nj-worker-3:1\n");
        Await.until("all four at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 4);
        assertThat(launcher.hostSets()).hasSize(2);
        steps.assertGrowing();
      }
      pods.assertEachMadeOnce("j-launcher", "j-worker-0", "j-worker-1", "j-worker-2", "j-worker-3");
    }
  }

  /** Reads the counter of the training all the time. */
  private static final class Steps implements AutoCloseable {

    private final Launcher launcher;
    private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::read);
    private volatile long last;
    private volatile boolean hasFallen;
    private volatile boolean isClosed;

    Steps(Launcher launcher) {
      this.launcher = launcher;
      Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > 0);
      thread.start();
    }

    private void read() {
      while (!isClosed) {
        long step = launcher.step();
        hasFallen |= step < last;
        last = step;
        try {
          Thread.sleep(20);
        } catch (InterruptedException e) {
          return;
        }
      }
    }

    /** It has never gone back, and goes on. */
    void assertGrowing() {
      long now = last;
      Await.until("more steps", TrainingJobs.SOON, () -> last > now);
      assertThat(hasFallen).as("the counter went back").isFalse();
    }

    @Override
    public void close() {
      isClosed = true;
      thread.interrupt();
    }
  }
}
