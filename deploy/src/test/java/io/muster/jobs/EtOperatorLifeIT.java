package io.muster.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How et-operator's jobs end, start again, wait and lose workers; rows of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class EtOperatorLifeIT {

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  /** Row 4. */
  @Test
  void twoJobsNeverHoldHalfOfTheClusterEach(TestSpace space) {
    space.nodes(6, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    for (var name : List.of("a", "b")) {
      jobs.create(jobs.manifest(name).replace("replicas: 2", "replicas: 4"));
    }
    Await.until(
        "one to run",
        TrainingJobs.SOON,
        () -> jobs.phase("a").equals("Running") || jobs.phase("b").equals("Running"));
    var running = jobs.phase("a").equals("Running") ? "a" : "b";
    var waiting = running.equals("a") ? "b" : "a";
    assertThat(jobs.phase(waiting)).isEqualTo("Created");
    assertThat(jobs.bound()).hasSize(5).allMatch(name -> name.startsWith(running));
    jobs.launcher(running).finish(0);
    jobs.awaitPhase(waiting, "Running");
  }

  /** Row 16. */
  @Test
  void aFailedJobIsClearedUpAsItSays(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(jobs.manifest("all").replace("cleanPodPolicy: Running", "cleanPodPolicy: All"));
    jobs.create(jobs.manifest("none").replace("cleanPodPolicy: Running", "cleanPodPolicy: None"));
    jobs.awaitPhase("all", "Running");
    jobs.awaitPhase("none", "Running");
    jobs.launcher("all").finish(3);
    jobs.launcher("none").finish(3);
    jobs.awaitPhase("all", "Failed");
    jobs.awaitPhase("none", "Failed");
    Await.until(
        "the pods to be gone",
        TrainingJobs.SOON,
        () -> jobs.podNames().equals(List.of("none-launcher", "none-worker-0", "none-worker-1")));
    var last = jobs.status("all").conditions().getLast();
    assertThat(last.type()).isEqualTo("Failed");
    assertThat(last.message()).isEqualTo("job(%s/all) has failed".formatted(space.namespace()));
    assertThat(jobs.status("all").completionTime()).isNotNull();
  }

  /** Rows 17 and 18. */
  @Test
  void scalersAreServedInTheirOrderAlsoThoseThatCameBeforeTheirJob(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new TrainingJobs(space, launchers);
    jobs.scaleOut("first", "j", "toAdd: {count: 2}");
    Await.until(
        "the scaler to say so",
        TrainingJobs.SOON,
        () ->
            jobs.last("ScaleOut", "first")
                .filter(last -> last.reason().equals("TrainingJobNotFound"))
                .isPresent());
    assertThat(jobs.printed("scaleouts")).containsExactly("NAME PHASE", "first Created");
    // Whoever is created in the same second goes by name.
    Await.until("the next second", TrainingJobs.SOON, () -> isOlderThanASecond(jobs));
    jobs.running("j");
    jobs.scaleIn("second", "j", "{count: 1}");
    jobs.scaleIn("third", "j", "{podNames: [j-worker-0]}");
    jobs.awaitEnd("ScaleOut", "first", "ScaleSucceeded");
    jobs.awaitEnd("ScaleIn", "second", "ScaleSucceeded");
    jobs.awaitEnd("ScaleIn", "third", "ScaleSucceeded");
    assertThat(jobs.scaleIn("second").getStatus().plan()).containsExactly("j-worker-3");
    jobs.awaitPhase("j", "Running");
    assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-1", "j-worker-2");

    jobs.launcher("j").finish(0);
    jobs.awaitPhase("j", "Succeeded");
    jobs.scaleIn("late", "j", "{count: 1}");
    jobs.awaitEnd("ScaleIn", "late", "ScaleFailed");
    assertThat(jobs.last("ScaleIn", "late").orElseThrow().message()).isEqualTo("job finished");
  }

  private static boolean isOlderThanASecond(TrainingJobs jobs) {
    var made = Instant.parse(jobs.scaleOut("first").getMetadata().getCreationTimestamp());
    return made.plusSeconds(2).isBefore(Instant.now());
  }

  /** Row 19. */
  @Test
  void kubectlScaleBecomesAScaler(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.running("j");
    space.sandbox().kubectl("scale", "-n", space.namespace(), "trainingjobs/j", "--replicas=4");
    Await.until(
        "four workers",
        TrainingJobs.SOON,
        () -> Integer.valueOf(4).equals(jobs.status("j").replicas()));
    var made =
        space.client().resources(ScaleOut.class).inNamespace(space.namespace()).list().getItems();
    assertThat(made)
        .singleElement()
        .satisfies(scaler ->
            assertThat(scaler.getMetadata().getLabels())
                .containsEntry("auto-generated", "true")
                .containsEntry("job-id", "j"));
    space.sandbox().kubectl("scale", "-n", space.namespace(), "trainingjobs/j", "--replicas=1");
    Await.until(
        "one worker",
        TrainingJobs.SOON,
        () -> jobs.podNames().equals(List.of("j-launcher", "j-worker-0")));
  }

  /** Row 22. */
  @Test
  void aFailedWorkerIsReplacedUnderANewName(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("maxReplicas: 9", "maxReplicas: 9\n      restartPolicy: OnFailure"));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    changeTheImageOfWorkers(space);
    Await.until(
        "the Event about the template",
        TrainingJobs.SOON,
        () ->
            jobs.events("j").stream()
                .anyMatch(event ->
                    event.startsWith(
                        "TemplateChanged: spec.etReplicaSpecs.worker.template has changed")));
    fail(space, "j-worker-0");
    Await.until(
        "the replacement to be told",
        TrainingJobs.SOON,
        () -> launcher.file("/etc/edl/hostfile").equals("j-worker-1:1\nj-worker-2:1\n"));
    assertThat(jobs.phase("j")).isEqualTo("Running");
    assertThat(jobs.status("j").targetWorkers()).containsExactly("j-worker-1", "j-worker-2");
    assertThat(jobs.events("j"))
        .filteredOn(event -> event.startsWith("TrainingJobWorkerFailed"))
        .hasSize(1);
    assertThat(jobs.events("j"))
        .filteredOn(event -> event.startsWith("TrainingJobWorkerCreated"))
        .hasSize(1);
  }

  private static void changeTheImageOfWorkers(TestSpace space) {
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
            "[{\"op\":\"replace\",\"value\":\"another:2\","
                + "\"path\":\"/spec/etReplicaSpecs/worker/template/spec/containers/0/image\"}]");
  }

  private static void fail(TestSpace space, String pod) {
    space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withName(pod)
        .editStatus(found -> {
          found.getStatus().setPhase("Failed");
          return found;
        });
  }

  /** Row 23. */
  @Test
  void aJobThatFailsStartsAgainAsAWhole(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace(
                "cleanPodPolicy: Running",
                "cleanPodPolicy: Running\n  restartPolicy: OnFailure\n  backoffLimit: 1"));
    jobs.awaitPhase("j", "Running");
    jobs.launcher("j").finish(1);
    Await.until(
        "the second try",
        TrainingJobs.SOON,
        () ->
            Integer.valueOf(1).equals(jobs.status("j").restartCount())
                && jobs.phase("j").equals("Running"));
    assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-0", "j-worker-1");
    jobs.launcher("j").finish(1);
    jobs.awaitPhase("j", "Failed");
  }

  /** Rows 24 and 25. */
  @Test
  void aJobCanBeHeldAndSuspended(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("annotations: {}", "annotations: {scheduling.x-k8s.io/suspend: \"true\"}"));
    jobs.awaitPhase("j", "Created");
    assertThat(jobs.pods()).isEmpty();
    annotate(space, "scheduling.x-k8s.io/suspend-");
    jobs.awaitPhase("j", "Running");
    annotate(space, "job-supervisor.kube-ai.io/job-suspended=true");
    jobs.awaitPhase("j", "Suspended");
    Await.until("its pods to be gone", TrainingJobs.SOON, () -> jobs.pods().isEmpty());
    annotate(space, "job-supervisor.kube-ai.io/job-suspended-");
    jobs.awaitPhase("j", "Running");
  }

  private static void annotate(TestSpace space, String annotation) {
    space.sandbox().kubectl("annotate", "-n", space.namespace(), "trainingjobs/j", annotation);
  }

  /** Rows 26 and 33. */
  @Test
  void aJobThatWaitsOrRunsTooLongFailsAndAFinishedOneGoes(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("long")
            .replace(
                "cleanPodPolicy: Running", "cleanPodPolicy: Running\n  activeDeadlineSeconds: 8"));
    jobs.awaitPhase("long", "Running");
    jobs.create(
        jobs.manifest("waits")
            .replace(
                "annotations: {}", "annotations: {job-supervisor.kube-ai.io/max-wait-time: \"3\"}")
            .replace("replicas: 2", "replicas: 3"));
    jobs.awaitPhase("waits", "Failed");
    assertThat(jobs.status("waits").conditions().getLast().reason())
        .isEqualTo("WaitingResourceTimeout");
    assertThat(jobs.job("waits").orElseThrow().getMetadata().getAnnotations())
        .containsEntry("job-supervisor.kube-ai.io/job-status", "timeout");
    jobs.awaitPhase("long", "Failed");
    assertThat(jobs.status("long").conditions().getLast().reason()).isEqualTo("DeadlineExceeded");
    jobs.create(
        jobs.manifest("short")
            .replace(
                "cleanPodPolicy: Running",
                "cleanPodPolicy: Running\n  ttlSecondsAfterFinished: 1"));
    jobs.awaitPhase("short", "Running");
    jobs.launcher("short").finish(0);
    Await.until("the job to be gone", TrainingJobs.SOON, () -> jobs.job("short").isEmpty());
  }

  /** Rows 29, 30 and 31. */
  @Test
  void keysSlotsAndScriptsAreTheUsersOwn(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new TrainingJobs(space, launchers);
    secret(space, "named", Map.of("id_rsa", "", "id_rsa.pub", "", "config", ""));
    secret(space, "k", Map.of("id_rsa", "its user's", "id_rsa.pub", "", "config", ""));
    jobs.create(
        jobs.manifest("j")
            .replace("annotations: {}", "annotations: {arena.kubeflow.org/ssh-secret: named}")
            .replace("cleanPodPolicy: Running", "slotsPerWorker: 4"));
    jobs.create(jobs.manifest("k").replace("cleanPodPolicy: Running", "cleanPodPolicy: All"));
    jobs.awaitPhase("j", "Running");
    jobs.awaitPhase("k", "Running");
    assertThat(jobs.launcher("j").file("/etc/edl/hostfile"))
        .isEqualTo("j-worker-0:4\nj-worker-1:4\n");
    assertThat(space.client().secrets().inNamespace(space.namespace()).withName("j").get())
        .isNull();
    assertThat(
            space.client().secrets().inNamespace(space.namespace()).withName("k").get().getData())
        .as("whoever puts a Secret there by the job's name means the job to have it")
        .containsEntry("id_rsa", Base64.getEncoder().encodeToString("its user's".getBytes(UTF_8)));
    jobs.launcher("k").finish(0);
    jobs.awaitPhase("k", "Succeeded");

    jobs.scaleOut(
        "good",
        "j",
        "toAdd: {count: 1}\n  script: /etc/edl/discover_hosts.sh\n  env: [{name: A, value: x y}]");
    jobs.awaitEnd("ScaleOut", "good", "ScaleSucceeded");
    jobs.scaleOut("bad", "j", "toAdd: {count: 1}\n  script: /missing.sh\n  backoffLimit: 1");
    jobs.awaitEnd("ScaleOut", "bad", "ScaleFailed");
    assertThat(jobs.last("ScaleOut", "bad").orElseThrow().message())
        .startsWith("the script failed: exit code ");
    Await.until(
        "the new worker to be gone",
        TrainingJobs.SOON,
        () ->
            jobs.podNames()
                .equals(List.of("j-launcher", "j-worker-0", "j-worker-1", "j-worker-2")));
  }

  private static void secret(TestSpace space, String name, Map<String, String> data) {
    space
        .client()
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(space.namespace())
                .endMetadata()
                .withStringData(data)
                .build())
        .create();
  }

  /** Two controllers that work on one job would take its pods from each other. */
  @Test
  void aJobThatAnotherControllerHasBegunIsLeftAloneUntilItIsHandedOver(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("annotations: {}", "annotations: {scheduling.x-k8s.io/suspend: \"true\"}"));
    jobs.awaitPhase("j", "Created");
    var theirs =
        "{\"status\":{\"observedGeneration\":null,\"phase\":\"Running\",\"state\":null,"
            + "\"conditions\":[],\"targetWorkers\":[\"j-worker-0\"]}}";
    space
        .sandbox()
        .kubectl(
            "patch",
            "trainingjobs",
            "j",
            "-n",
            space.namespace(),
            "--subresource=status",
            "--type=merge",
            "-p",
            theirs);
    Await.until(
        "the Event",
        TrainingJobs.SOON,
        () -> jobs.events("j").stream().anyMatch(event -> event.startsWith("ForeignController")));
    annotate(space, "scheduling.x-k8s.io/suspend-");
    assertThat(Await.within(Duration.ofSeconds(3), () -> !jobs.pods().isEmpty())).isFalse();
    assertThat(jobs.status("j").observedGeneration()).isNull();
    annotate(space, "muster.io/adopt=true");
    Await.until(
        "the launcher to be made", TrainingJobs.SOON, () -> jobs.podNames().contains("j-launcher"));
  }

  /** Never half a gang, and never Failed, for a quota. */
  @Test
  void aQuotaThatRefusesAWorkerKeepsTheJobWaitingWithTheReason(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    quota(space, "1");
    Await.until(
        "the quota to be in force",
        TrainingJobs.SOON,
        () ->
            space
                    .client()
                    .resourceQuotas()
                    .inNamespace(space.namespace())
                    .withName("gpus")
                    .get()
                    .getStatus()
                    .getHard()
                != null);
    jobs.create(jobs.manifest("j"));
    Await.until(
        "the reason",
        TrainingJobs.SOON,
        () ->
            jobs.events("j").stream()
                .anyMatch(event ->
                    event.startsWith("TrainingJobPodsRefused")
                        && event.contains("exceeded quota")));
    Await.until("what was made of it to be gone", TrainingJobs.SOON, () -> jobs.pods().isEmpty());
    assertThat(jobs.phase("j")).isEqualTo("Created");
    quota(space, "2");
    jobs.awaitPhase("j", "Running");
  }

  private static void quota(TestSpace space, String gpus) {
    space
        .client()
        .resource(
            new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("gpus")
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewSpec()
                .addToHard("requests.nvidia.com/gpu", new Quantity(gpus))
                .endSpec()
                .build())
        .createOr(NonDeletingOperation::update);
  }

  /** Rows 27 and 32. */
  @Test
  void jobsByOneNameInTwoNamespacesAreTwoJobsAndADeletedOneLeavesNothing(
      Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    try (var other = TestSpace.open(sandbox, "other")) {
      other.nodes(1, NodeShape.GPU4);
      var here = new TrainingJobs(space, launchers);
      var there = new TrainingJobs(other, launchers);
      here.running("j");
      there.running("j");
      here.scaleIn("in", "j", "{count: 1}");
      here.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
      assertThat(there.podNames()).containsExactly("j-launcher", "j-worker-0", "j-worker-1");

      space
          .client()
          .resources(TrainingJob.class)
          .inNamespace(space.namespace())
          .withName("j")
          .delete();
      Await.until(
          "everything to be gone",
          TrainingJobs.SOON,
          () ->
              here.pods().isEmpty()
                  && here.serviceNames().isEmpty()
                  && here.scaleIn("in") == null
                  && space
                          .client()
                          .configMaps()
                          .inNamespace(space.namespace())
                          .withName("j-config")
                          .get()
                      == null);
      assertThat(there.phase("j")).isEqualTo("Running");
    }
  }
}
