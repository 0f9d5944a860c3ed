package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs of et-operator whose size follows the room there is. */
@ExtendWith(SandboxExtension.class)
final class EtOperatorAutoIT {

  /** Three looks at all jobs together. */
  private static final Duration A_WHILE = Duration.ofSeconds(15);

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  /** Row 20. */
  @Test
  void aJobGrowsIntoFreeRoomAndGivesItBackToAGangOfHigherPriority(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("maxReplicas: 9", "maxReplicas: 4")
            .replace(
                "cleanPodPolicy: Running",
                "cleanPodPolicy: Running\n  scalePolicy: Auto\n  autoScaleIntervalSeconds: 1"));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    assertThat(asked(space)).isEmpty();

    space.nodes(1, NodeShape.GPU1);
    awaitWorkers(jobs, 3);
    space.nodes(2, NodeShape.GPU1);
    awaitWorkers(jobs, 4);
    Await.until("all four at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 4);
    assertThat(asked(space)).containsExactly("ScaleOut j-auto-1", "ScaleOut j-auto-2");
    assertThat(jobs.events("j"))
        .contains(
            "AutoScaleOut: grows from 3 to 4 workers: there is room, and who had fewer went first");

    var high = priorityClass(space);
    try {
      gang(jobs, space, high, 3);
      Await.until("the gang to run", TrainingJobs.SOON, () -> boundMembers(jobs) == 3);
      awaitWorkers(jobs, 2);
      assertThat(
              space
                  .client()
                  .resources(ScaleIn.class)
                  .inNamespace(space.namespace())
                  .list()
                  .getItems())
          .singleElement()
          .satisfies(in -> {
            assertThat(in.getMetadata().getName()).isEqualTo("j-auto-3");
            assertThat(in.getMetadata().getLabels()).containsEntry("auto-generated", "true");
            assertThat(in.getSpec().toDelete().podNames())
                .containsExactly("j-worker-3", "j-worker-2");
            assertThat(TrainingJobs.types(in.getStatus().conditions()))
                .containsExactly("Created", "Scaling", "ScriptExecuted", "ScaleSucceeded");
          });
      assertThat(launcher.file("/etc/edl/hostfile")).isEqualTo("j-worker-0:1\nj-worker-1:1\n");
      assertThat(jobs.events("j"))
          .contains(
              "AutoScaleIn: gives back j-worker-3, j-worker-2 for gang %s/urgent, which has a"
                      .formatted(space.namespace())
                  + " higher priority");
      long step = launcher.step();
      Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > step);
      var settled = asked(space);
      assertThat(settled).containsExactly("ScaleIn j-auto-3", "ScaleOut j-auto-2");
      assertThat(Await.within(A_WHILE, () -> !asked(space).equals(settled))).isFalse();
      assertThat(launcher.blacklist()).isEmpty();
    } finally {
      space.client().scheduling().v1().priorityClasses().withName(high).delete();
    }
  }

  /** Row 21. */
  @Test
  void aJobThatStartsAtMinIsJoinedByTheRest(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("annotations: {}", "annotations: {muster.io/start-at-min: \"true\"}")
            .replace("replicas: 2\n", "replicas: 4\n")
            .replace("minReplicas: 1", "minReplicas: 2"));
    Await.until(
        "the launcher",
        TrainingJobs.SOON,
        () -> jobs.bound().equals(List.of("j-launcher", "j-worker-0", "j-worker-1")));
    var launcher = jobs.launcher("j");
    Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > 0);
    assertThat(launcher.hosts()).hasSize(2);
    Await.until(
        "its gang to run",
        TrainingJobs.SOON,
        () -> jobs.printed("gangs").stream().anyMatch(line -> line.startsWith("j Running 2 ")));

    space.nodes(2, NodeShape.GPU1);
    awaitWorkers(jobs, 4);
    Await.until("all four at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 4);
    assertThat(asked(space)).containsExactly("ScaleOut j-to-4-1");
    assertThat(jobs.scaleOut("j-to-4-1").getStatus().plan())
        .containsExactly("j-worker-2", "j-worker-3");
  }

  private static void awaitWorkers(TrainingJobs jobs, int count) {
    Await.until(
        count + " workers",
        TrainingJobs.SOON,
        () ->
            jobs.phase("j").equals("Running")
                && jobs.status("j").currentWorkers().size() == count
                && jobs.status("j").replicas() == count);
  }

  private static List<String> asked(TestSpace space) {
    return Stream.concat(
            space
                .client()
                .resources(ScaleIn.class)
                .inNamespace(space.namespace())
                .list()
                .getItems()
                .stream(),
            space
                .client()
                .resources(ScaleOut.class)
                .inNamespace(space.namespace())
                .list()
                .getItems()
                .stream())
        .map(scaler -> scaler.getKind() + " " + scaler.getMetadata().getName())
        .sorted()
        .toList();
  }

  private static String priorityClass(TestSpace space) {
    var name = space.namespace() + "-high";
    space
        .client()
        .scheduling()
        .v1()
        .priorityClasses()
        .resource(
            new PriorityClassBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withValue(1000)
                .build())
        .create();
    return name;
  }

  private static void gang(TrainingJobs jobs, TestSpace space, String priority, int members) {
    for (int i = 0; i < members; i++) {
      jobs.create(
          """
          apiVersion: v1
          kind: Pod
          metadata:
            name: urgent-%1$d
            annotations: {muster.io/gang-name: urgent, muster.io/gang-min: "%2$d"}
          spec:
            priorityClassName: %3$s
            nodeSelector: {sandbox.muster.io/set: %4$s}
            containers:
            - name: main
              image: any
              resources: {limits: {nvidia.com/gpu: "1"}}
          """
              .formatted(i, members, priority, space.namespace()));
    }
  }

  private static long boundMembers(TrainingJobs jobs) {
    return jobs.bound().stream().filter(name -> name.startsWith("urgent-")).count();
  }
}
