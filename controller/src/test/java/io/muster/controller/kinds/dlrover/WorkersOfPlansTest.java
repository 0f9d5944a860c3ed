package io.muster.controller.kinds.dlrover;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Resize;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.job.ElasticJobMembers;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kinds.dlrover.plan.PlanMapper;
import io.muster.controller.kinds.dlrover.pod.MasterPod;
import io.muster.controller.kinds.dlrover.pod.WorkerPod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Workers of plans that fail, or that somebody deletes: in virtual time. */
final class WorkersOfPlansTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final ElasticJob job =
      Serialization.unmarshal(
          """
          apiVersion: elastic.iml.github.io/v1alpha1
          kind: ElasticJob
          metadata: {name: j, namespace: ml, uid: u, generation: 1}
          spec:
            distributionStrategy: AllreduceStrategy
            replicaSpecs:
              worker:
                replicas: 2
                template: {spec: {containers: [{name: main, image: mine}]}}
          """,
          ElasticJob.class);

  private final Map<String, Pod> pods = new TreeMap<>();
  private final List<Resize> resizes = new ArrayList<>();
  private JobState state = JobState.NEW;
  private List<String> told = List.of();
  private Instant now = START;

  /** Pods that find room. */
  private int room = 3;

  private void run(Duration time) {
    for (var until = now.plus(time); now.isBefore(until); now = now.plusSeconds(1)) {
      begin();
      var outcome =
          JobEngine.reconcile(
              ElasticJobSpecMapper.job(job, state, Mode.BUILTIN, List.of()),
              state,
              List.copyOf(resizes),
              new Observed(
                  members(),
                  Optional.of(told),
                  Map.of(),
                  Optional.empty(),
                  Map.of(),
                  List.of(),
                  Map.of()),
              now);
      state = outcome.state();
      store(outcome);
      outcome.actions().forEach(this::act);
    }
  }

  private void begin() {
    pods.values().removeIf(Pod::isMarkedForDeletion);
    pods.values().stream()
        .limit(room)
        .forEach(pod -> {
          pod.getSpec().setNodeName("n1");
          pod.getStatus().setPhase("Running");
        });
  }

  private List<Member> members() {
    return pods.values().stream().flatMap(pod -> ElasticJobMembers.of(pod, "u").stream()).toList();
  }

  private void store(Outcome outcome) {
    for (var resize : outcome.resizes()) {
      resizes.removeIf(before -> before.request().id().equals(resize.request().id()));
      resizes.add(resize);
    }
  }

  private void act(Action action) {
    switch (action) {
      case Action.Create create -> put(made(create));
      case Action.Delete(String name, String _) ->
          pods.get(name).getMetadata().setDeletionTimestamp(now.toString());
      case Action.Tell(List<String> members) -> told = members;
      default -> {}
    }
  }

  private Pod made(Action.Create create) {
    return create.role().equals(ElasticJob.MASTER)
        ? new MasterPod("any").make(job, Mode.BUILTIN, create.name(), create.index())
        : WorkerPod.make(job, create);
  }

  private void put(Pod pod) {
    var name = pod.getMetadata().getName();
    pods.put(
        name,
        new PodBuilder(pod)
            .editMetadata()
            .withUid("uid of " + name)
            .endMetadata()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build());
  }

  private void plan(String name, int workers) {
    var plan =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ScalePlan
            metadata: {name: %s, namespace: ml, creationTimestamp: "2026-01-01T00:00:00Z"}
            spec: {ownerJob: j, replicaResourceSpecs: {worker: {replicas: %d}}}
            """
                .formatted(name, workers),
            ScalePlan.class);
    resizes.add(PlanMapper.resize(plan));
  }

  private List<String> workers() {
    return pods.keySet().stream().filter(name -> name.contains("worker")).toList();
  }

  private void asksForMoreThanThereIsRoomFor() {
    run(Duration.ofSeconds(5));
    assertThat(state.phase()).isEqualTo(JobState.Phase.RUNNING);
    plan("more", 4);
    run(Duration.ofSeconds(5));
    assertThat(workers()).hasSize(4);
  }

  @Test
  void thoseOfAPlanThatFailedGo() {
    asksForMoreThanThereIsRoomFor();
    run(Duration.ofMinutes(10));
    assertThat(resizes).extracting(Resize::stage).containsExactly(Resize.Stage.FAILED);
    run(Duration.ofSeconds(5));
    assertThat(workers()).containsExactly("j-edljob-worker-0", "j-edljob-worker-1");
  }

  @Test
  void thoseOfAPlanThatSomebodyDeletedGo() {
    asksForMoreThanThereIsRoomFor();
    resizes.clear();
    run(Duration.ofSeconds(5));
    assertThat(workers()).containsExactly("j-edljob-worker-0", "j-edljob-worker-1");
  }

  @Test
  void thoseOfAPlanThatSucceededStay() {
    room = 5;
    asksForMoreThanThereIsRoomFor();
    run(Duration.ofMinutes(11));
    assertThat(resizes).extracting(Resize::stage).containsExactly(Resize.Stage.SUCCEEDED);
    assertThat(workers()).hasSize(4);
  }
}
