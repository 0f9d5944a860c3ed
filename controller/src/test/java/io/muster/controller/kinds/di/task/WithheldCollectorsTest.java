package io.muster.controller.kinds.di.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobEvents;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kinds.di.SizedDIJob;
import io.muster.controller.kinds.di.api.DIJob;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever may edit a job can write anything into its annotations. */
final class WithheldCollectorsTest {

  private static final JobAccess ACCESS =
      new JobAccess(
          mock(), new JobWrites(mock(), () -> Instant.EPOCH), mockEvents(), () -> Instant.EPOCH);

  private static JobEvents mockEvents() {
    return new JobEvents(mock(), () -> Instant.EPOCH, "muster");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "noon",
        "2026",
        "-999999999999-01-01T00:00:00Z",
        "+10000-01-01T00:00:00Z",
        "+1000000000-12-31T23:59:59Z",
        "-1000000000-01-01T00:00:00Z"
      })
  void aMomentThatIsNoneIsAsIfNothingWereWritten(String at) {
    var job =
        Serialization.unmarshal(
            """
            apiVersion: diengine.opendilab.org/v2alpha1
            kind: DIJob
            metadata:
              {name: j, namespace: ml, uid: u, annotations: {muster.io/withheld: '{"numbers":[0],"at":"%s"}'}}
            spec:
              preemptible: true
              minReplicas: 1
              tasks: [{type: collector, replicas: 3, template: {spec: {containers: [{name: c}]}}}]
            status: {phase: Running}
            """
                .formatted(at),
            DIJob.class);

    var sized = new SizedDIJob(job, List.of(), ACCESS);

    assertThat(sized.size().wanted()).isEqualTo(3);
    assertThat(sized.size().elastic())
        .hasValueSatisfying(size -> assertThat(size.last()).isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"'muster.io/elastic: \"true\", ', ''", "'', 'preemptible: true'"})
  void whoMayBeAskedForCollectorsHasThemGivenUp(String annotation, String field) {
    var job =
        Serialization.unmarshal(
            """
            apiVersion: diengine.opendilab.org/v2alpha1
            kind: DIJob
            metadata:
              name: j
              namespace: ml
              annotations: {%s muster.io/withheld: '{"numbers":[2],"at":"2026-01-01T00:00:00Z"}'}
            spec:
              %s
              minReplicas: 1
              tasks: [{type: collector, replicas: 3, template: {spec: {containers: [{name: c}]}}}]
            """
                .formatted(annotation, field),
            DIJob.class);

    assertThat(TaskSpecMapper.sizes(job).getFirst().without()).containsExactly(2);
    var sized = new SizedDIJob(job, List.of(), ACCESS);
    assertThat(sized.size().wanted()).isEqualTo(2);
    assertThat(sized.size().elastic())
        .hasValueSatisfying(size -> assertThat(size.last()).isPresent());
  }
}
