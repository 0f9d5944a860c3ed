package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ElasticJobStatus;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Muster is killed right after writes of its own while it makes the workers of an ElasticJob, and
 * started again: the job ends as it would have.
 */
@ExtendWith(SandboxExtension.class)
final class DlroverKillIT {

  private static final String JOB = "torch-mnist";

  private MusterProcess muster;

  @BeforeEach
  void find(Sandbox sandbox) {
    muster = sandbox.muster().orElseThrow();
  }

  @AfterEach
  void startAgain() {
    if (!muster.isAlive()) {
      muster.start();
    }
  }

  /** Between the first workers; between the status of the job and that of its plan. */
  @Test
  void aJobCutOffAtItsStartAndAtAPlanHasEachWorkerOnce(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new ElasticJobs(space);
    var kills = new Kills(muster);
    try (var pods = new PodsSeen(space)) {
      kills.on(
          space,
          Pod.class,
          Kills.named("torch-mnist-edljob-worker-1"),
          () ->
              jobs.create(
                  ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB))
                      .replace("min-available: 4", "min-available: 2")));
      jobs.awaitRunning(JOB, 4);
      jobs.awaitPhase(JOB, "Running");
      kills.on(
          space,
          ElasticJob.class,
          job -> Optional.ofNullable(job.getStatus()).map(ElasticJobStatus::scalePlan).isPresent(),
          () -> jobs.plan("more", "worker: {replicas: 6}"));
      jobs.awaitRunning(JOB, 6);
      Await.until(
          "the plan to end",
          ElasticJobs.SOON,
          () ->
              Optional.ofNullable(
                      space
                          .client()
                          .resources(ScalePlan.class)
                          .inNamespace(space.namespace())
                          .withName("more")
                          .get()
                          .getStatus())
                  .filter(status -> "Succeeded".equals(status.phase()))
                  .isPresent());
      assertThat(
              jobs.workers(JOB).stream()
                  .map(pod -> pod.getMetadata().getLabels().get("elasticjob.dlrover/rank-index"))
                  .sorted()
                  .toList())
          .containsExactly("0", "1", "2", "3", "4", "5");
      pods.assertEachMadeOnce(
          "elasticjob-torch-mnist-dlrover-master-0",
          "torch-mnist-edljob-worker-0",
          "torch-mnist-edljob-worker-1",
          "torch-mnist-edljob-worker-2",
          "torch-mnist-edljob-worker-3",
          "torch-mnist-edljob-worker-4",
          "torch-mnist-edljob-worker-5");
    }
  }
}
