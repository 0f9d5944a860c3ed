package io.muster.controller.kinds.dlrover;

import io.muster.controller.core.engine.News;
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
import io.muster.controller.kube.StoredStates;
import io.muster.controller.kube.TemplateDigests;
import java.time.Instant;
import java.util.Collection;
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
  static ElasticJobStatus status(
      ElasticJob job,
      JobState state,
      Collection<Member> members,
      List<News> news,
      Consumer<Conditions> beside,
      Instant now) {
    var before = Optional.ofNullable(job.getStatus());
    var earlier = before.map(known -> known.phase()).orElse("");
    var history = history(before);
    var conditions = new Conditions(history.conditions(), now);
    var master = master(state, members);
    var phase = phase(job, state, master, earlier);
    if (news.stream().anyMatch(item -> isFailover(job, item))) {
      ElasticJobMessages.failedOver(conditions);
    }
    News.of(news, News.Refused.class)
        .map(News.Refused::message)
        .findFirst()
        .ifPresentOrElse(
            message -> ElasticJobMessages.refused(conditions, message),
            () -> conditions.ended(ElasticJobMessages.REFUSED));
    beside.accept(conditions);
    if (!phase.equals(earlier)) {
      var why =
          News.of(news, News.Failed.class)
              .map(failed -> ElasticJobMessages.failure(job, members, failed))
              .findFirst()
              .orElse("");
      ElasticJobMessages.entered(job, conditions, earlier, phase, why);
    }
    return new ElasticJobStatus(
        phase,
        new ElasticJobHistory(
            conditions.list(),
            Map.of(ElasticJob.MASTER, counts(state, members)),
            state.startedAt().map(Conditions::time).orElse(null),
            state.endedAt().map(Conditions::time).orElse(null),
            null),
        state.resizing().map(id -> id.substring(id.lastIndexOf('/') + 1)).orElse(null),
        StoredStates.write(state, TemplateDigests.of(ElasticJobSpecMapper.templates(job, state))),
        job.getMetadata().getGeneration());
  }

  private static boolean isFailover(ElasticJob job, News item) {
    return item instanceof News.MembersReplaced(List<String> names)
        && names.getFirst().startsWith(DlroverNames.master(job.getMetadata().getName()) + "-");
  }

  /** The phase says how the master is: of workers that wait it says nothing. */
  private static String phase(
      ElasticJob job, JobState state, Optional<Member> master, String earlier) {
    if (state.phase() == Phase.SUCCEEDED) {
      return "Succeeded";
    } else if (state.phase() == Phase.FAILED) {
      return "Failed";
    } else if (ElasticJobSpecMapper.isSuspended(job)) {
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
  private static Optional<Member> master(JobState state, Collection<Member> members) {
    var targets = state.targets().getOrDefault(ElasticJob.MASTER, List.of());
    return members.stream()
        .filter(member -> member.role().equals(ElasticJob.MASTER))
        .filter(member -> targets.contains(member.index()))
        .max(Comparator.comparingInt(Member::index));
  }

  private static MasterCounts counts(JobState state, Collection<Member> members) {
    var masters =
        members.stream().filter(member -> member.role().equals(ElasticJob.MASTER)).toList();
    // Each one after the first has taken the place of one that was lost.
    int lost =
        state.targets().getOrDefault(ElasticJob.MASTER, List.of()).stream()
            .mapToInt(Integer::intValue)
            .max()
            .orElse(0);
    int failedNow =
        master(state, members).filter(m -> m.phase() == Member.Phase.FAILED).isPresent() ? 1 : 0;
    return new MasterCounts(
        orNull(state.unseen().getOrDefault(ElasticJob.MASTER, List.of()).size()),
        orNull(count(masters, Member.Phase.PENDING)),
        orNull(count(masters, Member.Phase.RUNNING)),
        orNull(count(masters, Member.Phase.SUCCEEDED)),
        orNull(lost + failedNow));
  }

  private static int count(List<Member> members, Member.Phase phase) {
    return (int) members.stream().filter(member -> member.phase() == phase).count();
  }

  private static Integer orNull(int count) {
    return count == 0 ? null : count;
  }
}
