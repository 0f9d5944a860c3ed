package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.SpecSize;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.JobState.Standing;
import io.muster.controller.core.state.RestartRound;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is remembered of the largest job finds room in the store, beside what is wanted of it. */
final class StatusSizeTest {

  /** What etcd takes by default; the apiserver takes twice as much. */
  private static final int MOST_STORED = 1_572_864;

  @Test
  void theLargestJobAtItsWorstFitsBesideItsSpec() {
    var indices = IntStream.range(10_000, 10_000 + Job.MOST_MEMBERS).boxed().toList();
    var numbers = new HashMap<Integer, Integer>();
    var ended = new HashMap<Integer, Boolean>();
    var going = new HashMap<Integer, String>();
    for (int index : indices) {
      numbers.put(index, index);
      ended.put(index, false);
      going.put(index, UUID.randomUUID().toString());
    }
    var state =
        new JobState(
            Phase.RUNNING,
            Optional.of(Instant.EPOCH),
            Optional.empty(),
            Optional.empty(),
            0,
            Map.of("worker", indices),
            Map.of("worker", indices),
            Map.of("worker", 15_000),
            Set.of(),
            Optional.empty(),
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of("worker", new Standing(numbers, numbers, ended)),
            new RestartRound(RestartRound.Stage.MAKING, Set.of(), 1, 1, Map.of("worker", going)));

    var json = Serialization.asJson(StoredStates.write(state));

    // Who wrote which key of a map is kept beside it, in as many bytes.
    int keysOfManagers = 4 * Job.MOST_MEMBERS * "\"f:10000\":{},".length();
    assertThat(json.length() + keysOfManagers + SpecSize.MOST_BYTES).isLessThan(MOST_STORED);
  }

  @Test
  void aSentenceThatNamesAllPodsIsCut() {
    var names = String.join(", ", Collections.nCopies(Job.MOST_MEMBERS, "job-worker-4999"));
    var conditions = new Conditions(List.of(), Instant.EPOCH);

    conditions.happened("Failed", "Lost", names);
    conditions.lacks("GangScheduled", "Waiting", names);

    assertThat(conditions.list()).allMatch(one -> one.message().length() <= 4096);
  }

  @Test
  void aSpecThatLeavesNoRoomIsNamed() {
    var large = Map.of("image", "x".repeat(SpecSize.MOST_BYTES));

    assertThat(SpecSize.fault(Map.of("image", "x"))).isEmpty();
    assertThat(SpecSize.fault(large).orElseThrow().toString())
        .startsWith("spec: spec has 262156 bytes, and may have 262144")
        .endsWith("make the templates smaller");
  }
}
