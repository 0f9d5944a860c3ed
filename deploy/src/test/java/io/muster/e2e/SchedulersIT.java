package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.extender.kube.gang.Gang;
import io.muster.faults.Capacity;
import io.muster.sandbox.Await;
import io.muster.sandbox.Command;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Gangs under a kube-scheduler that is set up in another way. */
@ExtendWith(SandboxExtension.class)
final class SchedulersIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void aSchedulerOfItsOwnPlacesTheGangsThatNameIt(Sandbox sandbox, TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var own = sandbox.secondScheduler();
    sandbox.scheduler().start(Optional.empty());
    own.start(Optional.of(sandbox.extender()));
    try (var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      var workers = GangManifest.of(space, "mixed", 3).min(4);
      var launcher = workers.gpus(0).pod("launcher");
      workers.create(ofOwn(launcher));
      workers.pods().stream().map(SchedulersIT::ofOwn).forEach(workers::create);
      var ordinary =
          GangManifest.of(space, "ordinary", 1)
              .without(GangManifest.NAME)
              .without(GangManifest.MIN)
              .gpus(0);
      ordinary.create();
      Await.until("the ordinary pod to run", SOON, () -> isRunning(space, "ordinary-0"));
      Await.until("the gang to wait for room", SOON, () -> waitsForRoom(space, "mixed"));
      assertThat(watch.everBound(workers.gang())).isEmpty();

      space.nodes(1, NodeShape.GPU1);
      Await.until("the gang to run", SOON, () -> workers.running() == 4);
      assertThat(Capacity.exceeded(space)).isEmpty();
    } finally {
      own.kill();
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
    }
  }

  /** As on a cluster whose own kube-scheduler cannot be configured: no manifest is edited. */
  @Test
  void aGangThatNamesNoSchedulerIsPlacedByTheOneThatIsAssigned(Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var own = sandbox.secondScheduler();
    sandbox.muster().orElseThrow().kill();
    sandbox.startMuster(
        MusterOptions.DEFAULT.configured(
            Map.of("schedulers", "muster-scheduler", "assignScheduler", "muster-scheduler")));
    sandbox.scheduler().start(Optional.empty());
    own.start(Optional.of(sandbox.extender()));
    try {
      var workers = GangManifest.of(space, "train", 4);
      workers.create();
      var ordinary =
          GangManifest.of(space, "ordinary", 1)
              .without(GangManifest.NAME)
              .without(GangManifest.MIN)
              .gpus(0);
      ordinary.create();
      var single =
          GangManifest.of(space, "single", 1).without(GangManifest.NAME).without(GangManifest.MIN);
      single.create();
      Await.until("the gang to run", SOON, () -> workers.running() == 4);
      Await.until("the ordinary pod to run", SOON, () -> isRunning(space, "ordinary-0"));
      Await.until("the GPU pod to run", SOON, () -> isRunning(space, "single-0"));

      assertThat(workers.stored()).allMatch(pod -> scheduler(pod).equals("muster-scheduler"));
      assertThat(single.stored()).allMatch(pod -> scheduler(pod).equals("muster-scheduler"));
      assertThat(ordinary.stored()).allMatch(pod -> scheduler(pod).equals("default-scheduler"));
    } finally {
      own.kill();
      sandbox.muster().orElseThrow().kill();
      sandbox.startMuster(MusterOptions.DEFAULT);
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
    }
  }

  /** It reads the file as it does at its start, unknown fields are errors, and writes it out. */
  @Test
  void kubeSchedulerTakesTheConfigurationThatIsPrinted(Sandbox sandbox, @TempDir Path folder)
      throws IOException, InterruptedException {
    var existing = folder.resolve("existing.yaml");
    var written = folder.resolve("written.yaml");
    Files.writeString(
        existing,
        """
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        clientConnection: {kubeconfig: %s}
        profiles:
        - schedulerName: default-scheduler
          plugins: {score: {disabled: [{name: ImageLocality}]}}
        """
            .formatted(sandbox.state().kubeconfig()));
    // It reads them at its start, and again for each connection.
    var identity = sandbox.extender();
    Files.copy(identity.ca(), folder.resolve("ca.crt"));
    Files.copy(identity.certificate(), folder.resolve("tls.crt"));
    Files.copy(identity.key(), folder.resolve("tls.key"));
    var arguments =
        new String[] {
          "scheduler-config",
          "--for=kubeadm",
          "--url=https://10.96.3.4:9443",
          "--folder=" + folder,
          "--existing=" + existing
        };
    var merged =
        Files.writeString(
            folder.resolve("merged.yaml"), new MusterCommand(sandbox).said(arguments));

    var ran =
        Command.run(
            SOON,
            List.of(
                sandbox.programs().path(Program.SCHEDULER).toString(),
                "--config=" + merged,
                "--write-config-to=" + written));

    assertThat(ran.exitCode()).as(ran.output()).isZero();
    assertThat(written)
        .content()
        .contains("urlPrefix: https://10.96.3.4:9443/v1")
        .contains("bindVerb: bind")
        .contains("name: ImageLocality")
        .contains("percentageOfNodesToScore: 100");
    assertThat(new MusterCommand(sandbox).run("doctor", "--scheduler-config=" + merged).said())
        .contains("scheduler.extender: " + merged + " asks Muster at https://10.96.3.4:9443/v1")
        .doesNotContainPattern("problem +scheduler");
  }

  private static String scheduler(Pod pod) {
    return pod.getSpec().getSchedulerName();
  }

  @Tag("long")
  @Test
  void membersEndWholeThoughOnlySomeNodesAreOffered(Sandbox sandbox, TestSpace space) {
    int nodes = 130;
    int members = 40;
    space.nodes(nodes, NodeShape.GPU1);
    // The least that kube-scheduler looks for is 100.
    sandbox
        .scheduler()
        .start(Optional.of(sandbox.extender()), Map.of("percentageOfNodesToScore", 5));
    try (var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      for (var name : new String[] {"one", "two", "three"}) {
        var gang = GangManifest.of(space, name, members);
        gang.create();
        Await.until(name + " to run", SOON, () -> gang.running() == members);
        assertThat(watch.spread(gang.gang(), members)).isPresent();
      }
      assertThat(Capacity.exceeded(space)).isEmpty();
    } finally {
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
    }
  }

  private static Pod ofOwn(Pod pod) {
    pod.getSpec().setSchedulerName("muster-scheduler");
    return pod;
  }

  private static boolean waitsForRoom(TestSpace space, String gang) {
    var found =
        space.client().resources(Gang.class).inNamespace(space.namespace()).withName(gang).get();
    return found != null
        && found.getStatus() != null
        && "TooLarge".equals(found.getStatus().reason());
  }

  private static boolean isRunning(TestSpace space, String name) {
    var pod = space.client().pods().inNamespace(space.namespace()).withName(name).get();
    return "Running".equals(pod.getStatus().getPhase());
  }
}
