package io.muster.controller.kinds.dlrover.pod;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Standing;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.PodEnds;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which ranks the workers of a job have. Immutable.
 *
 * @param before where the job stood
 * @param pods of the job, as they are seen
 * @param outcome what was decided then
 */
public record WorkerRanks(JobState before, List<Pod> pods, Outcome outcome) {

  /** The rank that a worker leaves, which nobody else has or gets; empty if there is none. */
  public Optional<Integer> left(String worker) {
    return rank(worker).filter(rank -> others(worker).noneMatch(rank::equals));
  }

  private Optional<Integer> rank(String worker) {
    var labelled = pods.stream().filter(pod -> name(pod).equals(worker)).findFirst();
    return labelled.isPresent()
        ? labelled.flatMap(WorkerRanks::rank)
        : before.targets(ElasticJob.WORKER).stream()
            .filter(index -> worker.endsWith(ElasticJob.WORKER + "-" + index))
            .findFirst()
            .map(index -> rank(before, index));
  }

  private Stream<Integer> others(String worker) {
    var state = outcome.state();
    var members = state.counted(ElasticJob.WORKER).stream().map(index -> rank(state, index));
    var there =
        pods.stream()
            .filter(pod -> !name(pod).equals(worker))
            .filter(pod -> !pod.isMarkedForDeletion() && !PodEnds.hasEnded(pod))
            .flatMap(pod -> rank(pod).stream());
    var coming =
        outcome.actions().stream()
            .filter(Action.Create.class::isInstance)
            .map(Action.Create.class::cast)
            .filter(create -> create.role().equals(ElasticJob.WORKER))
            .map(Action.Create::rank);
    return Stream.of(members, there, coming).flatMap(ranks -> ranks);
  }

  private static int rank(JobState state, int index) {
    return state
        .standings()
        .getOrDefault(ElasticJob.WORKER, Standing.NEW)
        .ranks()
        .getOrDefault(index, index);
  }

  private static Optional<Integer> rank(Pod pod) {
    return Optional.ofNullable(Marks.labels(pod).get(DlroverNames.RANK_LABEL))
        .filter(rank -> rank.matches("[0-9]{1,9}"))
        .map(Integer::valueOf);
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }
}
