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
import io.muster.controller.kube.pod.PodEnds;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** What DIJobs of one generation mean, and what their users see. Safe for concurrent use. */
public interface Generation {

  /** The condition of a job whose pods the apiserver does not take. */
  String PODS_CREATED = "PodsCreated";

  /**
   * The conditions of a job: the phases that it has come to, whether the apiserver takes its pods,
   * and how its gang stands.
   *
   * @param first the phase that each job comes to first
   * @param enter writes that the job has come to a phase
   */
  static Conditions conditions(
      DecidedJob<DIJob> decided, String first, String phase, BiConsumer<Conditions, String> enter) {
    var before =
        Optional.ofNullable(decided.job().getStatus())
            .map(DIJobStatus::conditions)
            .orElse(List.of());
    var conditions = new Conditions(before, decided.now());
    if (decided.earlierPhase().isEmpty()) {
      enter.accept(conditions, first);
    }
    if (!phase.equals(decided.earlierPhase()) && !phase.equals(first)) {
      enter.accept(conditions, phase);
    }
    boolean hasEnded = decided.state().phase().isEnd();
    if (decided.refusal().isPresent()) {
      conditions.lacks(PODS_CREATED, "Refused", decided.refusal().get());
    } else if (hasEnded || decided.state().unseen().isEmpty()) {
      conditions.forget(Set.of(PODS_CREATED));
    }
    if (!hasEnded) {
      decided.gang().note(conditions);
    }
    return conditions;
  }

  /** How many of its pods do their work; none of a job that has ended. */
  static int ready(DecidedJob<DIJob> decided) {
    return decided.state().phase().isEnd()
        ? 0
        : (int) decided.pods().stream().filter(PodEnds::isReady).count();
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
  default List<HasMetadata> beside(DIJob job) {
    return List.of();
  }

  /** What one pod needs beside itself; to go with it. */
  default List<HasMetadata> beside(DIJob job, Pod pod) {
    return List.of();
  }

  /** The Service that goes with a pod of that name, where each has one. */
  default Optional<String> nameOfService(String pod) {
    return Optional.empty();
  }

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
          List.of(Remark.warning("FailedCreate", "no pods for now: " + message));
      case News.MemberLost(String name, String how) ->
          List.of(Remark.warning("PodLost", "pod %s %s".formatted(name, how)));
      case News.Followed(String role, int from, int to) ->
          List.of(Remark.normal("JobResized", "%s goes from %d to %d".formatted(role, from, to)));
      default -> List.of();
    };
  }
}
