package io.muster.controller.kinds.dlrover.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a suspended job would make. */
final class HeldBackTest {

  private static ElasticJob job(boolean isSuspended) {
    return Serialization.unmarshal(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: j, namespace: ml}
        spec:
          suspend: %s
          replicaSpecs:
            dlrover-master: {replicas: 1, template: {spec: {containers: [{name: main, image: any}]}}}
            ps: {replicas: 2, template: {spec: {containers: [{name: main, image: any}]}}}
            worker:
              replicas: 4
              template:
                metadata: {annotations: {gang.scheduling.koordinator.sh/min-available: 3}}
                spec: {containers: [{name: main, image: any}]}
        """
            .formatted(isSuspended),
        ElasticJob.class);
  }

  private static Pod pod(String role, String phase) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(role)
        .withLabels(Map.of(DlroverNames.ROLE_LABEL, role))
        .endMetadata()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  @Test
  void itIsThePodsOfAllRolesButTheMasterInItsNamespace() {
    var batches = HeldBack.pods(job(true), JobState.NEW, List.of()).orElseThrow().get();
    assertThat(batches).extracting(batch -> batch.count()).containsExactly(2, 4);
    assertThat(batches.getLast().pod().getMetadata().getNamespace()).isEqualTo("ml");
    assertThat(batches.getLast().pod().getMetadata().getAnnotations())
        .containsEntry("gang.scheduling.koordinator.sh/min-available", "3");
  }

  @Test
  void aJobThatIsLetGoOrHasWorkersIsNotHeldBack() {
    assertThat(HeldBack.pods(job(false), JobState.NEW, List.of())).isEmpty();
    assertThat(HeldBack.pods(job(true), JobState.NEW, List.of(pod("worker", "Running")))).isEmpty();
    assertThat(
            HeldBack.pods(
                job(true), JobState.NEW, List.of(pod("ps", "Succeeded"), pod("worker", "Failed"))))
        .isPresent();
  }
}
