package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.muster.kit.Launcher;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Training jobs change hands: from Muster to another controller and back, and to nobody. In a
 * sandbox of its own, for it concerns all jobs there.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class TakeOverIT {

  private static final String DLROVER_LEFT = "muster_job_kinds_left{kind=\"dlrover\"}";
  private static final String LEFT = "muster_job_kinds_left{kind=\"etoperator\"}";

  /** No container of it runs: it is there, and that is enough. */
  private static final String ET_OPERATOR =
      """
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: et-operator}
      spec:
        replicas: 1
        selector: {matchLabels: {app: et-operator}}
        template:
          metadata: {labels: {app: et-operator}}
          spec:
            nodeSelector: {nowhere: "true"}
            containers:
            - {name: manager, image: "kube-ai/et-operator:52ccc8f", command: [/manager]}
      """;

  private static Optional<Sandbox> started = Optional.empty();
  private static Optional<Launchers> watching = Optional.empty();

  @BeforeAll
  static void start() {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/take-over"));
    started = Optional.of(Sandbox.start(layout, SandboxOptions.withMuster(state).scripting()));
    watching = started.map(Launchers::watching);
  }

  @AfterAll
  static void stop() {
    watching.ifPresent(Launchers::close);
    started.ifPresent(Sandbox::close);
  }

  @Test
  @Order(1)
  void jobsAreLeftAloneWhileAnotherControllerRunsAndTakenOverWhenItGoes() {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "take-over")) {
      space.nodes(1, NodeShape.GPU8);
      var jobs = new TrainingJobs(space, watching.orElseThrow());
      KindObjects.install(sandbox);
      jobs.running("before");
      var uids = uids(jobs);

      jobs.create(ET_OPERATOR);
      Await.until("Muster to step back", TrainingJobs.SOON, () -> isLeft(sandbox, true));
      Await.until(
          "the Event on it",
          TrainingJobs.SOON,
          () ->
              jobs.events("et-operator").stream()
                  .anyMatch(event -> event.startsWith("ForeignController: Muster leaves")));
      jobs.create(jobs.manifest("j"));
      jobs.scaleIn("in", "before", "{count: 1}");
      assertThat(Await.within(Duration.ofSeconds(5), () -> !jobs.phase("j").isEmpty())).isFalse();
      assertThat(uids(jobs)).isEqualTo(uids);
      assertThat(jobs.last("ScaleIn", "in")).isEmpty();

      sandbox.kubectl("scale", "-n", space.namespace(), "deployment/et-operator", "--replicas=0");
      jobs.awaitPhase("j", "Running");
      jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
      assertThat(isLeft(sandbox, false)).isTrue();
    }
  }

  private static boolean isLeft(Sandbox sandbox, boolean is) {
    return isLeft(sandbox, LEFT, is);
  }

  private static boolean isLeft(Sandbox sandbox, String metric, boolean is) {
    return sandbox.muster().orElseThrow().metric(metric).equals(Optional.of(is ? 1.0 : 0.0));
  }

  /** Whoever holds it runs DLRover's kinds, under whatever name. */
  @Test
  @Order(1)
  void elasticJobsAreLeftAloneWhileSomebodyRenewsTheLeaseOfTheirOperator() {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "lease")) {
      var lease =
          new LeaseBuilder()
              .withNewMetadata()
              .withName("dlrover-elasticjob")
              .withNamespace(space.namespace())
              .endMetadata()
              .withNewSpec()
              .withHolderIdentity("manager-0")
              .withLeaseDurationSeconds(15)
              .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
              .endSpec()
              .build();
      Await.until(
          "the kind to be run", TrainingJobs.SOON, () -> isLeft(sandbox, DLROVER_LEFT, false));
      sandbox.client().resource(lease).create();
      Await.until(
          "Muster to step back", TrainingJobs.SOON, () -> isLeft(sandbox, DLROVER_LEFT, true));
      assertThat(isLeft(sandbox, false)).isTrue();
      sandbox.client().resource(lease).delete();
      Await.until(
          "Muster to take over", TrainingJobs.SOON, () -> isLeft(sandbox, DLROVER_LEFT, false));
    }
  }

  /** Takes away what et-operator.md says, in its words. */
  @Test
  @Order(2)
  void whenMusterIsTakenAwayWhatRunsGoesOn() throws IOException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "uninstall")) {
      space.nodes(1, NodeShape.GPU4);
      var jobs = new TrainingJobs(space, watching.orElseThrow());
      var launcher = jobs.running("j");
      Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > 0);
      var uids = uids(jobs);

      sandbox.muster().orElseThrow().terminate(TrainingJobs.SOON);
      for (var command : takingAway()) {
        sandbox.kubectl(command.split(" "));
      }

      goesOn(launcher);
      assertThat(uids(jobs)).isEqualTo(uids);
      assertThat(jobs.pods()).allMatch(pod -> pod.getStatus().getPhase().equals("Running"));
      assertThat(jobs.phase("j")).isEqualTo("Running");
      assertThat(sandbox.client().resources(CustomResourceDefinition.class).list().getItems())
          .extracting(crd -> crd.getMetadata().getName())
          .contains("trainingjobs.kai.alibabacloud.com", "scaleins.kai.alibabacloud.com");
    }
  }

  /** The commands of the document, without the first word. */
  private static List<String> takingAway() throws IOException {
    var text = Files.readString(Layout.current().deploy().resolve("docs/et-operator.md"));
    int from = text.indexOf("```sh\n", text.indexOf("## Taking it away")) + 6;
    var commands = text.substring(from, text.indexOf("```", from)).lines().toList();
    assertThat(commands).hasSize(4).allMatch(line -> line.startsWith("kubectl "));
    return commands.stream().map(line -> line.substring("kubectl ".length())).toList();
  }

  private static void goesOn(Launcher launcher) {
    long now = launcher.step();
    Await.until("more steps", TrainingJobs.SOON, () -> launcher.step() > now + 10);
    assertThat(launcher.blacklist()).isEmpty();
  }

  private static Map<String, String> uids(TrainingJobs jobs) {
    return jobs.pods().stream()
        .filter(pod -> !pod.getMetadata().getName().startsWith("et-operator"))
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getName(), pod -> pod.getMetadata().getUid()));
  }
}
