package io.muster.controller.kinds.dlrover;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ReplicaSpec;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kinds.dlrover.job.ElasticJobMembers;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kinds.dlrover.job.LaunchLine;
import io.muster.controller.kinds.dlrover.plan.GrowBacks;
import io.muster.controller.kinds.dlrover.plan.PlanMapper;
import io.muster.controller.kube.pod.WorkerPods;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How many workers a running ElasticJob has that Muster makes, how many of them are lost for good,
 * and who changes that now, as the watches show it. Immutable.
 *
 * @param pods of its workers, by name
 */
record ElasticJobSize(
    ElasticJob job, JobState state, Map<String, Pod> pods, List<ScalePlan> plans) {

  static ElasticJobSize of(ElasticJob job, JobWatch<ElasticJob> watch) {
    var uid = job.getMetadata().getUid();
    return new ElasticJobSize(
        job,
        ElasticJobStatusMapper.state(job),
        watch.pods(job).stream()
            .filter(pod -> isWorker(pod, uid))
            .collect(Collectors.toMap(pod -> pod.getMetadata().getName(), Function.identity())),
        watch.others(job, ScalePlan.class).stream()
            .filter(plan -> plan.getSpec() != null)
            .toList());
  }

  private static boolean isWorker(Pod pod, String jobUid) {
    return ElasticJobMembers.of(pod, jobUid)
        .filter(member -> member.role().equals(ElasticJob.WORKER))
        .isPresent();
  }

  /** Whether lost workers may come back: Muster makes them, and nothing is said against it. */
  boolean growsBack() {
    boolean mayBeResized =
        ElasticJobSpecMapper.role(job, ElasticJob.WORKER)
            .map(ReplicaSpec::autoScale)
            .filter(Boolean.FALSE::equals)
            .isEmpty();
    return state.targets().containsKey(ElasticJob.WORKER)
        && mayBeResized
        && !ElasticJobSpecMapper.isSuspended(job);
  }

  GrowBacks growBacks() {
    return new GrowBacks(job.getMetadata().getName(), plans);
  }

  int lost() {
    return state.lost(ElasticJob.WORKER).size();
  }

  /** Workers that are not lost. */
  int size() {
    return state.counted(ElasticJob.WORKER).size();
  }

  /** Its size as it may be: no worker is given back, for users have said how many there are. */
  ResizableJob elastic() {
    var tries = growBacks();
    var up = up();
    int lost = lost();
    return new ResizableJob(
        "elasticjobs/" + job.getMetadata().getNamespace() + "/" + job.getMetadata().getName(),
        WorkerPods.priority(up),
        WorkerPods.of(up),
        up.size(),
        up.size() + (tries.isGivenUp() ? 0 : lost),
        new Stride(LaunchLine.of(job).nodeUnit(), Math.max(1, lost)),
        tries.pause(),
        tries.last(),
        state.phase() == JobState.Phase.RUNNING && unfinished().isEmpty(),
        up.size() == wanted(),
        WorkerPods.coming(unfinished(), size(), pods.keySet()),
        Terms.YIELDING);
  }

  /** Workers that it is to have, those that come back not counted. */
  int wanted() {
    return stillToRun().size();
  }

  private List<Integer> stillToRun() {
    var ended = state.ended(ElasticJob.WORKER);
    return state.counted(ElasticJob.WORKER).stream()
        .filter(index -> !ended.containsKey(index))
        .toList();
  }

  private List<Pod> up() {
    var prefix = DlroverNames.workers(job.getMetadata().getName()) + "-";
    return stillToRun().stream()
        .sorted(Comparator.naturalOrder())
        .flatMap(index -> Optional.ofNullable(pods.get(prefix + index)).stream())
        .filter(pod ->
            ElasticJobMembers.of(pod, job.getMetadata().getUid()).filter(Member::isUp).isPresent())
        .toList();
  }

  List<String> leaving() {
    return WorkerPods.leaving(pods.values(), unfinished());
  }

  private List<Resize> unfinished() {
    return plans.stream()
        .map(PlanMapper::resize)
        .filter(resize -> !resize.stage().isEnd())
        .toList();
  }

  /** Gangs of workers that come back. */
  Set<String> growingGangs() {
    return plans.stream()
        .filter(growBacks()::isOne)
        .map(PlanMapper::id)
        .collect(Collectors.toSet());
  }
}
