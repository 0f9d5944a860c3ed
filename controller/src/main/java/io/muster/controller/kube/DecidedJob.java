package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is seen of a job of any kind, and what was decided of it: all that its status and its Events
 * say follows from this. Immutable.
 *
 * @param job as it is stored, with its status of before
 * @param pods its own
 * @param members those of the pods that the engine decided by
 * @param gang how the pods stand together; {@link GangSight#NONE} once the job has ended
 */
public record DecidedJob<J extends CustomResource<?, ? extends JobStatus>>(
    J job,
    JobState state,
    List<Pod> pods,
    List<Member> members,
    GangSight gang,
    List<News> news,
    Instant now) {

  public DecidedJob {
    pods = List.copyOf(pods);
    members = List.copyOf(members);
    news = List.copyOf(news);
  }

  /** The phase that its status says; empty if it says none. */
  public String earlierPhase() {
    return Optional.<JobStatus>ofNullable(job.getStatus()).map(JobStatus::phase).orElse("");
  }

  /** Members of that role. */
  public Stream<Member> members(String role) {
    return members.stream().filter(member -> member.role().equals(role));
  }

  /** How many of them are in that phase. */
  public int count(String role, Member.Phase phase) {
    return (int) members(role).filter(member -> member.phase() == phase).count();
  }

  /** Why it has failed just now. */
  public Optional<News.Failed> failure() {
    return News.of(news, News.Failed.class).findFirst();
  }

  /** Why the apiserver has just refused its pods. */
  public Optional<String> refusal() {
    return News.of(news, News.Refused.class).map(News.Refused::message).findFirst();
  }
}
