package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Condition;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** DLRover's jobs whose workers Muster makes; the rows are those of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class DlroverBuiltinIT {

  private static final String JOB = "torch-mnist";

  /** Each worker ends so when it is told to. */
  private static String scripted(String manifest, String script) {
    return manifest.replace(
        "          annotations:\n",
        "          annotations:\n            test.muster.io/script: \"%s\"\n".formatted(script));
  }

  /** Rows 4, 6, 12 and 18. */
  @Test
  void theWorkersAreMadeAsDlroversMasterWouldMakeThem(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new ElasticJobs(space);
    jobs.create(ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB)));
    jobs.awaitWorkers(JOB, 4);
    Await.until(
        "the reason on the job",
        ElasticJobs.SOON,
        () ->
            jobs.condition(JOB, "GangScheduled")
                .filter(condition -> condition.status().equals("False"))
                .filter(condition -> condition.message().contains("2 Insufficient nvidia.com/gpu"))
                .isPresent());
    assertThat(jobs.phase(JOB)).isEqualTo("Running");
    assertThat(jobs.bound(JOB)).isZero();
    space.nodes(2, NodeShape.GPU1);
    jobs.awaitRunning(JOB, 4);
    Await.until(
        "the condition",
        ElasticJobs.SOON,
        () ->
            jobs.condition(JOB, "GangScheduled")
                .map(Condition::status)
                .equals(Optional.of("True")));

    assertThat(names(jobs))
        .containsExactly(
            "torch-mnist-edljob-worker-0",
            "torch-mnist-edljob-worker-1",
            "torch-mnist-edljob-worker-2",
            "torch-mnist-edljob-worker-3");
    var worker =
        jobs.workers(JOB).stream().filter(pod -> index(pod) == 2).findFirst().orElseThrow();
    assertThat(worker.getSpec().getRestartPolicy()).isEqualTo("Never");
    assertThat(variables(worker))
        .containsEntry("NODE_RANK", "2")
        .containsEntry("NODE_NUM", "4")
        .containsEntry("NODE_ID", "2")
        .containsEntry("WORLD_SIZE", "4")
        .containsEntry("RANK", "2")
        .containsEntry("WORKER_NUM", "4")
        .containsEntry("DLROVER_MASTER_ADDR", "elasticjob-torch-mnist-dlrover-master:50001");
    assertThat(worker.getMetadata().getLabels())
        .containsEntry("app", "dlrover")
        .containsEntry("elasticjob.dlrover/rank-index", "2")
        .containsEntry("elasticjob.dlrover/replica-index", "2")
        .containsEntry("elasticjob.dlrover/relaunch-count", "0");
    var master = jobs.pods(JOB, "dlrover-master").getFirst();
    assertThat(master.getSpec().getContainers().getFirst().getCommand())
        .containsSubsequence("--platform", "local")
        .containsSubsequence("--node_num", "4");
    assertThat(master.getSpec().getAutomountServiceAccountToken()).isFalse();
    var service =
        space
            .client()
            .services()
            .inNamespace(space.namespace())
            .withName("torch-mnist-edljob-worker-2")
            .get();
    assertThat(service.getSpec().getPorts().getFirst().getPort()).isEqualTo(3333);
    assertThat(service.getSpec().getSelector()).containsEntry("elasticjob.dlrover/rank-index", "2");
  }

  private static List<String> names(ElasticJobs jobs) {
    return jobs.workers(JOB).stream()
        .sorted(Comparator.comparingInt(DlroverBuiltinIT::index))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  private static int index(Pod pod) {
    return Integer.parseInt(label(pod, "replica-index"));
  }

  private static String label(Pod pod, String key) {
    return pod.getMetadata().getLabels().get("elasticjob.dlrover/" + key);
  }

  private static Map<String, String> variables(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(variable -> variable.getValue() != null)
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue, (_, later) -> later));
  }

  /** Row 10: a new id, the old rank. */
  @Test
  void aLostWorkerIsMadeAnewWithItsRank(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB)));
    jobs.awaitRunning(JOB, 4);
    jobs.kubectl("delete", "pod", "torch-mnist-edljob-worker-1", "--grace-period=0", "--force");
    Await.until(
        "its successor to run",
        ElasticJobs.SOON,
        () -> jobs.running(JOB) == 4 && names(jobs).contains("torch-mnist-edljob-worker-4"));
    var successor =
        jobs.workers(JOB).stream().filter(pod -> index(pod) == 4).findFirst().orElseThrow();
    assertThat(label(successor, "rank-index")).isEqualTo("1");
    assertThat(label(successor, "relaunch-count")).isEqualTo("1");
    assertThat(variables(successor)).containsEntry("NODE_RANK", "1").containsEntry("NODE_ID", "4");
  }

  /** Row 19: a node fails for good, and another comes. */
  @Test
  void lostRanksComeBackTogetherOnceThereIsRoom(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(
        ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB))
            .replace("min-available: 4", "min-available: 2")
            .replace("replicas: 4\n", "replicas: 6\n      restartCount: 0\n"));
    jobs.awaitRunning(JOB, 4);
    space.nodes(2, NodeShape.GPU1);
    jobs.awaitRunning(JOB, 6);
    var failed =
        jobs.workers(JOB).stream()
            .filter(pod -> !pod.getSpec().getNodeName().contains("gpu4"))
            .toList();
    assertThat(failed).hasSize(2);
    failed.forEach(pod -> space.client().nodes().withName(pod.getSpec().getNodeName()).delete());
    failed.forEach(pod -> space.client().resource(pod).withGracePeriod(0).delete());
    Await.until("four to be left", ElasticJobs.SOON, () -> jobs.workers(JOB).size() == 4);

    space.nodes(2, NodeShape.GPU1);
    Await.until("six to run again", ElasticJobs.SOON, () -> jobs.running(JOB) == 6);
    var plan = "torch-mnist-grows-back-1";
    awaitPlan(space, plan, "Succeeded");
    assertThat(plan(space, plan).getStatus().pods())
        .containsExactly("torch-mnist-edljob-worker-6", "torch-mnist-edljob-worker-7");
    assertThat(jobs.workers(JOB).stream().map(pod -> label(pod, "rank-index")).sorted().toList())
        .containsExactly("0", "1", "2", "3", "4", "5");
  }

  /** Rules 5.1 and 5.2: out of memory is not recreated; too few are left, so the job ends. */
  @Test
  void aWorkerOutOfMemoryEndsAGangThatNeedsIt(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(
        scripted(
            ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB)),
            "run 2s; exit 137 OOMKilled"));
    jobs.awaitPhase(JOB, "Failed");
    assertThat(jobs.condition(JOB, "Failed").map(Condition::message).orElse(""))
        .contains("workers are left, and it needs 4");
    Await.until(
        "the master to be gone",
        ElasticJobs.SOON.multipliedBy(2),
        () -> jobs.pods(JOB, "dlrover-master").isEmpty());
    assertThat(names(jobs))
        .allMatch(name -> Integer.parseInt(name.substring(name.lastIndexOf('-') + 1)) < 4);
  }

  /** The job ends well when all workers have. */
  @Test
  void allWorkersEndTheJob(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(
        scripted(ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB)), "run 2s; exit 0"));
    jobs.awaitPhase(JOB, "Succeeded");
    assertThat(jobs.status(JOB).status().completionTime()).isNotNull();
    Await.until(
        "the master to be gone",
        ElasticJobs.SOON.multipliedBy(2),
        () -> jobs.pods(JOB, "dlrover-master").isEmpty());
    assertThat(names(jobs)).hasSize(4);
  }

  /** Row 13. */
  @Test
  void aPlanMakesTheJobLargerAndSmaller(TestSpace space) {
    space.nodes(2, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(
        ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB))
            .replace("min-available: 4", "min-available: 2"));
    jobs.awaitRunning(JOB, 4);
    jobs.plan("more", "worker: {replicas: 6}");
    awaitPlan(space, "more", "Succeeded");
    assertThat(plan(space, "more").getStatus().finishTime()).isNotNull();
    assertThat(plan(space, "more").getStatus().pods())
        .containsExactly("torch-mnist-edljob-worker-4", "torch-mnist-edljob-worker-5");
    assertThat(jobs.running(JOB)).isEqualTo(6);

    // As DLRover's masters left them behind by the thousand.
    for (int i = 0; i < 8; i++) {
      jobs.create(
          jobs.planOf("torch-mnist-scaleplan-" + i, "worker: {replicas: 6}")
              .replace("scale-type: manual", "scale-type: auto"));
    }
    Await.until(
        "old plans to be gone",
        ElasticJobs.SOON,
        () ->
            space
                    .client()
                    .resources(ScalePlan.class)
                    .inNamespace(space.namespace())
                    .withLabel("scale-type", "auto")
                    .list()
                    .getItems()
                    .size()
                == 5);

    jobs.plan("fewer", "worker: {replicas: 3}");
    awaitPlan(space, "fewer", "Succeeded");
    Await.until("three to be left", ElasticJobs.SOON, () -> jobs.workers(JOB).size() == 3);
    assertThat(names(jobs))
        .containsExactly(
            "torch-mnist-edljob-worker-0",
            "torch-mnist-edljob-worker-1",
            "torch-mnist-edljob-worker-2");

    jobs.plan("none", "worker: {replicas: 1}");
    awaitPlan(space, "none", "Failed");
    assertThat(plan(space, "none").getStatus().message())
        .isEqualTo("1 workers would be left, and its gang needs 2");

    jobs.kubectl(
        "patch",
        "elasticjob",
        JOB,
        "--type=json",
        "-p",
        "[{\"op\":\"replace\",\"path\":\"/spec/replicaSpecs/worker/replicas\",\"value\":5}]");
    Await.until("five to run", ElasticJobs.SOON, () -> jobs.running(JOB) == 5);
    assertThat(jobs.workers(JOB).stream().map(pod -> label(pod, "rank-index")).sorted().toList())
        .containsExactly("0", "1", "2", "3", "4");
  }

  /** They would start as soon as there is room, though nobody asks for them any more. */
  @Test
  void workersOfAPlanThatIsGivenUpGo(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB)));
    jobs.awaitRunning(JOB, 4);
    jobs.plan("more", "worker: {replicas: 6}");
    Await.until("two to wait", ElasticJobs.SOON, () -> jobs.workers(JOB).size() == 6);
    jobs.kubectl("delete", "scaleplan", "more");
    Await.until("the two to be gone", ElasticJobs.SOON, () -> jobs.workers(JOB).size() == 4);
    assertThat(jobs.running(JOB)).isEqualTo(4);
  }

  private static ScalePlan plan(TestSpace space, String name) {
    return space
        .client()
        .resources(ScalePlan.class)
        .inNamespace(space.namespace())
        .withName(name)
        .get();
  }

  private static void awaitPlan(TestSpace space, String name, String phase) {
    Await.until(
        "plan " + name + " to have " + phase,
        ElasticJobs.SOON,
        () ->
            Optional.ofNullable(plan(space, name).getStatus())
                .filter(status -> phase.equals(status.phase()))
                .isPresent());
  }

  /** Row 8. */
  @Test
  void aJobThatIsSuspendedKeepsItsWorkersUnlessItReleasesThem(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB)));
    jobs.awaitRunning(JOB, 4);
    jobs.suspend(JOB, true);
    jobs.awaitPhase(JOB, "Suspended");
    jobs.kubectl("delete", "pod", "torch-mnist-edljob-worker-3", "--grace-period=0", "--force");
    assertThat(jobs.running(JOB)).isEqualTo(3);
    jobs.kubectl("annotate", "elasticjob", JOB, "muster.io/suspend-policy=release");
    Await.until("the workers to be gone", ElasticJobs.SOON, () -> jobs.workers(JOB).isEmpty());
    assertThat(jobs.pods(JOB, "dlrover-master")).hasSize(1);
    jobs.suspend(JOB, false);
    jobs.awaitPhase(JOB, "Running");
    jobs.awaitRunning(JOB, 4);
    assertThat(jobs.workers(JOB).stream().map(pod -> label(pod, "rank-index")).sorted().toList())
        .containsExactly("0", "1", "2", "3");
  }

  @Test
  void whatMusterCannotMakeItselfIsSaid(TestSpace space) {
    var jobs = new ElasticJobs(space);
    jobs.create(
        ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB))
            .replace("AllreduceStrategy", "CustomStrategy")
            .replace(
                "  replicaSpecs:\n",
                "  replicaSpecs:\n    ps: {replicas: 1, template: {spec: {containers: [{name: main,"
                    + " image: any}]}}}\n"));
    jobs.awaitPhase(JOB, "Failed");
    assertThat(jobs.condition(JOB, "Failed").map(Condition::message).orElse(""))
        .isEqualTo(
            "spec.distributionStrategy: CustomStrategy needs DLRover's own master to make the"
                + " members; set it to AllreduceStrategy, or the annotation muster.io/dlrover-mode"
                + " to upstream-master");
    assertThat(jobs.pods(JOB, "dlrover-master")).isEmpty();
  }
}
