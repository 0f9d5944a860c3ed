package io.muster.controller.kinds.di.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Observed;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiAddresses;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class TaskPodsTest {

  private static final DiAddresses ADDRESSES =
      new DiAddresses("http://s:8081", "http://s:8080", "svc.cluster.local");

  private static final String TASKS =
      """
      apiVersion: diengine.opendilab.org/v2alpha1
      kind: DIJob
      metadata: {name: job-with-tasks, namespace: default, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}
      spec:
        %s
        volumes: [{name: work, hostPath: {path: /data}}, {name: own, emptyDir: {}}]
        tasks:
        - type: learner
          template:
            metadata: {name: di, labels: {team: rl}}
            spec:
              volumes: [{name: own, hostPath: {path: /mine}}]
              containers:
              - name: side
                image: s
              - name: learner
                image: l
                env: [{name: A, value: "1"}, {name: DI_RANK, value: "7"}]
                resources: {requests: {cpu: "1", nvidia.com/gpu: 1}}
        - name: evaluator
          type: evaluator
          replicas: 1
          template: {spec: {containers: [{name: pydi, image: e}]}}
        - name: col-lector
          type: collector
          replicas: 2
          template: {spec: {containers: [{name: pydi, image: c, ports: [{name: di-port, containerPort: 5}]}]}}
      """;

  private static DIJob job(String yaml) {
    return Serialization.unmarshal(yaml, DIJob.class);
  }

  /** All pods that the engine makes first, by name. */
  private static Map<String, Pod> pods(DIJob job) {
    var outcome =
        JobEngine.reconcile(
            TaskSpecMapper.job(job, List.of()),
            JobState.NEW,
            List.of(),
            new Observed(
                List.of(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Map.of(),
                List.of(),
                Map.of()),
            Instant.EPOCH);
    var made = new TaskPods(ADDRESSES, job, outcome.state());
    var pods = new TreeMap<String, Pod>();
    for (var action : outcome.actions()) {
      if (action instanceof Action.Create create) {
        pods.put(create.name(), made.make(create));
      }
    }
    return pods;
  }

  private static Map<String, String> environment(Pod pod, int container) {
    return pod.getSpec().getContainers().get(container).getEnv().stream()
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  @Test
  void podsAreNamedRankedAndMarkedAsDiEngineKnowsThem() {
    var pods = pods(job(TASKS.formatted("")));
    assertThat(pods.keySet())
        .containsExactly(
            "job-with-tasks-col-lector-0",
            "job-with-tasks-col-lector-1",
            "job-with-tasks-evaluator-0",
            "job-with-tasks-learner-0");
    var second = pods.get("job-with-tasks-col-lector-1");
    assertThat(second.getMetadata().getLabels())
        .isEqualTo(
            Map.of(
                "diengine/operator", "di-operator",
                "diengine/job", "job-with-tasks",
                "diengine/task-type", "collector",
                "diengine/task-name", "col-lector",
                "diengine/pod", "job-with-tasks-col-lector-1"));
    assertThat(second.getMetadata().getAnnotations())
        .isEqualTo(
            Map.of(
                "diengine/replicas", "4",
                "diengine/rank", "3",
                "diengine/task-rank", "1",
                "diengine/node", "",
                "muster.io/gang-name", "job-with-tasks",
                "muster.io/gang-min", "4",
                "muster.io/gang-index", "3",
                "muster.io/gang-role", "col-lector",
                "muster.io/preemptible", "false"));
    assertThat(second.getSpec().getHostname()).isEqualTo("job-with-tasks-col-lector-1");
    assertThat(second.getSpec().getSubdomain()).isEqualTo("di-job-with-tasks");
    assertThat(second.getSpec().getRestartPolicy()).isEqualTo("Never");
    assertThat(second.getSpec().getContainers().getFirst().getPorts())
        .extracting("containerPort")
        .containsExactly(5);
    assertThat(second.getMetadata().getOwnerReferences().getFirst().getController()).isTrue();
  }

  @Test
  void aTemplateThatSaysHowCloseItsPodsAreToBeLeavesThemInTheJobsGang() {
    var job =
        job(
            TASKS
                .formatted("")
                .replace(
                    "template: {spec: {containers: [{name: pydi, image: e}]}}",
                    "template: {metadata: {annotations: {muster.io/gang-topology-required: rack}},"
                        + " spec: {containers: [{name: pydi, image: e}]}}"));
    assertThat(pods(job).get("job-with-tasks-evaluator-0").getMetadata().getAnnotations())
        .containsEntry("muster.io/gang-name", "job-with-tasks")
        .containsEntry("muster.io/gang-topology-required", "rack");
  }

  @Test
  void podsMayEndForOthersWhereTheJobSaysSo() {
    assertThat(pods(job(TASKS.formatted("preemptible: true"))).values())
        .noneMatch(pod -> pod.getMetadata().getAnnotations().containsKey("muster.io/preemptible"));
  }

  @Test
  void everyContainerIsToldOnceOfAllPodsInTheOrderOfTheirRanks() {
    var learner = pods(job(TASKS.formatted(""))).get("job-with-tasks-learner-0");
    var domain = ".di-job-with-tasks.default.svc.cluster.local";
    var all =
        List.of("learner-0", "evaluator-0", "col-lector-0", "col-lector-1").stream()
            .map(pod -> "job-with-tasks-" + pod + domain)
            .toList();
    for (int container : List.of(0, 1)) {
      var env = environment(learner, container);
      assertThat(env)
          .containsEntry("DI_JOB_ID", "default/job-with-tasks")
          .containsEntry("DI_SERVER_URL", "http://s:8081")
          .containsEntry("DI_RANK", "0")
          .containsEntry("DI_NODES", String.join(",", all))
          .containsEntry("DI_LEARNER_NODES", all.getFirst())
          .containsEntry("DI_COL_LECTOR_NODES", all.get(2) + "," + all.get(3))
          .containsEntry("MUSTER_POD_FQDN", all.getFirst());
    }
    assertThat(environment(learner, 1)).containsEntry("A", "1");
  }

  @Test
  void whatTheTemplateSaysStaysAndDevicesAreLimited() {
    var learner = pods(job(TASKS.formatted(""))).get("job-with-tasks-learner-0");
    assertThat(learner.getMetadata().getLabels()).containsEntry("team", "rl");
    assertThat(learner.getMetadata().getName()).isEqualTo("job-with-tasks-learner-0");
    var main = learner.getSpec().getContainers().get(1);
    assertThat(main.getResources().getLimits().keySet()).containsExactly("nvidia.com/gpu");
    assertThat(main.getPorts()).extracting("name").containsExactly("di-port");
    assertThat(learner.getSpec().getVolumes()).extracting("name").containsExactly("own", "work");
    assertThat(learner.getSpec().getVolumes().getFirst().getHostPath().getPath())
        .isEqualTo("/mine");
  }

  @Test
  void aJobWithBoundsStartsWithFewerCollectorsButWithAllOthers() {
    var collector = pods(job(TASKS.formatted("minReplicas: 2"))).get("job-with-tasks-col-lector-1");
    assertThat(collector.getMetadata().getAnnotations())
        .containsEntry("muster.io/gang-min", "3")
        .containsEntry("muster.io/gang-roles", "learner=1,evaluator=1,col-lector=1");
  }

  @Test
  void copiesOfOneTemplateHaveTheirArgumentsAndTheNamesOfTheirGeneration() {
    var yaml =
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: test, namespace: rl, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}
        spec:
          minReplicas: 3
          maxReplicas: 3
          engineFields: {topology: %s, parallelWorkers: 2}
          template: {spec: {containers: [{name: di-container, image: c}]}}
        """;
    var pods = pods(job(yaml.formatted("star")));
    assertThat(pods.keySet()).containsExactly("test-0-0", "test-0-1", "test-0-2");
    var last = pods.get("test-0-2");
    assertThat(last.getSpec().getSubdomain()).isEqualTo("test");
    assertThat(environment(last, 0))
        .containsEntry("DI_RANK", "2")
        .containsEntry("DI_JOB_GENERATION", "0")
        .containsEntry("DI_PARALLEL_WORKERS_ARG", "--parallel-workers=2")
        .containsEntry("DI_PORTS_ARG", "--ports=22270,22271")
        .containsEntry("DI_NODE_IDS_ARG", "--node-ids=4,5")
        .containsEntry("DI_ATTACHED_NODES_ARG", "--attach-to=tcp://test-0-0.test:22270")
        .containsEntry(
            "DI_NODES",
            "test-0-0.test.rl.svc.cluster.local,test-0-1.test.rl.svc.cluster.local,"
                + "test-0-2.test.rl.svc.cluster.local");
    assertThat(environment(pods.get("test-0-0"), 0)).containsEntry("DI_ATTACHED_NODES_ARG", "");
    assertThat(environment(pods(job(yaml.formatted("mesh"))).get("test-0-2"), 0))
        .containsEntry(
            "DI_ATTACHED_NODES_ARG",
            "--attach-to=tcp://test-0-0.test:22270,tcp://test-0-0.test:22271,"
                + "tcp://test-0-1.test:22270,tcp://test-0-1.test:22271");
    assertThat(environment(pods(job(yaml.formatted("alone"))).get("test-0-2"), 0))
        .containsEntry("DI_ATTACHED_NODES_ARG", "");
  }

  @Test
  void copiesAreLabelledWithTheirGroup() {
    var yaml =
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: test, namespace: rl, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}
        spec:
          group: %s
          minReplicas: 1
          maxReplicas: 1
          template: {spec: {containers: [{name: di-container, image: c}]}}
        """;
    assertThat(pods(job(yaml.formatted("team.a"))).get("test-0-0").getMetadata().getLabels())
        .containsEntry("diengine/group", "team.a");
    assertThat(pods(job(yaml.formatted("of all"))).get("test-0-0").getMetadata().getLabels())
        .as("no pod may have such a label")
        .doesNotContainKey("diengine/group");
  }
}
