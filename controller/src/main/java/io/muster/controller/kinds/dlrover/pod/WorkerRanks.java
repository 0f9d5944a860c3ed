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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which ranks the workers of a job have. Immutable. */
public final class WorkerRanks {

  /** By name, of those that are seen; one may have none. */
  private final Map<String, Optional<Integer>> seen = new HashMap<>();

  /** By name, of those that the job had. */
  private final Map<String, Integer> before = new HashMap<>();

  /** Of the members that the job has by now and of those that are made next. */
  private final Set<Integer> kept = new HashSet<>();

  /** Names of those that are there and stay, by rank. */
  private final Map<Integer, Set<String>> there = new HashMap<>();

  /**
   * @param job its name
   * @param stood where the job stood
   * @param pods of the job, as they are seen
   * @param outcome what was decided then
   */
  public WorkerRanks(String job, JobState stood, List<Pod> pods, Outcome outcome) {
    for (var pod : pods) {
      var rank = rank(pod);
      seen.put(name(pod), rank);
      if (!pod.isMarkedForDeletion() && !PodEnds.hasEnded(pod)) {
        rank.ifPresent(
            number -> there.computeIfAbsent(number, _ -> new HashSet<>()).add(name(pod)));
      }
    }
    for (int index : stood.targets(ElasticJob.WORKER)) {
      before.put(DlroverNames.workers(job) + "-" + index, rank(stood, index));
    }
    for (int index : outcome.state().counted(ElasticJob.WORKER)) {
      kept.add(rank(outcome.state(), index));
    }
    for (var action : outcome.actions()) {
      if (action instanceof Action.Create create && create.role().equals(ElasticJob.WORKER)) {
        kept.add(create.rank());
      }
    }
  }

  /** The rank that a worker leaves, which nobody else has or gets; empty if there is none. */
  public Optional<Integer> left(String worker) {
    return seen.getOrDefault(worker, Optional.ofNullable(before.get(worker)))
        .filter(rank -> !kept.contains(rank))
        .filter(rank -> Set.of(worker).containsAll(there.getOrDefault(rank, Set.of())));
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
