package io.muster.controller.kinds.etoperator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TrainingJobMembersTest {

  private static Pod launcher(String status) {
    return Serialization.unmarshal(
        """
        metadata:
          name: j-launcher
          uid: p
          labels: {%s: %s}
          ownerReferences: [{uid: u, controller: true}]
        spec: {containers: [{name: launcher}]}
        status: {%s}
        """
            .formatted(
                EtOperatorNames.ROLE_LABEL,
                EtOperatorNames.LAUNCHER,
                status.strip().replace("\n", " ")),
        Pod.class);
  }

  /** Deleted at 00:01:00, and kept by a finalizer. */
  @ParameterizedTest
  @CsvSource({"00:00:30, true", "00:01:01, false"})
  void aLauncherThatEndedBeforeItWasDeletedHasEndedByItself(String end, boolean isByItself) {
    var launcher =
        launcher(
            """
            phase: Succeeded, containerStatuses: [
            {name: launcher, state: {terminated: {exitCode: 0, finishedAt: "2026-01-01T%sZ"}}}]
            """
                .formatted(end));
    launcher.getMetadata().setDeletionTimestamp("2026-01-01T00:01:00Z");
    launcher.getMetadata().setDeletionGracePeriodSeconds(0L);

    assertThat(TrainingJobMembers.of(launcher, "u"))
        .hasValueSatisfying(member -> assertThat(member.hasEndedByItself()).isEqualTo(isByItself));
  }

  @Test
  void oneWhoseNodeIsGoneSaysSo() {
    var pod =
        launcher(
            """
            phase: Failed,
            conditions: [{type: DisruptionTarget, status: "True", reason: DeletionByPodGC}]
            """);
    assertThat(TrainingJobMembers.of(pod, "u").orElseThrow().reason()).hasValue("DeletionByPodGC");
  }

  /** Whoever changes a label of a pod does not stop its job. */
  @ParameterizedTest
  @CsvSource({
    "j-worker-12, worker, 12, 12",
    "j-worker-12, worker, mine, 12",
    "j-worker-12, worker, 7, 12",
    "j-launcher, launcher, first, 0"
  })
  void aMemberHasTheNumberOfItsName(String name, String role, String label, int index) {
    var pod =
        Serialization.unmarshal(
            """
            metadata:
              name: %s
              uid: p
              labels: {%s: %s, %s: "%s"}
              ownerReferences: [{uid: u, controller: true}]
            spec: {containers: [{name: main}]}
            """
                .formatted(
                    name, EtOperatorNames.ROLE_LABEL, role, EtOperatorNames.INDEX_LABEL, label),
            Pod.class);

    assertThat(TrainingJobMembers.of(pod, "u").orElseThrow().index()).isEqualTo(index);
  }
}
