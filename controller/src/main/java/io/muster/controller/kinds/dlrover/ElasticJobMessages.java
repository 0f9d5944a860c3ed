package io.muster.controller.kinds.dlrover;

import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.ResizeFault;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kinds.dlrover.job.LaunchLine;
import io.muster.controller.kinds.dlrover.plan.GrowBacks;
import io.muster.controller.kinds.dlrover.plan.PlanMapper;
import io.muster.controller.kinds.dlrover.pod.MasterPod;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Remark;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What has come about in a job, in the words that DLRover's users know. */
final class ElasticJobMessages {

  /** The condition of a job whose pods the apiserver does not take, or that need another's name. */
  static final String REFUSED = "PodsRefused";

  private static final Set<String> NOT_RUNNING = Set.of("Suspended", "Succeeded", "Failed");

  private static final int FATAL = 1;

  private ElasticJobMessages() {}

  /** The phase is now this one; conditions follow it. */
  static void entered(
      ElasticJob job, Conditions conditions, String before, String phase, String why) {
    var name = job.getMetadata().getName();
    if (before.equals("Suspended") && !phase.equals(before)) {
      conditions.ended("Suspended");
    }
    if (NOT_RUNNING.contains(phase)) {
      conditions.ended("Running");
    }
    switch (phase) {
      case "Created" ->
          conditions.happened("Created", "JobCreated", "ElasticJob %s is created.".formatted(name));
      case "Running" ->
          conditions.happened(
              "Running",
              "JobRunning",
              before.equals("Suspended")
                  ? "ElasticJob %s is unspended.".formatted(name)
                  : "The job master is running.");
      case "Suspended" ->
          conditions.happened(
              "Suspended", "JobSuspended", "ElasticJob %s is suspended.".formatted(name));
      case "Succeeded" ->
          conditions.happened("Succeeded", "JobSucceeded", "The job master is succeeded.");
      case "Failed" -> conditions.happened("Failed", "JobFailed", why);
      default -> {}
    }
  }

  /** Its pods cannot be made for now; the phase says nothing of that. */
  static void refused(Conditions conditions, String message) {
    conditions.states(REFUSED, true, REFUSED, "no pods for now: " + message);
  }

  /** Its master was lost and is recreated. */
  static void failedOver(Conditions conditions) {
    conditions.happened("Running", "JobRestarting", "The job master is failover.");
  }

  /** What is to be said about the job as it is written. */
  static List<Remark> warnings(ElasticJob job) {
    var ignored =
        MasterPod.unsound(job).stream()
            .map(key ->
                Remark.warning(
                    "AnnotationIgnored",
                    ("metadata.annotations[%s] is not what the master understands; mend it and make"
                            + " the job anew")
                        .formatted(key)));
    return Stream.concat(ignored, belowNodes(job).stream()).toList();
  }

  /** Fewer workers start than training begins with: they would wait for each other. */
  private static Optional<Remark> belowNodes(ElasticJob job) {
    var nodes = LaunchLine.of(job).fewestNodes();
    return ElasticJobSpecMapper.gangMinimum(job)
        .filter(least -> nodes.filter(fewest -> least < fewest).isPresent())
        .map(least ->
            Remark.warning(
                "GangBelowNnodes",
                ("the gang starts with %d workers, and their command says --nnodes=%d: with fewer"
                        + " they train nothing; raise min-available in the template to %2$d")
                    .formatted(least, nodes.orElseThrow())));
  }

  /** That lost workers do not come back by themselves any more. */
  static Remark notAgain(int lost) {
    return Remark.warning(
        "GrowBackGivenUp",
        ("%d workers are lost, though lost ones were made again %d times; mend what ends them, then"
                + " ask for them by a ScalePlan")
            .formatted(lost, GrowBacks.MOST));
  }

  /** Why the job has failed: of its master in DLRover's words, else in the engine's. */
  static String failure(ElasticJob job, Collection<Member> members, News.Failed failed) {
    return switch (failed.cause()) {
      case MEMBER, EVICTED -> masterFailure(job, members);
      case INVALID, TOO_FEW, DEADLINE, WAITED -> failed.message();
    };
  }

  private static String masterFailure(ElasticJob job, Collection<Member> members) {
    var fatal =
        members.stream()
            .filter(member -> member.role().equals(ElasticJob.MASTER))
            .filter(member -> member.phase() == Member.Phase.FAILED)
            .max(Comparator.comparingInt(Member::index))
            .filter(master -> master.exitCode().filter(code -> code == FATAL).isPresent());
    if (fatal.isPresent()) {
      return "The job master %s failed with exitcode=1.".formatted(fatal.get().name());
    }
    int restarts = ElasticJobSpecMapper.masterRestarts(job);
    return "The job master failover count %d is beyond the restart count %d."
        .formatted(restarts + 1, restarts);
  }

  /** In DLRover's words where it is the master. */
  private static String refused(Collection<Member> members) {
    boolean hasMaster =
        members.stream()
            .anyMatch(member -> member.role().equals(ElasticJob.MASTER) && !member.hasEnded());
    return hasMaster ? "no pods for now: " : "master pod created failed: ";
  }

  /** The Events that go with it. */
  static List<Remark> remarks(ElasticJob job, Collection<Member> members, News item) {
    return switch (item) {
      case News.Failed failed -> List.of(Remark.warning("Failed", failure(job, members, failed)));
      case News.Refused(String message) ->
          List.of(Remark.warning("Failed", refused(members) + message));
      case News.MemberLost(String name, String how) ->
          List.of(Remark.warning("MemberLost", name + " " + how));
      case News.MembersReplaced(var names) ->
          List.of(
              Remark.normal(
                  "MemberReplaced", "made in place of a lost one: " + String.join(", ", names)));
      case News.ResizeFailed(String id, ResizeFault fault) ->
          List.of(
              Remark.warning(
                  "ScalePlanFailed",
                  "%s: %s".formatted(ResizeRequest.nameIn(id), PlanMapper.sentence(fault))));
      case News.Succeeded _ ->
          List.of(Remark.normal("JobSucceeded", "The job master is succeeded."));
      default -> List.of();
    };
  }
}
