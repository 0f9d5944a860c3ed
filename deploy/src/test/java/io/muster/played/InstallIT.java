package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.e2e.GangManifest;
import io.muster.image.BuildScript;
import io.muster.image.RootFilesystem;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The chart, from an empty cluster to a gang that runs and back, with pods that really run. */
@ResourceLock(PlayedCluster.ADDRESSES)
@ResourceLock(StateDirectory.OF_BENCH)
@Order(1)
final class InstallIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  private static Optional<PlayedCluster> started = Optional.empty();

  @BeforeAll
  static void start() {
    started = Optional.of(PlayedCluster.start("install", 2));
  }

  @AfterAll
  static void stop() {
    started.ifPresent(PlayedCluster::close);
  }

  /** Whatever a test has left, the next one finds a cluster without Muster. */
  @AfterEach
  void clear() throws IOException {
    var cluster = started.orElseThrow();
    Installation.in(cluster).clear();
    cluster.provide(PlayedImage.muster(cluster.sandbox().layout()));
    new ClusterScheduler(cluster).askNobody();
  }

  @Test
  void inModeSharedKubeSchedulerAsksAndNothingIsLeftAfterwards()
      throws IOException, InterruptedException {
    var cluster = started.orElseThrow();
    var installation = Installation.in(cluster);
    var before = installation.objects();

    var notes = installation.install("uninstallHook.force=true");
    assertThat(notes).contains("scheduler-config");
    new ClusterScheduler(cluster).askMuster();
    try (var space = cluster.open("shared")) {
      aGangOfFourRuns(space);
      installation.test();
      assertThat(cluster.log("muster-doctor", "doctor"))
          .content()
          .contains("lease.holder")
          .doesNotContain("\"problem\"");
    }
    uninstalled(installation);
    new ClusterScheduler(cluster).askNobody();
    nothingIsLeft(installation, before);
    try (var space = cluster.open("after")) {
      aGangOfFourRuns(space);
    }
  }

  @Tag("long")
  @Test
  void inModeSecondNoManifestIsEditedAndTheFirstSchedulerIsLeftAlone() throws IOException {
    var cluster = started.orElseThrow();
    var installation = Installation.in(cluster);
    var before = installation.objects();

    installation.install("mode=second");
    try (var space = cluster.open("second")) {
      var gang = aGangOfFourRuns(space);
      assertThat(gang.stored())
          .allMatch(pod -> pod.getSpec().getSchedulerName().equals("muster-scheduler"));
      var ordinary =
          GangManifest.of(space, "ordinary", 1)
              .without(GangManifest.NAME)
              .without(GangManifest.MIN)
              .gpus(0);
      ordinary.create();
      Await.until("the ordinary pod to run", SOON, () -> isRunning(space, "ordinary-0"));
      assertThat(space.printed("pod", "ordinary-0", "-o", "jsonpath={.spec.schedulerName}"))
          .containsExactly("default-scheduler");
      installation.test();
    }
    uninstalled(installation);
    nothingIsLeft(installation, before);
  }

  @Tag("long")
  @Test
  void inModeAffinityNoKubeSchedulerIsConfigured() throws IOException {
    var cluster = started.orElseThrow();
    var installation = Installation.in(cluster);
    var before = installation.objects();

    installation.install("mode=affinity");
    try (var space = cluster.open("affinity")) {
      aGangOfFourRuns(space);
      installation.test();
    }
    uninstalled(installation);
    nothingIsLeft(installation, before);
  }

  /** Otherwise no GPU pod of the cluster would be scheduled any more. */
  @Tag("long")
  @Test
  void whileKubeSchedulerAsksNothingIsUninstalled() throws IOException, InterruptedException {
    var cluster = started.orElseThrow();
    var installation = Installation.in(cluster);
    installation.install();
    new ClusterScheduler(cluster).askMuster();
    try (var space = cluster.open("refused")) {
      aGangOfFourRuns(space);

      var refused = installation.uninstall();

      assertThat(refused.exitCode()).isNotZero();
      assertThat(installation.pods()).hasSize(2);
      var gang = GangManifest.of(space, "still", 2);
      gang.create();
      space.nodes(1, NodeShape.GPU4);
      Await.until("another gang to run", SOON, () -> gang.running() == 2);
    }
    // helm takes a release whose uninstallation was refused for none until it is rolled back.
    installation.rollback(1);
    installation.upgrade("uninstallHook.force=true");
    uninstalled(installation);
  }

  /** What a release ships: no program and no library of this machine is in these containers. */
  @Tag("long")
  @Test
  void theBuiltImageServes(@TempDir Path made) throws IOException, InterruptedException {
    BuildScript.run(made);
    var cluster = started.orElseThrow();
    var image = RootFilesystem.unpack(made.resolve("oci"), cluster.sandbox().state().file("image"));
    cluster.provide(PlayedImage.of(image));
    var installation = Installation.in(cluster);
    var before = installation.objects();
    long begun = System.nanoTime();

    installation.install("uninstallHook.force=true");
    new ClusterScheduler(cluster).askMuster();
    try (var space = cluster.open("image")) {
      aGangOfFourRuns(space);
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
      installation.test();
    }
    assertThat(installation.pods())
        .allSatisfy(pod ->
            assertThat(cluster.log(pod.getMetadata().getName(), "muster"))
                .content()
                .contains("ready")
                .doesNotContain("[aot"));

    uninstalled(installation);
    new ClusterScheduler(cluster).askNobody();
    nothingIsLeft(installation, before);
  }

  private static void uninstalled(Installation installation) {
    var ended = installation.uninstall();
    assertThat(ended.exitCode()).as(ended.output()).isZero();
  }

  private static GangManifest aGangOfFourRuns(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var gang = GangManifest.of(space, "train", 4);
    gang.create();
    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    return gang;
  }

  private static boolean isRunning(TestSpace space, String name) {
    var pod = space.client().pods().inNamespace(space.namespace()).withName(name).get();
    return "Running".equals(pod.getStatus().getPhase());
  }

  /** But for the definitions, which stay with what they define, and the empty namespace. */
  private static void nothingIsLeft(Installation installation, Set<String> before) {
    Await.within(SOON, () -> installation.leftSince(before).isEmpty());
    assertThat(installation.leftSince(before)).isEmpty();
  }
}
