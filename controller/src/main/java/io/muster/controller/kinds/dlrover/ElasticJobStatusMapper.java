package io.muster.controller.kinds.dlrover;

import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ElasticJobHistory;
import io.muster.controller.kinds.dlrover.api.ElasticJobStatus;
import io.muster.controller.kinds.dlrover.api.MasterCounts;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.StoredStates;
import io.muster.controller.kube.TemplateDigests;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads where a job stands from the status of an ElasticJob, and writes it there. */
final class ElasticJobStatusMapper {

  private ElasticJobStatusMapper() {}

  /** Where the job stands. */
  static JobState state(ElasticJob job) {
    var status = Optional.ofNullable(job.getStatus());
    return StoredStates.read(
        status.map(ElasticJobStatus::state).orElse(null),
        history(status).startTime(),
        history(status).completionTime());
  }

  private static ElasticJobHistory history(Optional<ElasticJobStatus> status) {
    return status
        .map(known -> known.status())
        .orElse(new ElasticJobHistory(List.of(), Map.of(), null, null, null));
  }

  /**
   * The status to be stored.
   *
   * @param beside writes conditions that say nothing of the phase
   */
  static ElasticJobStatus status(DecidedJob<ElasticJob> decided, Consumer<Conditions> beside) {
    var job = decided.job();
    var state = decided.state();
    var earlier = decided.earlierPhase();
    var history = history(Optional.ofNullable(job.getStatus()));
    var conditions = new Conditions(history.conditions(), decided.now());
    var phase = phase(decided, master(decided));
    if (decided.news().stream().anyMatch(item -> isFailover(job, item))) {
      ElasticJobMessages.failedOver(conditions);
    }
    decided
        .refusal()
        .ifPresentOrElse(
            message -> ElasticJobMessages.refused(conditions, message),
            () -> conditions.ended(ElasticJobMessages.REFUSED));
    decided.gang().note(conditions);
    beside.accept(conditions);
    if (!phase.equals(earlier)) {
      var why =
          decided
              .failure()
              .map(failed -> ElasticJobMessages.failure(job, decided.members(), failed))
              .orElse("");
      ElasticJobMessages.entered(job, conditions, earlier, phase, why);
    }
    return new ElasticJobStatus(
        phase,
        new ElasticJobHistory(
            conditions.list(),
            Map.of(ElasticJob.MASTER, counts(decided)),
            state.startedAt().map(Conditions::time).orElse(null),
            state.endedAt().map(Conditions::time).orElse(null),
            null),
        state.resizing().map(ResizeRequest::nameIn).orElse(null),
        StoredStates.write(state, TemplateDigests.of(ElasticJobSpecMapper.templates(job, state))),
        job.getMetadata().getGeneration());
  }

  private static boolean isFailover(ElasticJob job, News item) {
    return item instanceof News.MembersReplaced(List<String> names)
        && names.getFirst().startsWith(DlroverNames.master(job.getMetadata().getName()) + "-");
  }

  /** The phase says how the master is: of workers that wait it says nothing. */
  private static String phase(DecidedJob<ElasticJob> decided, Optional<Member> master) {
    var state = decided.state();
    var earlier = decided.earlierPhase();
    if (state.phase() == Phase.SUCCEEDED) {
      return "Succeeded";
    } else if (state.phase() == Phase.FAILED) {
      return "Failed";
    } else if (ElasticJobSpecMapper.isSuspended(decided.job())) {
      return "Suspended";
    } else if (state.phase() == Phase.RUNNING || master.filter(Member::isUp).isPresent()) {
      return "Running";
    } else if (earlier.isEmpty()) {
      return "Created";
    } else if (earlier.equals("Suspended")) {
      return "Running";
    }
    return master.isPresent() ? "Pending" : earlier;
  }

  /** The one that is to be there. */
  private static Optional<Member> master(DecidedJob<ElasticJob> decided) {
    var targets = decided.state().targets(ElasticJob.MASTER);
    return decided
        .members(ElasticJob.MASTER)
        .filter(member -> targets.contains(member.index()))
        .max(Comparator.comparingInt(Member::index));
  }

  private static MasterCounts counts(DecidedJob<ElasticJob> decided) {
    var state = decided.state();
    // Each one after the first has taken the place of one that was lost.
    int lost =
        state.targets(ElasticJob.MASTER).stream().mapToInt(Integer::intValue).max().orElse(0);
    int failedNow =
        master(decided).filter(m -> m.phase() == Member.Phase.FAILED).isPresent() ? 1 : 0;
    return new MasterCounts(
        orNull(state.unseen().getOrDefault(ElasticJob.MASTER, List.of()).size()),
        orNull(decided.count(ElasticJob.MASTER, Member.Phase.PENDING)),
        orNull(decided.count(ElasticJob.MASTER, Member.Phase.RUNNING)),
        orNull(decided.count(ElasticJob.MASTER, Member.Phase.SUCCEEDED)),
        orNull(lost + failedNow));
  }

  private static Integer orNull(int count) {
    return count == 0 ? null : count;
  }
}
