package io.muster.controller.kinds.di.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Member.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DIJobMembersTest {

  private static Member member(String status, boolean isWhole, boolean isPreemptible) {
    var pod =
        Serialization.unmarshal(
            """
            metadata: {name: j-collector-3, uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}
            spec:
              restartPolicy: Never
              containers: [{name: side}, {name: collector}]
            status: %s
            """
                .formatted(status),
            Pod.class);
    return DIJobMembers.of(
        pod, new DIJobMembers.Seat("collector", 3, "collector"), isWhole, isPreemptible);
  }

  private static String ended(String phase, int exitCode) {
    return """
    {phase: %s, conditions: [{type: Ready, status: "False"}], containerStatuses: [{name: side, state: {running: {}}},
      {name: collector, state: {terminated: {exitCode: %d, reason: Done}}}]}
    """
        .formatted(phase, exitCode);
  }

  @ParameterizedTest
  @CsvSource({"0, SUCCEEDED", "1, FAILED"})
  void itEndsWithItsMainContainerThoughAnotherRuns(int exitCode, Phase phase) {
    assertThat(member(ended("Running", exitCode), false, false).phase()).isEqualTo(phase);
  }

  @Test
  void onceItsJobHasEndedItCountsAsLongAsAnyContainerRuns() {
    assertThat(member(ended("Running", 0), true, false).hasEnded()).isFalse();
    assertThat(member(ended("Succeeded", 0), true, false).hasEnded()).isTrue();
  }

  @Test
  void itRunsOnceItIsReady() {
    var status = "{phase: Running, conditions: [{type: Ready, status: \"%s\"}]}";
    assertThat(member(status.formatted("False"), false, false).isUp()).isFalse();
    assertThat(member(status.formatted("True"), false, false).isUp()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "UnexpectedAdmissionError, true",
    "OutOfcpu, true",
    "OutOfnvidia.com/gpu, true",
    "Evicted, true",
    "NodeShutdown, true",
    "DeadlineExceeded, false",
    "'', false"
  })
  void whatTheClusterDidToItIsNotItsFault(String reason, boolean isBlameless) {
    var member = member("{phase: Failed, reason: \"%s\"}".formatted(reason), false, false);
    assertThat(member.phase()).isEqualTo(Phase.FAILED);
    assertThat(member.isBlameless()).isEqualTo(isBlameless);
  }

  @Test
  void aDisruptionIsNotItsFault() {
    var status = "{phase: Failed, conditions: [{type: DisruptionTarget, status: \"True\"}]}";
    assertThat(member(status, false, false).isBlameless()).isTrue();
  }

  @Test
  void goingWhenAskedToIsNoFaultOfAJobThatMayBePreempted() {
    assertThat(member(ended("Failed", 143), false, true).isBlameless()).isTrue();
    assertThat(member(ended("Failed", 143), false, false).isBlameless()).isFalse();
    assertThat(member(ended("Failed", 1), false, true).isBlameless()).isFalse();
  }
}
