package io.muster.controller.kinds.di;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.framework.UnfitPodException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.coordinator.AskedPods;
import io.muster.controller.kinds.di.coordinator.CoordinatorNames;
import io.muster.controller.kinds.di.coordinator.PodUrls;
import io.muster.controller.kinds.di.coordinator.WorkerRequest;
import io.muster.controller.kinds.di.coordinator.WorkerRequest.Part;
import io.muster.controller.kinds.di.coordinator.WorkerRequests;
import io.muster.controller.kube.OwnGang;
import io.muster.extender.core.gang.GangKeys;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The workers that coordinators ask for, mostly where the cluster has no AggregatorConfig. */
final class CoordinatorPodsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Map<String, Pod> pods = new HashMap<>();
  private String learner = "{name: di-container}";
  private Optional<RoleTemplate> aggregator = Optional.empty();
  private String kept = "";

  private DIJob job() {
    return Serialization.unmarshal(
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: qbert, namespace: ml, uid: u, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z"}
        spec:
          coordinator: {template: {spec: {containers: [{name: di-container}]}}}
          collector:
            template:
              spec:
                containers:
                - name: di-container
                  env: [{name: PYTHONUNBUFFERED, value: "1"}, {name: B, value: b}, {name: A, value: a}]
          learner: {template: {spec: {containers: [%s]}}}
        """
            .formatted(learner),
        DIJob.class);
  }

  /** A job whose coordinator runs and has asked for a collector and two learners. */
  private void ask(Map<String, String> ofLearners, List<Integer> split) {
    var job = job();
    reconcile(job);
    var coordinator = pods.get("qbert-coordinator");
    coordinator.setStatus(
        new PodStatusBuilder()
            .withPhase("Running")
            .addNewCondition()
            .withType("Ready")
            .withStatus("True")
            .endCondition()
            .build());
    var request =
        new WorkerRequest(
            1,
            coordinator.getMetadata().getUid(),
            "body",
            new Part(1, Map.of()),
            new Part(2, ofLearners),
            2,
            split,
            !split.isEmpty(),
            NOW.toString(),
            null);
    job.getMetadata()
        .setAnnotations(
            Map.of(
                WorkerRequests.KEY,
                new WorkerRequests(2, !split.isEmpty(), List.of(request)).written(),
                OwnGang.KEPT,
                kept));
    reconcile(job);
  }

  private void reconcile(DIJob job) {
    PlayedController.look(job, pods, NOW, aggregator);
  }

  /** Row D15. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "1"})
  void learnersOfOneGpuAtMostNeedNoAggregator(String gpus) {
    ask(Map.of(WorkerRequest.GPU, gpus), List.of());

    assertThat(pods.keySet())
        .hasSize(4)
        .anyMatch(name -> name.startsWith("qbert-collector-"))
        .noneMatch(name -> name.contains("aggregator"))
        .filteredOn(name -> name.startsWith("qbert-learner-"))
        .hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"'', qbert-1", "qbert.di, qbert.di-1"})
  void gangsOfRequestsAreCalledAsTheJobsGang(String name, String gang) {
    kept = name;
    ask(Map.of(), List.of());

    assertThat(pods.values())
        .filteredOn(
            pod -> pod.getMetadata().getLabels().containsKey(CoordinatorNames.REQUEST_LABEL))
        .hasSize(3)
        .allSatisfy(pod ->
            assertThat(pod.getMetadata().getAnnotations()).containsEntry(GangKeys.NAME, gang));
  }

  /** Row D19. */
  @Test
  void variablesOfTheTemplateComeFirstInTheirOrderAndOnce() {
    ask(Map.of(), List.of());

    var collector =
        pods.values().stream()
            .filter(pod -> pod.getMetadata().getName().startsWith("qbert-collector-"))
            .findFirst()
            .orElseThrow();
    assertThat(collector.getSpec().getContainers().getFirst().getEnv())
        .extracting(EnvVar::getName)
        .startsWith("PYTHONUNBUFFERED", "B", "A")
        .hasSizeGreaterThan(3)
        .doesNotHaveDuplicates();
  }

  @Test
  void learnersOfSeveralGpusDoAndTheMessageSaysSo() {
    var ofTwo = List.of(2);
    assertThatThrownBy(() -> ask(Map.of(WorkerRequest.GPU, "2"), ofTwo))
        .isInstanceOf(UnfitPodException.class)
        .hasMessageContaining("no AggregatorConfig di-system/aggregator-config");
  }

  /** They are learners all the same, of the learner's template. */
  @Test
  void learnersThatTrainTogetherHaveTheContainerAndPortOfALearner() {
    learner = "{name: logs}, {name: learner, ports: [{name: learner, containerPort: 30000}]}";
    aggregator = Optional.of(PlayedController.AGGREGATOR);
    ask(Map.of(WorkerRequest.GPU, "2"), List.of(2));

    var pod =
        pods.values().stream()
            .filter(one -> one.getMetadata().getName().startsWith("qbert-ddp-learner-"))
            .findFirst()
            .orElseThrow();
    assertThat(pod.getSpec().getContainers().getFirst().getResources()).isNull();
    assertThat(pod.getSpec().getContainers().getFirst().getPorts()).isEmpty();
    var main = pod.getSpec().getContainers().get(1);
    assertThat(main.getResources().getLimits()).containsKey(WorkerRequest.GPU);
    assertThat(main.getPorts()).hasSize(1);
    assertThat(main.getEnv()).contains(new EnvVar("LEARNER_PORT", "30000", null));
    assertThat(PodUrls.ofProcesses(pod)).hasSize(2).allMatch(url -> url.contains(":3000"));
  }

  @Test
  void aTemplateThatCannotBeReadIsAskedForByNobody() {
    learner = "{name: learner, ports: 8080}";
    var request =
        new WorkerRequest(
            1, "", "", new Part(1, Map.of()), new Part(1, Map.of()), 0, List.of(), false, "", null);
    assertThat(AskedPods.of(job(), request, Optional.empty()))
        .extracting(AskedPods.Alike::type)
        .containsExactly("collector");
  }

  /** A finalizer keeps it, and the controller was away when it ended. */
  @ParameterizedTest
  @CsvSource({"Succeeded, 0", "Failed, 1"})
  void aCoordinatorThatEndedBeforeItWasDeletedEndsItsJob(String phase, int exitCode) {
    var job = job();
    reconcile(job);
    var coordinator = pods.get("qbert-coordinator");
    coordinator.getMetadata().setDeletionTimestamp(NOW.plusSeconds(100).toString());
    coordinator.getMetadata().setDeletionGracePeriodSeconds(0L);
    coordinator.setStatus(
        new PodStatusBuilder()
            .withPhase(phase)
            .addNewContainerStatus()
            .withNewState()
            .withNewTerminated()
            .withExitCode(exitCode)
            .withFinishedAt(NOW.plusSeconds(50).toString())
            .endTerminated()
            .endState()
            .withName("di-container")
            .endContainerStatus()
            .build());
    reconcile(job);

    assertThat(job.getStatus().phase()).isEqualTo(phase);
  }
}
