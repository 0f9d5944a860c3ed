package io.muster.controller.kinds.dlrover.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Observed;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kube.StoredStates;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job keeps the mode with which it has begun, whatever is said later. */
final class ModeTest {

  @ParameterizedTest
  @CsvSource({
    "BUILTIN, 'replicas: 2'",
    "BUILTIN, 'replicas: 0'",
    "BUILTIN, ''",
    "UPSTREAM_MASTER, 'replicas: 2'",
    "UPSTREAM_MASTER, ''"
  })
  void aJobThatHasBegunKeepsItsMode(Mode mode, String replicas) {
    var job =
        Serialization.unmarshal(
            """
            metadata: {name: j, namespace: ml, uid: u}
            spec:
              distributionStrategy: AllreduceStrategy
              replicaSpecs:
                worker:
                  %s
                  template: {spec: {containers: [{name: main, image: mine}]}}
            """
                .formatted(replicas),
            ElasticJob.class);
    var nothing =
        new Observed(
            List.of(), Optional.empty(), Map.of(), Optional.empty(), Map.of(), List.of(), Map.of());
    var begun =
        JobEngine.reconcile(
            ElasticJobSpecMapper.job(job, JobState.NEW, mode, List.of()),
            JobState.NEW,
            List.of(),
            nothing,
            Instant.EPOCH);
    var stored = StoredStates.read(StoredStates.write(begun.state()), null, null);

    for (var otherwise : Mode.values()) {
      assertThat(Mode.of(job, stored, otherwise)).isEqualTo(mode);
    }
  }
}
