package io.muster.controller.kinds.dlrover.plan;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.PodMeta;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.api.ScalePlanStatus;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnResizes;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.StoredStates;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads a ScalePlan as a resize, and writes there how far it has come. */
public final class PlanMapper {

  /** On Muster's own plans: not so many in all, but so many more, or so many of those lost. */
  static final String ADDS_LABEL = "muster.io/adds";

  static final String ADDS_LOST_LABEL = "muster.io/adds-lost";

  /** As long as DLRover's agents wait for a round of theirs. */
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  private static final int LONGEST_LABEL = 63;

  private PlanMapper() {}

  public static String id(ScalePlan plan) {
    return plan.getMetadata().getNamespace() + "/" + plan.getMetadata().getName();
  }

  public static Resize resize(ScalePlan plan) {
    var metadata = plan.getMetadata();
    var status = Optional.ofNullable(plan.getStatus());
    var request =
        new ResizeRequest(
            id(plan),
            ElasticJob.WORKER,
            change(plan),
            Instant.parse(metadata.getCreationTimestamp()),
            OwnResizes.isUrgent(plan),
            TIMEOUT,
            OwnResizes.forcedAt(plan),
            Optional.empty());
    return new Resize(
        request,
        stage(status.map(ScalePlanStatus::phase).orElse("")),
        status.map(known -> known.pods()).orElse(List.of()),
        status.flatMap(known -> StoredStates.time(known.startTime())),
        status.flatMap(known -> StoredStates.time(known.finishTime())));
  }

  /** Whether a controller wrote it, Muster or a master of DLRover's. */
  static boolean isAuto(ScalePlan plan) {
    return "auto".equals(Marks.labels(plan).get(DlroverNames.PLAN_ORIGIN_LABEL));
  }

  private static Change change(ScalePlan plan) {
    var spec = plan.getSpec();
    var forced = Marks.annotations(plan).get(OwnResizes.FORCED_AT);
    if (forced != null && OwnResizes.forcedAt(plan).isEmpty()) {
      return new Change.Unclear(
          "metadata.annotations[%s] must be a time such as 2030-01-31T12:00:00Z, not \"%s\""
              .formatted(OwnResizes.FORCED_AT, forced));
    }
    var labels = Marks.labels(plan);
    var other =
        Stream.of(DlroverNames.JOB_LABEL, DlroverNames.OLD_JOB_LABEL)
            .filter(key -> labels.containsKey(key) && !labels.get(key).equals(spec.ownerJob()))
            .findFirst();
    if (other.isPresent()) {
      return new Change.Unclear(
          "metadata.labels[%s] is %s, but spec.ownerJob is %s; name one job"
              .formatted(other.get(), labels.get(other.get()), spec.ownerJob()));
    } else if (!isEmpty(spec.createPods()) || !isEmpty(spec.migratePods())) {
      return new Change.Unclear(
          "spec.createPods and spec.migratePods are not served; say in"
              + " spec.replicaResourceSpecs.worker.replicas how many workers there are to be");
    } else if (!isEmpty(spec.removePods())) {
      if (spec.removePods().size() > Job.MOST_MEMBERS) {
        return new Change.Unclear(
            "spec.removePods has more than %d pods; write several plans"
                .formatted(Job.MOST_MEMBERS));
      }
      if (spec.removePods().stream().anyMatch(pod -> pod.name() == null || pod.name().isEmpty())) {
        return new Change.Unclear("spec.removePods must say the name of each pod");
      }
      return new Change.RemoveNamed(spec.removePods().stream().map(PodMeta::name).toList());
    }
    if (plan.getMetadata().getName().length() > LONGEST_LABEL) {
      return new Change.Unclear(
          ("metadata.name must be at most %d characters, since pods are labelled with it; choose a"
                  + " shorter name")
              .formatted(LONGEST_LABEL));
    }
    var sizes = Objects.requireNonNullElse(spec.replicaResourceSpecs(), Map.of());
    var workers =
        Optional.ofNullable(spec.replicaResourceSpecs())
            .map(all -> all.get(ElasticJob.WORKER))
            .map(size -> size.replicas());
    if (workers.isEmpty() || sizes.size() > 1) {
      return new Change.Unclear(
          "spec.replicaResourceSpecs must have replicas of worker, and of no other role");
    }
    if (workers.get() > Job.MOST_MEMBERS) {
      return new Change.Unclear(
          "spec.replicaResourceSpecs.worker.replicas must be at most %d, the most members of a gang"
              .formatted(Job.MOST_MEMBERS));
    }
    return workers.get() > 0
        ? number(labels, ADDS_LABEL)
            .<Change>map(Change.Add::new)
            .or(() -> number(labels, ADDS_LOST_LABEL).map(Change.AddLost::new))
            .orElseGet(() -> new Change.To(workers.get()))
        : new Change.Unclear(
            "spec.replicaResourceSpecs.worker.replicas must be at least 1; to stop a job, set its"
                + " spec.suspend or delete it");
  }

