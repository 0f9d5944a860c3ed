package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Condition;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** DI-engine's jobs with tasks, and with one template; the rows are those of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class DiTasksIT {

  private static final String JOB = "job-with-tasks";
  private static final String LEARNER = JOB + "-learner-0";
  private static final String EVALUATOR = JOB + "-evaluator-0";
  private static final String COLLECTOR = JOB + "-collector-0";
  private static final String SECOND = JOB + "-collector-1";

  /** Every pod asks for a GPU, so that nodes say how many find room. */
  static String onGpus(String manifest) {
    return manifest
        .replaceAll("(?m)^ +resources:\\n +requests:\\n +cpu: \"1\"\\n +nvidia.com/gpu: 1\\n", "")
        .replaceAll("(?m)^( +)name: pydi\\n", "$0$1resources: {requests: {nvidia.com/gpu: 1}}\n");
  }

  static String withoutBounds(String manifest) {
    return manifest.replaceAll("(?m)^  (min|max)Replicas: .*\n", "");
  }

  /** Rows E1, E2, E3. */
  @Test
  void aJobWaitsWholeAndStartsWhole(TestSpace space) {
    space.nodes(3, NodeShape.GPU1);
    var jobs = new DiJobs(space);
    jobs.create(withoutBounds(onGpus(jobs.example("job-with-tasks.yaml"))));
    jobs.awaitPhase(JOB, "Starting");
    Await.until(
        "the reason on the job",
        DiJobs.SOON,
        () ->
            jobs.condition(JOB, "GangScheduled")
                .map(Condition::message)
                .filter(message -> message.contains("3 Insufficient nvidia.com/gpu"))
                .isPresent());
    assertThat(jobs.printed("dijob"))
        .containsExactly(
            "NAME PHASE READYREPLICAS REPLICAS RESTARTS RESCHEDULES",
            "job-with-tasks Starting 0 4 0 0");
    var shown =
        List.of(
            "NAME READY STATUS RESTARTS",
            "job-with-tasks-collector-0 0/1 Pending 0",
            "job-with-tasks-collector-1 0/1 Pending 0",
            "job-with-tasks-evaluator-0 0/1 Pending 0",
            "job-with-tasks-learner-0 0/1 Pending 0");
    Await.until(
        "the pods to look as those that wait for room",
        DiJobs.SOON,
        () -> jobs.printed("pods").equals(shown));
    var status = jobs.status(JOB);
    assertThat(status.taskStatus())
        .isEqualTo(
            Map.of(
                "learner",
                Map.of("Pending", 1),
                "evaluator",
                Map.of("Pending", 1),
                "collector",
                Map.of("Pending", 2)));
    assertThat(status.profilings()).isEmpty();
    assertThat(status.conditions().stream().filter(c -> !c.type().equals("GangScheduled")))
        .extracting(Condition::type, Condition::status, Condition::reason, Condition::message)
        .containsExactly(
            tuple("Pending", "False", "JobPending", "job created."),
            tuple(
                "Starting", "True", "JobStarting", "job is starting since all pods are created."));
    assertThat(jobs.bound()).isZero();

    space.nodes(1, NodeShape.GPU1);
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.printed("dijob")).contains("job-with-tasks Running 4 4 0 0");
    var service =
        space.client().services().inNamespace(space.namespace()).withName("di-" + JOB).get();
    assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
    assertThat(service.getSpec().getPorts().getFirst().getPort()).isEqualTo(22270);
    var ranks = List.of(LEARNER, EVALUATOR, COLLECTOR, SECOND);
    for (var name : ranks) {
      var variables = DiJobs.variables(jobs.pods().get(name));
      assertThat(variables)
          .containsEntry("DI_RANK", Integer.toString(ranks.indexOf(name)))
          .containsEntry("DI_NODES", nodes(space, ranks))
          .containsEntry("NCCL_DEBUG", "INFO")
          .containsEntry("DI_COLLECTOR_NODES", nodes(space, List.of(COLLECTOR, SECOND)));
      assertThat(jobs.pods().get(name).getSpec().getHostname()).isEqualTo(name);
      assertThat(jobs.pods().get(name).getSpec().getSubdomain()).isEqualTo("di-" + JOB);
    }
  }

  private static String nodes(TestSpace space, List<String> pods) {
    return String.join(
        ",",
        pods.stream()
            .map(pod -> pod + ".di-" + JOB + "." + space.namespace() + ".svc.cluster.local")
            .toList());
  }

  /** Rows E4 and E21. */
  @Test
  void aJobWithBoundsStartsWithFewerCollectorsAndFollowsItsSize(TestSpace space) {
    space.nodes(3, NodeShape.GPU1);
    var jobs = new DiJobs(space);
    jobs.create(
        onGpus(jobs.example("job-with-tasks.yaml")).replace("maxReplicas: 5", "maxReplicas: 6"));
    jobs.awaitRunning(COLLECTOR, EVALUATOR, LEARNER);
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.printed("dijob")).contains("job-with-tasks Running 3 4 0 0");
    var before = uids(jobs);
    space.nodes(3, NodeShape.GPU1);
    jobs.awaitRunning(COLLECTOR, SECOND, EVALUATOR, LEARNER);
    assertThat(DiJobs.variables(jobs.pods().get(SECOND))).containsEntry("DI_RANK", "3");

    jobs.resize(JOB, 2, 4);
    var third = JOB + "-collector-2";
    var fourth = JOB + "-collector-3";
    jobs.awaitRunning(COLLECTOR, SECOND, third, fourth, EVALUATOR, LEARNER);
    assertThat(DiJobs.variables(jobs.pods().get(third))).containsEntry("DI_RANK", "4");
    assertThat(DiJobs.variables(jobs.pods().get(fourth)))
        .containsEntry("DI_RANK", "5")
        .containsEntry(
            "DI_NODES",
            nodes(space, List.of(LEARNER, EVALUATOR, COLLECTOR, SECOND, third, fourth)));
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.printed("dijob")).contains("job-with-tasks Running 6 6 0 1");
    jobs.resize(JOB, 2, 2);
    jobs.awaitRunning(COLLECTOR, SECOND, EVALUATOR, LEARNER);
    assertThat(uids(jobs)).containsAllEntriesOf(before);
  }

  private static Map<String, String> uids(DiJobs jobs) {
    return jobs.pods().values().stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getName(), pod -> pod.getMetadata().getUid()));
  }

  /** Rows E7 to E10. */
  @Test
  void lostPodsComeBackWithNameAndRankAndTheJobEndsWithAll(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new DiJobs(space);
    jobs.create(
        withoutBounds(jobs.example("job-with-tasks.yaml"))
            .replace("backoffLimit: 0", "backoffLimit: 1"));
    var all = new String[] {COLLECTOR, SECOND, EVALUATOR, LEARNER};
    jobs.awaitRunning(all);
    jobs.awaitPhase(JOB, "Running");
    var before = uids(jobs);

    jobs.kubectl("delete", "pod", SECOND, "--wait=false");
    awaitAnother(jobs, before, SECOND);
    jobs.awaitRunning(all);
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.printed("dijob")).contains("job-with-tasks Running 4 4 0 1");
    assertThat(rank(jobs.pods().get(SECOND))).isEqualTo("3");

    jobs.end(EVALUATOR, 1);
    jobs.end(COLLECTOR, 1);
    awaitAnother(jobs, before, EVALUATOR);
    awaitAnother(jobs, before, COLLECTOR);
    jobs.awaitRunning(all);
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.status(JOB).restarts()).isBetween(1, 2);
    assertThat(rank(jobs.pods().get(EVALUATOR))).isEqualTo("1");
    assertThat(rank(jobs.pods().get(COLLECTOR))).isEqualTo("2");
    assertThat(uids(jobs)).containsEntry(LEARNER, before.get(LEARNER));
    assertThat(jobs.events(JOB)).anyMatch(event -> event.startsWith("JobRestarting: "));

    for (var pod : all) {
      jobs.end(pod, 0);
    }
    jobs.awaitPhase(JOB, "Succeeded");
    assertThat(jobs.printed("dijob")).anyMatch(line -> line.contains("Succeeded 0 4"));
    assertThat(jobs.status(JOB).taskStatus()).isNull();
    assertThat(jobs.status(JOB).completionTimestamp()).isNotNull();
    Await.until(
        "the Service to be gone",
        DiJobs.SOON,
        () ->
            space.client().services().inNamespace(space.namespace()).withName("di-" + JOB).get()
                == null);
  }

  private static void awaitAnother(DiJobs jobs, Map<String, String> before, String pod) {
    Await.until(
        "another " + pod,
        DiJobs.SOON,
        () -> {
          var uid = uids(jobs).get(pod);
          return uid != null && !uid.equals(before.get(pod));
        });
  }

  private static String rank(Pod pod) {
    return DiJobs.variables(pod).get("DI_RANK");
  }

  /** Row E7. */
  @Test
  void withoutRestartsTheFirstFailureIsTheEnd(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new DiJobs(space);
    jobs.create(jobs.example("job-with-tasks.yaml"));
    jobs.awaitPhase(JOB, "Running");
    jobs.end(SECOND, 1);
    jobs.awaitPhase(JOB, "Failed");
    assertThat(jobs.condition(JOB, "Failed").map(Condition::message).orElse(""))
        .isEqualTo(
            "job failed since 1 of 4 pods failed (job-with-tasks-collector-1), and failed pods are"
                + " recreated 0 times at most.");
    Await.until(
        "those that ran to be gone",
        DiJobs.SOON,
        () -> jobs.pods().keySet().equals(Set.of(SECOND)));
  }

  /** Row E16. */
  @Test
  void copiesOfOneTemplateRunAsBefore(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new DiJobs(space);
    jobs.create(
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: test}
        spec:
          minReplicas: 3
          maxReplicas: 3
          engineFields: {topology: star}
          template:
            spec:
              nodeSelector: {sandbox.muster.io/set: %s}
              containers: [{name: di-container, image: any}]
        """
            .formatted(space.namespace()));
    jobs.awaitRunning("test-0-0", "test-0-1", "test-0-2");
    jobs.awaitPhase("test", "Running");
    assertThat(jobs.printed("dijob")).contains("test Running 3 3 0 0");
    assertThat(DiJobs.variables(jobs.pods().get("test-0-2")))
        .containsEntry("DI_RANK", "2")
        .containsEntry("DI_ATTACHED_NODES_ARG", "--attach-to=tcp://test-0-0.test:22270");
  }

  /** Rows E19 and E21: what a job that lives does not take, and what its creator is told. */
  @Test
  void whatWouldBreakALiveJobIsRefused(TestSpace space) {
    var jobs = new DiJobs(space);
    jobs.create(jobs.example("job-with-tasks.yaml"));
    jobs.awaitPhase(JOB, "Starting");
    assertThatThrownBy(() -> jobs.resize(JOB, 0, 2))
        .hasMessageContaining(
            "spec.tasks[].replicas: only that of the collectors can be changed while the job lives");
    assertThatThrownBy(() ->
            jobs.edit(
                JOB,
                job -> {
                  job.getSpec()
                      .tasks()
                      .getFirst()
                      .template()
                      .getSpec()
                      .getContainers()
                      .getFirst()
                      .setImage("other");
                  return job;
                }))
        .hasMessageContaining("spec.tasks[].template: cannot be changed");
    jobs.resize(JOB, 2, 3);
    assertThat(
            jobs.warnings(
                jobs.example("job-with-tasks.yaml")
                    .replace("name: job-with-tasks", "name: other")
                    .replace("name: NCCL_DEBUG", "name: DI_RANK")))
        .contains(
            "Warning: ",
            "DI_RANK, DI_NODES, DI_<TASK>_NODES, DI_JOB_ID and DI_SERVER_URL are set by Muster");
  }

  /** Row E23. */
  @Test
  void ofTwoThatWaitTheOneWithTheHighPriorityGoesFirst(TestSpace space) {
    var jobs = new DiJobs(space);
    var manifest = withoutBounds(onGpus(jobs.example("job-with-tasks.yaml")));
    jobs.create(manifest);
    jobs.awaitPhase(JOB, "Starting");
    jobs.create(
        manifest
            .replace("name: job-with-tasks", "name: urgent")
            .replace("priority: \"normal\"", "priority: \"high\""));
    jobs.awaitPhase("urgent", "Starting");
    space.nodes(4, NodeShape.GPU1);
    jobs.awaitPhase("urgent", "Running");
    assertThat(jobs.running()).hasSize(4).allMatch(name -> name.startsWith("urgent-"));
    assertThat(jobs.phase(JOB)).isEqualTo("Starting");
  }

  /** Row E17. */
  @Test
  void aJobThatMayBePreemptedGivesCollectorsToAGangOfHigherPriority(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    var jobs = new DiJobs(space);
    var manifest = onGpus(jobs.example("job-with-tasks.yaml"));
    jobs.create(manifest.replace("preemptible: false", "preemptible: true"));
    jobs.awaitRunning(COLLECTOR, SECOND, EVALUATOR, LEARNER);
    jobs.awaitPhase(JOB, "Running");
    jobs.create(urgent(space));
    jobs.awaitPhase("urgent", "Running");
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.running()).contains(EVALUATOR, LEARNER, "urgent-one-0").hasSize(4);
    assertThat(jobs.status(JOB).restarts()).isZero();
    assertThat(jobs.status(JOB).reschedules()).isEqualTo(1);
    assertThat(jobs.events(JOB)).anyMatch(event -> event.startsWith("JobPreempted: gives back "));
    jobs.kubectl("delete", "dijob", "urgent");
    Await.until(
        "the collector to be back",
        DiJobs.SOON.multipliedBy(2),
        () -> jobs.running().equals(List.of(COLLECTOR, SECOND, EVALUATOR, LEARNER)));

    var large = GangManifest.of(space, "large", 4).ofPriority(space.priorityClass(1000));
    large.create();
    Await.until("it to run", DiJobs.SOON, () -> large.running() == 4);
    large.delete();
    jobs.awaitRunning(COLLECTOR, SECOND, EVALUATOR, LEARNER);
    assertThat(jobs.status(JOB).restarts()).isZero();
    assertThat(jobs.status(JOB).reschedules()).isEqualTo(3);
  }

  private static String urgent(TestSpace space) {
    return """
    apiVersion: diengine.opendilab.org/v2alpha1
    kind: DIJob
    metadata: {name: urgent}
    spec:
      priority: high
      tasks:
      - name: one
        template:
          spec:
            nodeSelector: {sandbox.muster.io/set: %s}
            terminationGracePeriodSeconds: 1
            containers: [{name: main, image: any, resources: {limits: {nvidia.com/gpu: 1}}}]
    """
        .formatted(space.namespace());
  }
}
