package io.muster.extender.kube.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Ends pods with notice: the condition DisruptionTarget first, then a delete with the uid as
 * precondition, which keeps the grace period unless it is bounded. A Job counts each of its pods
 * that is deleted as failed, and fails itself after a few, unless it ignores disruptions: such a
 * pod is taken from its Job in between, as any controller lets go of a pod that its selector does
 * not match. A member that is to be made anew ends only as it was read: one that was bound
 * meanwhile is left alone. Safe for concurrent use.
 */
public final class PodEndings {

  /** Kubernetes' own default, in seconds. */
  private static final long USUAL_GRACE = 30;

  /** How containers exit that a delete ends: by SIGTERM, and by SIGKILL after the grace period. */
  private static final Set<Integer> ENDED_BY_SIGNAL = Set.of(143, 137);

  /** One that changes all the time is read so often. */
  private static final int LOOKS = 5;

  /** Of a Job. Anything may stand in a pod as the name of its owner, and would be a path here. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private final ApiServer api;
  private final PodWrites pods;

  PodEndings(ApiServer api, PodWrites pods) {
    this.api = api;
    this.pods = pods;
  }

  /** Ends a member that may have started. */
  ApiReply evict(Effect.Evict evict) {
    return end(evict.pod(), evict.reason(), evict.sentence(), evict.longest(), false);
  }

  /** Ends a member so that its owner makes another; needless once it is on a node. */
  ApiReply remake(Effect.Remake remake) {
    var reply = remakeAsRead(remake);
    for (int look = 1; look < LOOKS && reply.isConflict(); look++) {
      reply = remakeAsRead(remake);
    }
    return reply;
  }

  private ApiReply remakeAsRead(Effect.Remake remake) {
    return end(remake.pod(), "MusterRemake", remake.sentence(), Optional.empty(), true);
  }

  /**
   * @param isRemade whether it ends only as it is read, without a node; a conflict if it changes
   */
  private ApiReply end(
      PodKey pod, String reason, String sentence, Optional<Duration> longest, boolean isRemade) {
    var reply = get(PodPaths.of(pod));
    if (!reply.isDone()) {
      return reply;
    }
    var found = reply.body();
    if (!found.at("/metadata/uid").asText().equals(pod.uid())
        || (isRemade && !isToBeRemade(found))) {
      return new ApiReply(404, found, "the pod is not to be ended");
    }
    var marked = pods.markDisrupted(pod, asIn(found, pod, isRemade), reason, sentence);
    if (!marked.isDone()) {
      return marked;
    }
    var meant = asIn(marked.body(), pod, isRemade);
    var owner = controllerOf(found);
    if (isJob(owner)) {
      var job = job(pod, owner);
      if (!job.isDone() && !job.isNotFound()) {
        return job;
      }
      if (counts(job)) {
        var freed = api.sendPatiently(freeing(pod, owner, job.body(), meant), PodWrites.TRIES);
        if (!freed.isDone() && !freed.isNotFound()) {
          return freed;
        }
        // Garbage collection ends it from now on, wherever it is.
        meant = asIn(freed.body(), pod, false);
      }
    }
    return delete(pod, meant, longest.filter(most -> grace(found) > most.toSeconds()));
  }

  private ApiReply delete(PodKey pod, Map<String, String> meant, Optional<Duration> grace) {
    return api.sendPatiently(
        ApiRequest.delete(PodPaths.of(pod), meant, grace, ApiRequest.Urgency.URGENT),
        PodWrites.TRIES);
  }

  private static boolean isToBeRemade(JsonNode pod) {
    return !pod.at("/spec").hasNonNull("nodeName") && !controllerOf(pod).isMissingNode();
  }

  /** The pod, or no other version of it than that one. */
  private static Map<String, String> asIn(JsonNode object, PodKey pod, boolean isThatVersion) {
    var version = object.at("/metadata/resourceVersion");
    return isThatVersion && version.isTextual()
        ? Map.of("uid", pod.uid(), "resourceVersion", version.asText())
        : Map.of("uid", pod.uid());
  }