  private static Optional<Integer> number(Map<String, String> labels, String key) {
    return Optional.ofNullable(labels.get(key))
        .filter(value -> value.matches("[1-9][0-9]{0,4}"))
        .map(Integer::valueOf);
  }

  private static boolean isEmpty(List<?> list) {
    return list == null || list.isEmpty();
  }

  private static Stage stage(String phase) {
    return switch (phase) {
      case "Created", "Pending" -> Stage.WAITING;
      case "Scaling" -> Stage.SCALING;
      case "Succeeded" -> Stage.SUCCEEDED;
      case "Failed" -> Stage.FAILED;
      default -> Stage.NEW;
    };
  }

  private static String phase(Stage stage) {
    return switch (stage) {
      case NEW -> "";
      case WAITING -> "Pending";
      case SCALING, TOLD -> "Scaling";
      case SUCCEEDED -> "Succeeded";
      case FAILED -> "Failed";
    };
  }

  /** The status to be stored. */
  static ScalePlanStatus status(
      ScalePlan plan, Resize resize, Optional<ResizeFault> fault, Instant now) {
    var before = Optional.ofNullable(plan.getStatus());
    return new ScalePlanStatus(
        phase(resize.stage()),
        before.map(known -> known.createTime()).orElse(Conditions.time(now)),
        resize.startedAt().map(Conditions::time).orElse(null),
        resize.endedAt().map(Conditions::time).orElse(null),
        resize.plan().isEmpty() ? null : resize.plan(),
        fault.map(PlanMapper::sentence).map(Conditions::shortened).orElse(null));
  }

  public static String sentence(ResizeFault fault) {
    return switch (fault) {
      case ResizeFault.Unclear(String problem) -> problem;
      case ResizeFault.NoSuchMembers(var names) ->
          "spec.removePods: the job has no worker " + String.join(", ", names);
      case ResizeFault.NobodyLeft(int members) ->
          "the job has %d workers, and one has to stay".formatted(members);
      case ResizeFault.BelowLeast(int left, int least) ->
          "%d workers would be left, and its gang needs %d".formatted(left, least);
      case ResizeFault.AboveMost(int members, int most) ->
          "there would be %d workers, and %d are the most".formatted(members, most);
      case ResizeFault.TimedOut _ ->
          "the new workers have not all run within %d s".formatted(TIMEOUT.toSeconds());
      case ResizeFault.Untold _ -> "the job could not be told of its workers in time";
      case ResizeFault.MemberEnded(String name) -> name + " ended before all new workers ran";
      case ResizeFault.NodesLeaving(var names) ->
          "the nodes of %s will go".formatted(String.join(", ", names));
      case ResizeFault.GaveWay _ -> "gave way to workers that have to leave their nodes";
      case ResizeFault.Refused(String message) -> "the apiserver refuses its pods: " + message;
      case ResizeFault.ScriptFailed(String message) -> message;
      case ResizeFault.JobEnded _ -> "the job has ended";
      case ResizeFault.EarlierJob _ -> Ownership.LEFT;
    };
  }
}
