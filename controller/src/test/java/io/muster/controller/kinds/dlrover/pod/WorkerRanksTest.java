package io.muster.controller.kinds.dlrover.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.JobState.Standing;
import io.muster.controller.core.state.RestartRound;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The Service of a rank goes with the last worker of that rank. */
final class WorkerRanksTest {

  private static Pod pod(int index, int rank) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(DlroverNames.workers("j") + "-" + index)
        .withLabels(Map.of(DlroverNames.RANK_LABEL, Integer.toString(rank)))
        .endMetadata()
        .build();
  }

  private static JobState state(Standing workers, Integer... targets) {
    return new JobState(
        Phase.RUNNING,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        0,
        Map.of(ElasticJob.WORKER, List.of(targets)),
        Map.of(),
        Map.of(),
        Set.of(),
        Optional.empty(),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(ElasticJob.WORKER, workers),
        RestartRound.NONE);
  }

  private static Optional<Integer> left(
      String worker, JobState before, List<Pod> pods, JobState after, Action... actions) {
    var outcome = new Outcome(after, List.of(), List.of(), List.of(actions), Optional.empty());
    return new WorkerRanks("j", before, pods, outcome)
        .left(DlroverNames.workers("j") + "-" + worker);
  }

  private static final JobState TWO = state(Standing.NEW, 0, 1);

  @Test
  void oneOfAWithdrawnPlanLeavesItsOwn() {
    assertThat(left("4", TWO, List.of(pod(0, 0), pod(1, 1), pod(4, 2)), TWO)).contains(2);
  }

  @Test
  void butNotIfTheNextPlanGivesItAway() {
    var create =
        new Action.Create(
            ElasticJob.WORKER, 5, DlroverNames.workers("j") + "-5", 1, Optional.of("ml/p"), 2, 0);
    assertThat(left("4", TWO, List.of(pod(4, 2)), TWO, create)).isEmpty();
    assertThat(left("4", TWO, List.of(pod(4, 2), pod(5, 2)), TWO)).isEmpty();
  }

  @Test
  void oneThatWasTakenAwayLeavesItsOwnOnceItIsNoMember() {
    assertThat(left("1", TWO, List.of(pod(0, 0), pod(1, 1)), TWO)).isEmpty();
    assertThat(left("1", TWO, List.of(pod(0, 0)), state(Standing.NEW, 0))).contains(1);
  }

  @Test
  void oneThatIsReplacedLeavesItToItsSuccessor() {
    var after = state(new Standing(Map.of(2, 1), Map.of(1, 1), Map.of()), 0, 2);
    assertThat(left("1", TWO, List.of(pod(0, 0), pod(1, 1)), after)).isEmpty();
  }

  @Test
  void oneThatIsLostForGoodLeavesIt() {
    var after = state(new Standing(Map.of(), Map.of(), Map.of(1, false)), 0, 1);
    assertThat(left("1", TWO, List.of(pod(0, 0), pod(1, 1)), after)).contains(1);
  }

  @Test
  void ofOneThatNobodyKnowsNothingIsKnown() {
    assertThat(left("7", TWO, List.of(), TWO)).isEmpty();
  }
}
