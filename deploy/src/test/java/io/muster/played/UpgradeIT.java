package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.e2e.GangManifest;
import io.muster.e2e.GangWatch;
import io.muster.image.BuildScript;
import io.muster.image.RootFilesystem;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The chart is upgraded and rolled back while gangs start. There is no earlier version yet: another
 * setting replaces the pods in the same way.
 */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
@ResourceLock(StateDirectory.OF_BENCH)
final class UpgradeIT {

  private static final int ROUNDS = Integer.getInteger("muster.upgrade.rounds", 10);
  private static final int GANGS = 20;
  private static final int MEMBERS = 4;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONGEST_GAP = Duration.ofSeconds(3);

  /** How long kube-scheduler and the API server had no answer during a change. */
  private record Gaps(String change, Duration extender, Duration webhook) {}

  @Test
  void gangsNoticeNeitherAnUpgradeNorARollback(@TempDir Path made)
      throws IOException, InterruptedException {
    var gaps = new ArrayList<Gaps>();
    BuildScript.run(made);
    try (var cluster = PlayedCluster.start("upgrade", 3)) {
      cluster.provide(
          PlayedImage.of(
              RootFilesystem.unpack(made.resolve("oci"), cluster.sandbox().state().file("image"))));
      var installation = Installation.in(cluster);
      installation.install();
      new ClusterScheduler(cluster).askMuster();
      try (var extender = answers(cluster, "muster-extender", 9443);
          var webhook = answers(cluster, "muster-webhook", 443);
          var watch = new GangWatch(cluster.client(), InstantSource.system());
          var space = cluster.open("upgrade")) {
        space.nodes(GANGS, NodeShape.GPU4);
        for (int round = 1; round <= ROUNDS; round++) {
          int seconds = 60 + round;
          gangsRunWhile(
              watch,
              space,
              "up" + round,
              () -> installation.upgrade("settings.repairTimeoutSeconds=" + seconds));
          gaps.add(new Gaps("up" + round, extender.longestGap(), webhook.longestGap()));
          gangsRunWhile(
              watch, space, "down" + round, () -> installation.rollback(Installation.THE_LAST));
          gaps.add(new Gaps("down" + round, extender.longestGap(), webhook.longestGap()));
        }
      }
    }
    gaps.forEach(System.out::println);
    assertThat(gaps)
        .allMatch(gap ->
            gap.extender().compareTo(LONGEST_GAP) < 0 && gap.webhook().compareTo(LONGEST_GAP) < 0);
  }

  private static ServiceAnswers answers(PlayedCluster cluster, String service, int port) {
    var address =
        cluster
            .client()
            .services()
            .inNamespace(Installation.NAMESPACE)
            .withName(service)
            .get()
            .getSpec()
            .getClusterIP();
    return new ServiceAnswers(() -> cluster.services().route(new InetSocketAddress(address, port)));
  }

  /** Gangs one after the other, of pods that nobody would make anew, while that goes on. */
  private static void gangsRunWhile(
      GangWatch watch, TestSpace space, String name, Runnable change) {
    var begin = Instant.now();
    // On a thread of its own: clients need the common pool, which has one thread on two cores.
    var changing = CompletableFuture.runAsync(change, one -> Thread.ofPlatform().start(one));
    var gangs = new ArrayList<GangManifest>();
    for (int i = 0; i < GANGS; i++) {
      var gang = GangManifest.of(space, name + "-" + i, MEMBERS);
      gang.createPatiently(SOON);
      gangs.add(gang);
    }
    changing.join();
    for (var gang : gangs) {
      Await.until(
          "gang " + gang.name() + " to run, and the watch to see it",
          SOON,
          () -> gang.running() == MEMBERS && watch.everBound(gang.gang()).size() >= MEMBERS);
      assertThat(watch.everBound(gang.gang())).hasSize(MEMBERS);
      assertThat(watch.longestInPart(gang.gang(), MEMBERS, begin))
          .as(gang.name())
          .isLessThan(LONGEST_GAP);
    }
    gangs.forEach(gang ->
        gang.pods().forEach(pod -> space.client().resource(pod).withGracePeriod(0).delete()));
    Await.until("the gangs to be gone", SOON, () -> left(space).isEmpty());
  }

  private static List<String> left(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }
}
