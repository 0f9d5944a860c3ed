package io.muster.controller.kinds.etoperator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import io.muster.controller.core.state.Resize;
import io.muster.controller.kinds.etoperator.TrainingJobSize.Asked;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.scaler.ScalerMapper;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is read of a job whose size may change. */
final class TrainingJobSizeTest {

  private static final Instant BORN = Instant.parse("2026-01-01T00:00:00Z");

  private final Map<String, Pod> pods = new HashMap<>();
  private final List<Asked> asked = new ArrayList<>();
  private String phase = "Running";

  private TrainingJobSize size() {
    var job =
        Serialization.unmarshal(
            """
            metadata: {name: j, namespace: ml, uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}
            spec:
              scalePolicy: Auto
              autoScaleIntervalSeconds: 7
              etReplicaSpecs:
                launcher: {template: {spec: {containers: [{name: main}]}}}
                worker:
                  replicas: 3
                  minReplicas: 2
                  maxReplicas: 5
                  template: {spec: {containers: [{name: main}]}}
            status:
              phase: %s
              targetWorkers: [j-worker-0, j-worker-3, j-worker-10]
              conditions: []
            """
                .formatted(phase),
            TrainingJob.class);
    return new TrainingJobSize(job, TrainingJobStatusMapper.state(job), pods, asked);
  }

  private void worker(int index, String phase) {
    var name = "j-worker-" + index;
    pods.put(
        name,
        Serialization.unmarshal(
            """
            metadata:
              name: %1$s
              namespace: ml
              uid: uid-%2$d
              creationTimestamp: "2026-01-01T00:00:00Z"
              labels: {training-job-role: worker, replica-index: "%2$d"}
              ownerReferences: [{kind: TrainingJob, uid: u, name: j, controller: true}]
            spec: {priority: 5}
            status: {phase: %3$s}
            """
                .formatted(name, index, phase),
            Pod.class));
  }

  private void all() {
    List.of(0, 3, 10).forEach(index -> worker(index, "Running"));
  }

  private void scaleOut(String name, String status) {
    var scaler = scaler(name, "toAdd: {count: 2}", status, ScaleOut.class);
    asked.add(new Asked(scaler, ScalerMapper.resize(scaler)));
  }

  private void scaleIn(String name, String toDelete, String status) {
    var scaler = scaler(name, "toDelete: " + toDelete, status, ScaleIn.class);
    asked.add(new Asked(scaler, ScalerMapper.resize(scaler)));
  }

  private static <T extends HasMetadata> T scaler(
      String name, String what, String status, Class<T> type) {
    return Serialization.unmarshal(
        """
        metadata: {name: %s, namespace: ml, creationTimestamp: "2026-01-01T00:10:00Z"}
        spec: {selector: {name: j}, %s}
        status: {%s}
        """
            .formatted(name, what, status),
        type);
  }

  private static String condition(String type) {
    return "conditions: [{type: %s, status: \"True\", lastTransitionTime: \"2026-01-01T00:11:00Z\"}]"
        .formatted(type);
  }

  private List<String> leaving() {
    return size().leaving().stream().map(uid -> uid.replace("uid-", "j-worker-")).sorted().toList();
  }

  @Test
  void aJobIsReadWithItsBoundsAndThePriorityOfItsPods() {
    all();
    var job = size().elastic();
    assertThat(job.key()).isEqualTo("ml/j");
    assertThat(job.priority()).isEqualTo(5);
    assertThat(job.workers())
        .containsExactly(
            new Worker("j-worker-0", "uid-0", BORN),
            new Worker("j-worker-3", "uid-3", BORN),
            new Worker("j-worker-10", "uid-10", BORN));
    assertThat(job.least()).isEqualTo(2);
    assertThat(job.most()).isEqualTo(5);
    assertThat(job.interval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(job.last()).isEmpty();
    assertThat(job.isIdle()).isTrue();
    assertThat(job.isWhole()).isTrue();
    assertThat(job.coming()).isZero();
  }

  @Test
  void aJobWithAFailedOrMissingWorkerIsNotWhole() {
    all();
    worker(3, "Failed");
    assertThat(size().elastic().isWhole()).isFalse();
    pods.remove("j-worker-3");
    assertThat(size().elastic().isWhole()).isFalse();
    assertThat(size().elastic().workers()).hasSize(2);
  }

  @Test
  void whileASizeIsAskedForTheJobIsNotIdle() {
    all();
    scaleOut("users", "");
    assertThat(size().elastic().isIdle()).isFalse();
    asked.clear();
    scaleOut("users", condition("ScaleFailed"));
    assertThat(size().elastic().isIdle()).isTrue();
    phase = "Scaling";
    assertThat(size().elastic().isIdle()).isFalse();
  }

  @Test
  void workersWithoutAPodAreComing() {
    all();
    scaleOut("out", "");
    assertThat(size().elastic().coming()).isEqualTo(2);
    asked.clear();
    scaleOut("out", "addPods: [j-worker-11, j-worker-12], " + condition("Scaling"));
    worker(11, "Pending");
    assertThat(size().elastic().coming()).isEqualTo(1);
  }

  @Test
  void whoIsNamedByAScaleInIsLeaving() {
    all();
    scaleIn("named", "{podNames: [j-worker-3]}", "");
    assertThat(leaving()).containsExactly("j-worker-3");
    scaleIn("counted", "{count: 1}", "toDeletePods: [j-worker-10], " + condition("Scaling"));
    assertThat(leaving()).containsExactly("j-worker-10", "j-worker-3");
    asked.clear();
    scaleIn("named", "{podNames: [j-worker-3]}", condition("ScaleFailed"));
    assertThat(leaving()).isEmpty();
    pods.get("j-worker-0").getMetadata().setDeletionTimestamp("2026-01-01T00:11:00Z");
    assertThat(leaving()).containsExactly("j-worker-0");
  }

  @Test
  void theLastOfItsOwnScalersSaysWhenTheLastStepWas() {
    all();
    scaleOut("j-auto-2", condition("ScaleFailed"));
    scaleIn("j-auto-10", "{podNames: [j-worker-11]}", condition("ScaleSucceeded"));
    scaleOut("j-auto-9", condition("ScaleFailed"));
    scaleOut("users-auto-77", condition("ScaleSucceeded"));
    scaleOut("j-auto-007", condition("ScaleSucceeded"));
    var size = size();
    assertThat(size.elastic().last())
        .contains(new Step(Instant.parse("2026-01-01T00:11:00Z"), false));
    assertThat(size.nextName()).isEqualTo("j-auto-11");
    assertThat(size.spent())
        .extracting(scaler -> scaler.getMetadata().getName())
        .containsExactly("j-auto-9", "j-auto-2");
    assertThat(size.growingGangs()).contains("ml/j-auto-9").doesNotContain("ml/users-auto-77");
  }

  @Test
  void aStepThatHasNotEndedCountsFromWhenItWasAskedFor() {
    all();
    scaleOut("j-auto-1", "");
    assertThat(size().elastic().last())
        .isEqualTo(Optional.of(new Step(Instant.parse("2026-01-01T00:10:00Z"), false)));
    assertThat(size().spent()).isEmpty();
    assertThat(asked.getFirst().resize().stage()).isEqualTo(Resize.Stage.NEW);
  }
}
