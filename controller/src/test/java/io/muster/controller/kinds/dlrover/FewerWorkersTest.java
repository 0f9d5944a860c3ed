package io.muster.controller.kinds.dlrover;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.ResizeFault;
import io.muster.controller.core.state.RestartRound;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kinds.dlrover.job.Mode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job does not become smaller than its gang because somebody writes a smaller number. */
final class FewerWorkersTest {

  private static ElasticJob job(int replicas) {
    return Serialization.unmarshal(
        """
        metadata: {name: tm, namespace: n, uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}
        spec:
          distributionStrategy: AllreduceStrategy
          replicaSpecs:
            worker:
              replicas: %d
              template:
                metadata:
                  annotations:
                    gang.scheduling.koordinator.sh/name: tm
                    gang.scheduling.koordinator.sh/min-available: "2"
                spec: {containers: [{name: main}]}
        """
            .formatted(replicas),
        ElasticJob.class);
  }

  private static JobState having(int workers) {
    return workers == 0
        ? JobState.NEW
        : new JobState(
            Phase.RUNNING,
            Optional.of(Instant.EPOCH),
            Optional.empty(),
            Optional.empty(),
            0,
            Map.of(ElasticJob.WORKER, IntStream.range(0, workers).boxed().toList()),
            Map.of(),
            Map.of(),
            Set.of(),
            Optional.empty(),
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of(),
            RestartRound.NONE);
  }

  @ParameterizedTest
  @CsvSource({"4, 4, 2", "1, 4, 2", "1, 2, 2", "1, 1, 1", "1, 0, 1", "4, 0, 2"})
  void theLeastIsThatOfTheGangWhateverIsWishedFor(int replicas, int workers, int least) {
    var role =
        ElasticJobSpecMapper.job(job(replicas), having(workers), Mode.BUILTIN, List.of())
            .role(ElasticJob.WORKER);

    assertThat(role.range()).extracting(Role.Range::least).isEqualTo(least);
  }

  @Test
  void theJobSaysThatItDoesNotFollow() {
    var remarks =
        ElasticJobMessages.remarks(
            job(1),
            List.of(),
            new News.ResizeFailed("n/tm-to-1-2", new ResizeFault.BelowLeast(1, 2)));

    assertThat(remarks)
        .singleElement()
        .satisfies(remark -> assertThat(remark.isWarning()).isTrue())
        .satisfies(remark ->
            assertThat(remark.message())
                .isEqualTo("tm-to-1-2: 1 workers would be left, and its gang needs 2"));
  }
}
