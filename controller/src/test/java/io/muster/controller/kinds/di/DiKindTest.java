package io.muster.controller.kinds.di;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiAddresses;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DiKindTest {

  private final JobAccess access = JobAccess.of(mock(), "muster", () -> Instant.EPOCH);
  private final DiKind kind =
      new DiKind(new DiAddresses("http://s", "http://s", "svc"), access, mock());

  /** DI-orchestrator remembers nothing in the status; Muster always does. */
  @ParameterizedTest
  @CsvSource({"'', false", "', state: {phase: RUNNING}', true"})
  void aJobThatAnotherControllerRunsIsNotSized(String state, boolean isSized) {
    var job =
        Serialization.unmarshal(
            """
            apiVersion: diengine.opendilab.org/v2alpha1
            kind: DIJob
            metadata: {name: j, namespace: ml, uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}
            spec:
              preemptible: true
              minReplicas: 1
              tasks: [{type: collector, replicas: 3, template: {spec: {containers: [{name: c}]}}}]
            status: {phase: Running%s}
            """
                .formatted(state),
            DIJob.class);
    JobWatch<DIJob> watch = mock();
    when(watch.pods(any())).thenReturn(List.of());

    assertThat(kind.sized(job, watch).isPresent()).isEqualTo(isSized);
  }
}