  /** In seconds: the one that it has been deleted with, else the one that it states. */
  private static long grace(JsonNode pod) {
    var stated = pod.at("/spec/terminationGracePeriodSeconds").asLong(USUAL_GRACE);
    return pod.at("/metadata/deletionGracePeriodSeconds").asLong(stated);
  }

  private ApiReply job(PodKey pod, JsonNode owner) {
    return get(
        "/apis/batch/v1/namespaces/%s/jobs/%s"
            .formatted(pod.namespace(), owner.path("name").asText()));
  }

  /** Whether the Job would count such a pod as failed. */
  private static boolean counts(ApiReply job) {
    return job.isDone() && !selected(job.body()).isEmpty() && !ignoresDisruptions(job.body());
  }

  private static JsonNode selected(JsonNode job) {
    return job.at("/spec/selector/matchLabels");
  }

  private static JsonNode controllerOf(JsonNode pod) {
    for (var owner : pod.at("/metadata/ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return owner;
      }
    }
    return MissingNode.getInstance();
  }

  private static boolean isJob(JsonNode owner) {
    return owner.path("kind").asText().equals("Job")
        && owner.path("apiVersion").asText().startsWith("batch/")
        && NAME.matcher(owner.path("name").asText()).matches();
  }

  /**
   * Takes the pod from its Job in one write. The owner that it gets instead exists nowhere, so that
   * garbage collection ends the pod even if nobody comes to delete it.
   */
  private static ApiRequest freeing(
      PodKey pod, JsonNode owner, JsonNode job, Map<String, String> meant) {
    var labels = new HashMap<String, Object>();
    selected(job).fieldNames().forEachRemaining(label -> labels.put(label, null));
    if (job.at("/spec/podReplacementPolicy").asText().equals("Failed")) {
      labels.put(GangKeys.ENDS_FIRST, owner.path("uid").asText());
    }
    var nobody =
        Map.of(
            "apiVersion", owner.path("apiVersion").asText(),
            "kind", owner.path("kind").asText(),
            "name", owner.path("name").asText(),
            "uid", "freed-" + pod.uid());
    var metadata = new HashMap<String, Object>(meant);
    metadata.put("labels", labels);
    metadata.put("ownerReferences", List.of(nobody));
    return ApiRequest.urgent(ApiRequest.Verb.MERGE, PodPaths.of(pod), Map.of("metadata", metadata));
  }

  /** The first rule that matches decides: one before it may have the Job count or fail. */
  private static boolean ignoresDisruptions(JsonNode job) {
    for (var rule : job.at("/spec/podFailurePolicy/rules")) {
      boolean isIgnored = rule.path("action").asText().equals("Ignore");
      if (isForDisruptions(rule)) {
        return isIgnored;
      }
      if (!isIgnored && isForSignals(rule.path("onExitCodes"))) {
        return false;
      }
    }
    return false;
  }

  private static boolean isForDisruptions(JsonNode rule) {
    for (var condition : rule.path("onPodConditions")) {
      if (condition.path("type").asText().equals("DisruptionTarget")
          && condition.path("status").asText("True").equals("True")) {
        return true;
      }
    }
    return false;
  }

  /** Whether a container matches that ends by the signals which a delete sends. */
  private static boolean isForSignals(JsonNode exitCodes) {
    var listed = new HashSet<Integer>();
    exitCodes.path("values").forEach(code -> listed.add(code.asInt()));
    return switch (exitCodes.path("operator").asText()) {
      case "In" -> ENDED_BY_SIGNAL.stream().anyMatch(listed::contains);
      case "NotIn" -> !listed.containsAll(ENDED_BY_SIGNAL);
      default -> false;
    };
  }

  private ApiReply get(String path) {
    return api.sendPatiently(ApiRequest.get(path), PodWrites.TRIES);
  }
}
