package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.kinds.dlrover.job.DlroverNames;
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

/** What was asked of a job that was deleted with --cascade=orphan is not asked of the next. */
@ExtendWith(SandboxExtension.class)
final class EarlierJobIT {

  private static final String JOB = "torch-mnist";
  private static final String LEFT = "an earlier job of this name had taken it up, and is gone";

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  /** A collector that does not watch these objects yet lets them go with the job later. */
  private static void awaitCollector(TestSpace space, String apiVersion, String kind, String spec) {
    var objects = new ElasticJobs(space);
    objects.create(
        """
        apiVersion: %s
        kind: %s
        metadata:
          name: owned
          namespace: %s
          ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: none, uid: none}]
        spec: %s
        """
            .formatted(apiVersion, kind, space.namespace(), spec));
    Await.until(
        "the garbage collector to watch " + kind,
        Duration.ofMinutes(2),
        () -> objects.kubectl("get", kind, "owned", "--ignore-not-found").isEmpty());
  }

  /** The job goes alone; its users delete what is in the way of the next. */
  private static void deleteAlone(ElasticJobs objects, String plural, String job) {
    objects.kubectl("delete", plural, job, "--cascade=orphan");
    objects.kubectl("delete", "pods,services,configmaps,secrets,roles,rolebindings", "--all");
    objects.kubectl("delete", "serviceaccount", "--all");
  }

  @Test
  void plansUnderWayAndPlansThatWaitedForThem(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new ElasticJobs(space);
    awaitCollector(space, "elastic.iml.github.io/v1alpha1", "ScalePlan", "{ownerJob: none}");
    var manifest = ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB));
    jobs.create(manifest);
    jobs.awaitRunning(JOB, 4);
    jobs.plan("more", "worker: {replicas: 30}");
    jobs.awaitWorkers(JOB, 30);
    jobs.plan("next", "worker: {replicas: 6}");
    Await.until("the next to wait", ElasticJobs.SOON, () -> phase(jobs, "next").equals("Pending"));
    // As the job would ask for itself.
    jobs.plan(JOB + "-grows-back-1", "worker: {replicas: 5}");
    var auto = DlroverNames.PLAN_ORIGIN_LABEL + "=auto";
    jobs.kubectl("label", "--overwrite", "scaleplan", JOB + "-grows-back-1", auto);
    Await.until(
        "its own to wait",
        ElasticJobs.SOON,
        () -> phase(jobs, JOB + "-grows-back-1").equals("Pending"));
    deleteAlone(jobs, "elasticjob", JOB);

    jobs.create(manifest);
    jobs.awaitRunning(JOB, 4);
    Await.until("the end", ElasticJobs.SOON, () -> phase(jobs, "more").equals("Failed"));
    assertThat(phase(jobs, "next")).isEqualTo("Failed");
    assertThat(jobs.kubectl("get", "scaleplans", "-o", "jsonpath={.items[*].status.message}"))
        .contains(LEFT);
    assertThat(jobs.kubectl("get", "scaleplans", "-o", "name")).doesNotContain("grows-back");
    assertThat(jobs.workers(JOB)).hasSize(4);

    jobs.plan("mine", "worker: {replicas: 5}");
    jobs.awaitRunning(JOB, 5);
  }

  private static String phase(ElasticJobs jobs, String plan) {
    return jobs.kubectl("get", "scaleplan", plan, "-o", "jsonpath={.status.phase}");
  }

  /** Nobody serves it before, and it says so. */
  @Test
  void whatIsAskedOfAJobThatIsBeingDeletedIsAskedOfTheNext(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var objects = new ElasticJobs(space);
    jobs.running("j");
    var keep = "{\"metadata\":{\"finalizers\":[\"example.com/keep\"]}}";
    var kind = "trainingjobs.kai.alibabacloud.com";
    objects.kubectl("patch", kind, "j", "--type=merge", "-p", keep);
    objects.kubectl("delete", kind, "j", "--wait=false");
    jobs.scaleOut("more", "j", "toAdd: {count: 1}");
    Await.until(
        "it to say so",
        TrainingJobs.SOON,
        () ->
            jobs.last("ScaleOut", "more")
                .filter(last -> last.message().startsWith("TrainingJob j is being deleted"))
                .isPresent());
    var go = keep.replace("\"example.com/keep\"", "");
    objects.kubectl("patch", kind, "j", "--type=merge", "-p", go);
    Await.until("all of it to go", TrainingJobs.SOON, () -> jobs.podNames().isEmpty());
    jobs.running("j");
    jobs.awaitEnd("ScaleOut", "more", "ScaleSucceeded");
  }

  @Test
  void scalersUnderWay(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var none = "{selector: {name: none}, toAdd: {count: 1}}";
    awaitCollector(space, "kai.alibabacloud.com/v1alpha1", "ScaleOut", none);
    jobs.running("j");
    jobs.scaleOut("more", "j", "toAdd: {count: 7}");
    Await.until("the new workers", TrainingJobs.SOON, () -> jobs.podNames().size() == 10);
    deleteAlone(new ElasticJobs(space), "trainingjobs.kai.alibabacloud.com", "j");

    jobs.running("j");
    jobs.awaitEnd("ScaleOut", "more", "ScaleFailed");
    assertThat(jobs.last("ScaleOut", "more").orElseThrow().message()).startsWith(LEFT);
    assertThat(jobs.podNames()).containsExactly("j-launcher", "j-worker-0", "j-worker-1");
  }
}
