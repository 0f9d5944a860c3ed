package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is done in the containers of launchers, which are their users'. */
@ExtendWith(SandboxExtension.class)
final class EtOperatorLauncherIT {

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  /** More than Muster's heap, which takes a minute on a machine that does other things too. */
  @Test
  void aScriptThatPrintsWithoutEndEndsByItself(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace(
                "[sh, -c, horovodrun",
                "[sh, -c, echo 'head -c 400000000 /dev/zero' > /job/loud.sh; horovodrun"));
    jobs.awaitPhase("j", "Running");
    jobs.scaleOut("loud", "j", "toAdd: {count: 1}\n  script: /job/loud.sh\n  timeout: 300");
    jobs.awaitEnd("ScaleOut", "loud", "ScaleSucceeded", Duration.ofMinutes(5));
  }

  /** Templates can be edited while a job runs; the launcher that runs has the container it had. */
  @Test
  void aLauncherIsToldThoughItsContainerIsCalledOtherwiseInItsTemplateNow(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var launcher = jobs.running("j");
    space
        .sandbox()
        .kubectl(
            "patch",
            "trainingjobs",
            "j",
            "-n",
            space.namespace(),
            "--type=json",
            "-p",
            "[{\"op\":\"replace\",\"value\":\"train\","
                + "\"path\":\"/spec/etReplicaSpecs/launcher/template/spec/containers/0/name\"}]");
    jobs.scaleOut("more", "j", "toAdd: {count: 1}");
    Await.until(
        "the new worker to be told of",
        Duration.ofSeconds(40),
        () -> launcher.file("/etc/edl/hostfile").contains("j-worker-2"));
    jobs.awaitEnd("ScaleOut", "more", "ScaleSucceeded");
    assertThat(jobs.events("j")).noneMatch(event -> event.startsWith("LauncherUnreachable"));
  }

  /** Without it its pod would never start. */
  @Test
  void aLauncherThatIsMadeAgainFindsItsConfigurationThoughThatWasDeleted(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.running("j");
    var config = space.client().configMaps().inNamespace(space.namespace()).withName("j-config");
    var launcher = space.client().pods().inNamespace(space.namespace()).withName("j-launcher");
    var before = launcher.get().getMetadata().getUid();
    config.delete();
    launcher.delete();
    Await.until(
        "another launcher",
        TrainingJobs.SOON,
        () -> {
          var pod = launcher.get();
          return pod != null && !pod.getMetadata().getUid().equals(before);
        });
    assertThat(config.get()).isNotNull();
    jobs.awaitPhase("j", "Running");
  }
}
