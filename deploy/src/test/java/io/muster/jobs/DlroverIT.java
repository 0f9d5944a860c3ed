package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.api.Condition;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** DLRover's jobs as their users know them; the rows are those of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class DlroverIT {

  private static final String JOB = "torch-mnist";

  /** Koordinator's semantics, where its own scheduler serves the pods. */
  @Test
  void aGangThatKoordSchedulerStartsIsToldOfAndLeftAlone(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new ElasticJobs(space);
    jobs.create(
        jobs.example("torch-mnist-gang", JOB)
            .replace("replicas: 4", "replicas: 3")
            .replace("min-available: 4", "min-available: 3")
            .replace(
                "restartPolicy: Always",
                "restartPolicy: Always\n          schedulerName: koord-scheduler"));
    jobs.awaitPhase(JOB, "Running");
    try (var played = PlayedMaster.of(space, JOB)) {
      jobs.awaitWorkers(JOB, 3);
      awaitGang(
          jobs,
          " Waiting 3 3 0 scheduler koord-scheduler is to start it, Muster only observes: no room for 3");
      assertThat(jobs.workers(JOB))
          .allSatisfy(pod -> {
            assertThat(pod.getSpec().getSchedulingGates()).isEmpty();
            assertThat(jobs.events(name(pod)))
                .noneMatch(event -> event.startsWith("FailedScheduling"));
          });
      space.nodes(1, NodeShape.GPU1);
      awaitGang(jobs, "Muster only observes: there is room for 3 members together");
      assertThat(jobs.bound(JOB)).isZero();

      var node =
          space
              .client()
              .nodes()
              .withLabel("sandbox.muster.io/set", space.namespace())
              .list()
              .getItems();
      for (int i = 0; i < 3; i++) {
        bind(space, name(jobs.workers(JOB).get(i)), node.get(i).getMetadata().getName());
      }
      awaitGang(jobs, " Running 3 3 3 3 of at least 3 members bound, by scheduler koord-scheduler");
      assertThat(played.refusals()).isEmpty();
    }
  }

  private static void awaitGang(ElasticJobs jobs, String said) {
    Await.until(
        "the gang to say: " + said,
        ElasticJobs.SOON,
        () -> jobs.printed("gangs").stream().anyMatch(line -> line.contains(said)));
  }

  private static void bind(TestSpace space, String pod, String node) {
    space
        .client()
        .bindings()
        .inNamespace(space.namespace())
        .resource(
            new BindingBuilder()
                .withNewMetadata()
                .withName(pod)
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewTarget()
                .withKind("Node")
                .withName(node)
                .endTarget()
                .build())
        .create();
  }

  /** Rows 1, 2, 3, 4, 6 and 9, and the tutorial's first scenario. */
  @Tag("quick")
  @Test
  void aGangWithoutRoomHoldsNothingAndStartsWholeOnceThereIs(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new ElasticJobs(space);
    jobs.create(jobs.example("torch-mnist-gang", JOB));
    jobs.awaitPhase(JOB, "Running");
    assertThat(
            jobs.kubectl(
                "get",
                "elasticjob",
                JOB,
                "-o",
                "jsonpath={.spec.replicaSpecs.worker.template.metadata.annotations}"))
        .contains("\"gang.scheduling.koordinator.sh/min-available\":4");
    var master = jobs.pods(JOB, "dlrover-master").getFirst();
    assertThat(master.getMetadata().getName()).isEqualTo("elasticjob-torch-mnist-dlrover-master-0");
    assertThat(master.getSpec().getContainers().getFirst().getCommand())
        .containsSubsequence("python", "-m", "dlrover.python.master.main")
        .containsSubsequence("--job_name", JOB, "--port", "50001")
        .containsSubsequence("--pending_fail_strategy", "0");
    assertThat(master.getSpec().getContainers().getFirst().getEnv())
        .extracting(variable -> variable.getName())
        .contains("POD_IP");
    var service =
        space
            .client()
            .services()
            .inNamespace(space.namespace())
            .withName("elasticjob-torch-mnist-dlrover-master")
            .get();
    assertThat(service.getSpec().getPorts().getFirst().getPort()).isEqualTo(50001);
    assertThat(service.getSpec().getSelector())
        .allSatisfy(
            (key, value) -> assertThat(master.getMetadata().getLabels()).containsEntry(key, value));

    try (var played = PlayedMaster.of(space, JOB)) {
      jobs.awaitWorkers(JOB, 4);
      Await.until(
          "the reason",
          ElasticJobs.SOON,
          () ->
              jobs.workers(JOB).stream()
                  .allMatch(pod -> jobs.events(name(pod)).stream().anyMatch(DlroverIT::rejects)));
      assertThat(jobs.bound(JOB)).isZero();
      assertThat(jobs.printed("elasticjobs")).containsExactly("NAME PHASE", "torch-mnist Running");
      assertThat(jobs.printed("pods"))
          .containsExactly(
              "NAME READY STATUS RESTARTS",
              "elasticjob-torch-mnist-dlrover-master-0 1/1 Running 0",
              "torch-mnist-edljob-worker-0 0/1 Pending 0",
              "torch-mnist-edljob-worker-1 0/1 Pending 0",
              "torch-mnist-edljob-worker-2 0/1 Pending 0",
              "torch-mnist-edljob-worker-3 0/1 Pending 0");
      space.client().resource(single(space)).create();
      Await.until(
          "another's pod to run beside it",
          ElasticJobs.SOON,
          () ->
              "Running"
                  .equals(
                      space
                          .client()
                          .pods()
                          .inNamespace(space.namespace())
                          .withName("single")
                          .get()
                          .getStatus()
                          .getPhase()));
      assertThat(jobs.bound(JOB)).isZero();

      space.nodes(3, NodeShape.GPU1);
      jobs.awaitRunning(JOB, 4);
      assertThat(played.refusals()).isEmpty();
      assertThatThrownBy(() -> played.client().secrets().inNamespace(space.namespace()).list())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("forbidden");
    }
  }

  private static boolean rejects(String event) {
    return event.matches(
        "FailedScheduling: Gang \"[^\"]*/torch-mnist\" gets rejected due to member Pod"
            + " \"torch-mnist-edljob-worker-2\" is unschedulable with reason \"0/\\d+ nodes are"
            + " available: 2 Insufficient nvidia\\.com/gpu.*\"");
  }

  private static Pod single(TestSpace space) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("single")
        .withNamespace(space.namespace())
        .endMetadata()
        .withNewSpec()
        .withTerminationGracePeriodSeconds(1L)
        .withNodeSelector(space.nodeSelector())
        .addNewContainer()
        .withName("main")
        .withImage("any")
        .withNewResources()
        .withLimits(Map.of("nvidia.com/gpu", new Quantity("1")))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  /** Row 5, and the tutorial's second scenario. */
  @Test
  void withAMinimumOfTwoTheyStartAndTwoWait(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var jobs = new ElasticJobs(space);
    jobs.create(
        jobs.example("torch-mnist-gang", JOB).replace("min-available: 4", "min-available: 2"));
    jobs.awaitPhase(JOB, "Running");
    try (var _ = PlayedMaster.of(space, JOB)) {
      jobs.awaitRunning(JOB, 2);
      jobs.awaitWorkers(JOB, 4);
      var waiting =
          jobs.workers(JOB).stream().filter(pod -> pod.getSpec().getNodeName() == null).toList();
      assertThat(waiting).hasSize(2);
      assertThat(jobs.printed("elasticjobs")).containsExactly("NAME PHASE", "torch-mnist Running");
      // Which two they are is not said.
      Await.until(
          "two that run and two that wait",
          ElasticJobs.SOON,
          () ->
              jobs.printed("pods").stream()
                  .map(line -> line.replaceFirst("worker-[0-3] ", "worker "))
                  .sorted()
                  .toList()
                  .equals(
                      List.of(
                          "NAME READY STATUS RESTARTS",
                          "elasticjob-torch-mnist-dlrover-master-0 1/1 Running 0",
                          "torch-mnist-edljob-worker 0/1 Pending 0",
                          "torch-mnist-edljob-worker 0/1 Pending 0",
                          "torch-mnist-edljob-worker 1/1 Running 0",
                          "torch-mnist-edljob-worker 1/1 Running 0")));
      assertThat(jobs.phase(JOB)).isEqualTo("Running");
      space.nodes(1, NodeShape.GPU1);
      jobs.awaitRunning(JOB, 3);
      assertThat(waiting)
          .allSatisfy(pod -> assertThat(jobs.events(name(pod))).noneMatch(DlroverIT::rejects));
      assertThat(jobs.events(JOB))
          .filteredOn(event -> event.startsWith("GangBelowNnodes: the gang starts with 2 workers"))
          .hasSize(1);
    }
  }

  /** Row 7, and the tutorial's third scenario. */
  @Test
  void aSuspendedJobHasOnlyItsMasterUntilItIsLetGo(TestSpace space) {
    space.nodes(1, NodeShape.CPU);
    var jobs = new ElasticJobs(space);
    jobs.create(jobs.example("torch-mnist-suspend", JOB).replace("cpu: \"2\" #", "cpu: \"6\" #"));
    Await.until(
        "the master to run",
        ElasticJobs.SOON,
        () ->
            jobs.pods(JOB, "dlrover-master").stream()
                .anyMatch(pod -> "Running".equals(pod.getStatus().getPhase())));
    try (var played = PlayedMaster.rash(space, JOB)) {
      Await.until("the guard", ElasticJobs.SOON, () -> !played.refusals().isEmpty());
      assertThat(played.refusals().getFirst())
          .contains("ElasticJob torch-mnist is suspended: its workers are made once spec.suspend");
      assertThat(jobs.printed("elasticjobs"))
          .containsExactly("NAME PHASE", "torch-mnist Suspended");
      assertThat(jobs.printed("pods"))
          .containsExactly(
              "NAME READY STATUS RESTARTS",
              "elasticjob-torch-mnist-dlrover-master-0 1/1 Running 0");
      assertThat(jobs.condition(JOB, "Suspended"))
          .hasValueSatisfying(condition ->
              assertThat(List.of(condition.status(), condition.reason()))
                  .containsExactly("True", "JobSuspended"));
      jobs.awaitCondition(JOB, "WouldStart", "False", "no room for 4 members together: 0/");
      space.nodes(1, NodeShape.CPU);
      jobs.awaitCondition(JOB, "WouldStart", "True", "there is room for all");

      jobs.suspend(JOB, false);
      Await.until("the job to go on", ElasticJobs.SOON, () -> jobs.phase(JOB).equals("Running"));
      jobs.awaitRunning(JOB, 4);
      assertThat(jobs.printed("elasticjobs")).containsExactly("NAME PHASE", "torch-mnist Running");
      assertThat(jobs.printed("pods"))
          .containsExactly(
              "NAME READY STATUS RESTARTS",
              "elasticjob-torch-mnist-dlrover-master-0 1/1 Running 0",
              "torch-mnist-edljob-worker-0 1/1 Running 0",
              "torch-mnist-edljob-worker-1 1/1 Running 0",
              "torch-mnist-edljob-worker-2 1/1 Running 0",
              "torch-mnist-edljob-worker-3 1/1 Running 0");
      assertThat(jobs.condition(JOB, "Suspended").map(Condition::status)).contains("False");
      assertThat(jobs.condition(JOB, "Running").map(Condition::message))
          .contains("ElasticJob torch-mnist is unspended.");
      assertThat(jobs.condition(JOB, "WouldStart")).isEmpty();
    }
  }

  /** Row 10: who takes a lost one's place is no gang of its own. */
  @Test
  void aRelaunchedWorkerJoinsTheGangThatRuns(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    var jobs = new ElasticJobs(space);
    jobs.create(jobs.example("torch-mnist-gang", JOB));
    jobs.awaitPhase(JOB, "Running");
    try (var _ = PlayedMaster.of(space, JOB)) {
      jobs.awaitRunning(JOB, 4);
      jobs.kubectl("delete", "pod", "torch-mnist-edljob-worker-1", "--grace-period=0", "--force");
      Await.until(
          "its successor to run",
          ElasticJobs.SOON,
          () ->
              jobs.workers(JOB).stream()
                  .anyMatch(pod ->
                      name(pod).equals("torch-mnist-edljob-worker-4")
                          && "Running".equals(pod.getStatus().getPhase())));
      var labels =
          jobs.workers(JOB).stream()
              .filter(pod -> name(pod).endsWith("-4"))
              .findFirst()
              .orElseThrow()
              .getMetadata()
              .getLabels();
      assertThat(labels)
          .containsEntry("elasticjob.dlrover/rank-index", "1")
          .containsEntry("elasticjob.dlrover/relaunch-count", "1");
    }
  }

  /** Row 11. */
  @Test
  void aMasterThatIsLostIsMadeAnewAsOftenAsTheJobAllows(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(
        jobs.example("torch-mnist-gang", JOB)
            .replace(
                "  replicaSpecs:\n", "  replicaSpecs:\n    dlrover-master: {restartCount: 1}\n"));
    jobs.awaitPhase(JOB, "Running");
    var service = serviceUid(space);
    try (var _ = PlayedMaster.of(space, JOB)) {
      jobs.awaitRunning(JOB, 4);
      var uids = uids(jobs);
      jobs.kubectl(
          "delete",
          "pod",
          "elasticjob-torch-mnist-dlrover-master-0",
          "--grace-period=0",
          "--force");
      Await.until(
          "the next master to run",
          ElasticJobs.SOON,
          () ->
              jobs.pods(JOB, "dlrover-master").stream()
                  .anyMatch(pod ->
                      name(pod).equals("elasticjob-torch-mnist-dlrover-master-1")
                          && "Running".equals(pod.getStatus().getPhase())));
      assertThat(serviceUid(space)).isEqualTo(service);
      assertThat(uids(jobs)).isEqualTo(uids);
      assertThat(jobs.phase(JOB)).isEqualTo("Running");
      Await.until(
          "the count",
          ElasticJobs.SOON,
          () -> {
            var counts = jobs.status(JOB).status().replicaStatuses().get("dlrover-master");
            return Integer.valueOf(1).equals(counts.failed())
                && Integer.valueOf(1).equals(counts.active());
          });
      jobs.kubectl(
          "delete",
          "pod",
          "elasticjob-torch-mnist-dlrover-master-1",
          "--grace-period=0",
          "--force");
      jobs.awaitPhase(JOB, "Failed");
      assertThat(jobs.condition(JOB, "Failed").map(Condition::message))
          .contains("The job master failover count 2 is beyond the restart count 1.");
    }
  }

  private static String serviceUid(TestSpace space) {
    return space
        .client()
        .services()
        .inNamespace(space.namespace())
        .withName("elasticjob-torch-mnist-dlrover-master")
        .get()
        .getMetadata()
        .getUid();
  }

  private static Map<String, String> uids(ElasticJobs jobs) {
    return jobs.workers(JOB).stream()
        .collect(Collectors.toMap(DlroverIT::name, pod -> pod.getMetadata().getUid()));
  }

  /** Row 14: parameter servers and workers are one group. */
  @Test
  void rolesOfOneGroupStartTogether(TestSpace space) {
    space.nodes(5, NodeShape.GPU1);
    var jobs = new ElasticJobs(space);
    jobs.create(twoRoles(space));
    jobs.awaitPhase(JOB, "Running");
    try (var _ = PlayedMaster.of(space, JOB)) {
      jobs.awaitWorkers(JOB, 4);
      Await.until("the servers", ElasticJobs.SOON, () -> jobs.pods(JOB, "ps").size() == 2);
      assertThat(
              Await.within(
                  Duration.ofSeconds(5),
                  () ->
                      Stream.of("ps", "worker")
                          .flatMap(role -> jobs.pods(JOB, role).stream())
                          .anyMatch(pod -> pod.getSpec().getNodeName() != null)))
          .isFalse();
      space.nodes(1, NodeShape.GPU1);
      jobs.awaitRunning(JOB, 4);
      Await.until(
          "the servers to run",
          ElasticJobs.SOON,
          () ->
              jobs.pods(JOB, "ps").stream()
                  .allMatch(pod -> "Running".equals(pod.getStatus().getPhase())));
    }
  }

  private static String twoRoles(TestSpace space) {
    var role =
        """
            %1$s:
              replicas: %2$d
              template:
                metadata:
                  annotations:
                    gang.scheduling.koordinator.sh/name: %1$s
                    gang.scheduling.koordinator.sh/min-available: %2$d
                    gang.scheduling.koordinator.sh/groups: '["%3$s/ps", "%3$s/worker"]'
                spec:
                  terminationGracePeriodSeconds: 1
                  nodeSelector: {sandbox.muster.io/set: %3$s}
                  containers:
                  - {name: main, image: any, resources: {limits: {nvidia.com/gpu: 1}}}
        """;
    return """
    apiVersion: elastic.iml.github.io/v1alpha1
    kind: ElasticJob
    metadata: {name: torch-mnist, namespace: %s}
    spec:
      distributionStrategy: ParameterServerStrategy
      replicaSpecs:
    """
            .formatted(space.namespace())
        + role.formatted("ps", 2, space.namespace())
        + role.formatted("worker", 4, space.namespace());
  }

  /** A misspelt suspend would start the job without a word. */
  @Test
  void whatNobodyFollowsIsSaidToWhoeverWritesIt(TestSpace space) {
    var jobs = new ElasticJobs(space);
    var right = jobs.example("torch-mnist-gang", JOB);
    assertThat(jobs.warnings(right)).doesNotContain("Warning");

    assertThat(jobs.warnings(right.replaceFirst("spec:\n  ", "spec:\n  suspnd: true\n  ")))
        .contains("Warning: ", "spec.suspnd: not known to Muster");
    assertThat(jobs.warnings(right.replace("    worker:\n", "    worker:\n      replica: 4\n")))
        .contains("some field of spec.replicaSpecs.worker: not known to Muster");
    var misspelt = "  Worker2: {template: {spec: {containers: [{name: c, image: any}]}}}";
    assertThat(jobs.warnings(right.replace("  replicaSpecs:", "  replicaSpecs:\n  " + misspelt)))
        .contains("spec.replicaSpecs.Worker2");
  }

  /** Row 15. */
  @Test
  void aMinimumAboveTheReplicasIsSaidOnEachWorker(TestSpace space) {
    space.nodes(2, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(
        jobs.example("torch-mnist-gang", JOB).replace("min-available: 4", "min-available: 5"));
    jobs.awaitPhase(JOB, "Running");
    try (var _ = PlayedMaster.of(space, JOB)) {
      jobs.awaitWorkers(JOB, 4);
      Await.until(
          "the event on each",
          ElasticJobs.SOON,
          () ->
              jobs.workers(JOB).stream()
                  .allMatch(pod ->
                      jobs.events(name(pod)).stream()
                          .anyMatch(event ->
                              event.contains("gang child pod not collect enough, gangName:"))));
      assertThat(jobs.bound(JOB)).isZero();
    }
  }

  /** Row 16. */
  @Test
  void nothingIsLeftOfADeletedJobAndItsNameCanBeUsedAgain(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(jobs.example("torch-mnist-gang", JOB));
    jobs.awaitPhase(JOB, "Running");
    try (var _ = PlayedMaster.of(space, JOB)) {
      jobs.awaitRunning(JOB, 4);
    }
    jobs.kubectl("delete", "elasticjob", JOB);
    Await.until(
        "nothing to be left",
        // The garbage collector takes its time, and the master has 30 s to end.
        ElasticJobs.SOON.multipliedBy(3),
        () -> jobs.kubectl("get", "pods,services", "-o", "name").lines().findAny().isEmpty());
    jobs.create(jobs.example("torch-mnist-gang", JOB));
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.pods(JOB, "dlrover-master"))
        .singleElement()
        .extracting(DlroverIT::name)
        .isEqualTo("elasticjob-torch-mnist-dlrover-master-0");
  }

  /** Row 17. */
  @Test
  void jobsOfOneNameInTwoNamespacesHaveNothingToDoWithEachOther(TestSpace space, Sandbox sandbox) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    try (var other = TestSpace.open(sandbox, "other")) {
      var others = new ElasticJobs(other);
      jobs.create(jobs.example("torch-mnist-gang", JOB));
      others.create(others.example("torch-mnist-gang", JOB));
      jobs.awaitPhase(JOB, "Running");
      others.awaitPhase(JOB, "Running");
      try (var _ = PlayedMaster.of(space, JOB);
          var _ = PlayedMaster.of(other, JOB)) {
        jobs.awaitRunning(JOB, 4);
        others.awaitWorkers(JOB, 4);
        assertThat(others.bound(JOB)).isZero();
        others.kubectl(
            "delete",
            "pod",
            "elasticjob-torch-mnist-dlrover-master-0",
            "--grace-period=0",
            "--force");
        others.awaitPhase(JOB, "Failed");
        assertThat(jobs.phase(JOB)).isEqualTo("Running");
      }
    }
  }

  /** The tutorial's text, where the cluster is as the tutorial's was. */
  @Test
  void theReasonCountsAllNodesAsTheTutorialHasIt(TestSpace space, Sandbox sandbox) {
    Await.until(
        "the nodes of other tests to be gone",
        ElasticJobs.SOON,
        () -> sandbox.client().nodes().list().getItems().isEmpty());
    space.nodes(2, NodeShape.GPU1);
    space.nodes(
        3,
        NodeShape.CPU,
        Map.of(),
        List.of(
            new TaintBuilder()
                .withKey("node-role.kubernetes.io/control-plane")
                .withEffect("NoSchedule")
                .build()));
    sandbox
        .nodes()
        .add(
            NodeRequest.of(space.namespace() + "-others", 8, NodeShape.CPU)
                .labelled(Map.of("others-of", space.namespace())));
    try {
      var jobs = new ElasticJobs(space);
      jobs.create(jobs.example("torch-mnist-gang", JOB));
      jobs.awaitPhase(JOB, "Running");
      try (var _ = PlayedMaster.of(space, JOB)) {
        jobs.awaitWorkers(JOB, 4);
        var sentence =
            ("FailedScheduling: Gang \"%s/torch-mnist\" gets rejected due to member Pod"
                    + " \"torch-mnist-edljob-worker-2\" is unschedulable with reason \"0/13 nodes"
                    + " are available: 2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated"
                    + " taint {node-role.kubernetes.io/control-plane: }, 8 node(s) didn't match"
                    + " Pod's node affinity/selector.\"")
                .formatted(space.namespace());
        Await.until(
            "the tutorial's text on each",
            ElasticJobs.SOON,
            () ->
                jobs.workers(JOB).stream()
                    .allMatch(pod -> jobs.events(name(pod)).contains(sentence)));
      }
    } finally {
      sandbox.nodes().remove(Map.of("others-of", space.namespace()));
    }
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }
}
