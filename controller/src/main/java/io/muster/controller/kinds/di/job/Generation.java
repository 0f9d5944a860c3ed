package io.muster.controller.kinds.di.job;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.Remark;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** What DIJobs of one generation mean, and what their users see. Safe for concurrent use. */
public interface Generation {

  /** The condition of a job whose pods the apiserver does not take. */
  String PODS_CREATED = "PodsCreated";

  /** Says beside the phase whether the apiserver takes the job's pods. */
  static void noteRefusal(Conditions conditions, DecidedJob<DIJob> decided) {
    if (decided.refusal().isPresent()) {
      conditions.lacks(PODS_CREATED, "Refused", decided.refusal().get());
    } else if (decided.state().phase().isEnd() || decided.state().unseen().isEmpty()) {
      conditions.forget(Set.of(PODS_CREATED));
    }
  }

  /**
   * The job that is wanted.
   *
   * @param problems why it cannot be run
   */
  Job job(DIJob object, List<String> problems);

  /** The pod as a member of the job; empty if it is none. */
  Optional<Member> member(DIJob job, JobState state, Pod pod);

  /** With how few members each gang of the job goes on by now, by the gang's name. */
  Map<String, Integer> enough(DIJob job);

  /** What the job's pods need beside themselves. */
  List<HasMetadata> beside(DIJob job);

  /** What one pod needs beside itself; to go with it. */
  List<HasMetadata> beside(DIJob job, Pod pod);

  /** The Service that goes with a pod of that name, where each has one. */
  Optional<String> nameOfService(String pod);

  /** Makes pods of a job as it stands now; what they have in common is read once. */
  Function<Action.Create, Pod> pods(DIJob job, JobState state);

  /** The status to be stored. */
  DIJobStatus status(DecidedJob<DIJob> decided);

  /** Phases that are worth a Warning. */
  Set<String> warnings();

  /** The Event that goes with the phase that the job has come to. */
  default Optional<Remark> entered(DIJob job) {
    var phase = job.getStatus().phase();
    return job.getStatus().conditions().stream()
        .filter(condition -> condition.type().equals(phase))
        .findFirst()
        .map(condition ->
            new Remark(warnings().contains(phase), condition.reason(), condition.message()));
  }

  /** The Events that go with what the job says by now, whatever has come about. */
  default List<Remark> remarks(DIJob job) {
    return List.of();
  }

  /** The Events that go with something that has come about. */
  default List<Remark> remarks(News item) {
    return switch (item) {
      case News.Refused(String message) ->
          List.of(new Remark(true, "FailedCreate", "no pods for now: " + message));
      case News.MemberLost(String name, String how) ->
          List.of(new Remark(true, "PodLost", "pod %s %s".formatted(name, how)));
      case News.Followed(String role, int from, int to) ->
          List.of(
              new Remark(false, "JobResized", "%s goes from %d to %d".formatted(role, from, to)));
      default -> List.of();
    };
  }
}
