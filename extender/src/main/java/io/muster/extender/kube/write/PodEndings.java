package io.muster.extender.kube.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Ends pods with notice: the condition DisruptionTarget first, then a delete with the uid as
 * precondition, which keeps the grace period unless it is bounded. A Job counts each of its pods
 * that is deleted as failed, and fails itself after a few, unless it ignores disruptions: such a
 * pod is taken from its Job in between, as any controller lets go of a pod that its selector does
 * not match. Safe for concurrent use.
 */
public final class PodEndings {

  /** Kubernetes' own default, in seconds. */
  private static final long USUAL_GRACE = 30;

  private final ApiServer api;
  private final PodWrites pods;

  PodEndings(ApiServer api, PodWrites pods) {
    this.api = api;
    this.pods = pods;
  }

  /** Ends a member that may have started. */
  ApiReply evict(Effect.Evict evict) {
    return end(evict.pod(), evict.reason(), evict.sentence(), evict.longest(), _ -> true);
  }

  /** Ends a member so that its owner makes another; needless once it is on a node. */
  ApiReply remake(Effect.Remake remake) {
    return end(
        remake.pod(),
        "MusterRemake",
        remake.sentence(),
        Optional.empty(),
        pod -> !pod.at("/spec").hasNonNull("nodeName") && !controllerOf(pod).isMissingNode());
  }

  private ApiReply end(
      PodKey pod,
      String reason,
      String sentence,
      Optional<Duration> longest,
      Predicate<JsonNode> isMeant) {
    var reply = get(PodPaths.of(pod));
    if (!reply.isDone()) {
      return reply;
    }
    var found = reply.body();
    if (!found.at("/metadata/uid").asText().equals(pod.uid()) || !isMeant.test(found)) {
      return new ApiReply(404, found, "the pod is not to be ended");
    }
    var marked =
        pods.condition(
            pod, "DisruptionTarget", "True", reason, sentence, ApiRequest.Urgency.URGENT);
    if (!marked.isDone()) {
      return marked;
    }
    var owner = controllerOf(found);
    if (isJob(owner)) {
      var freed = freeIfCounted(pod, owner);
      if (!freed.isDone() && !freed.isNotFound()) {
        return freed;
      }
    }
    return api.sendPatiently(
        longest
            .filter(most -> grace(found) > most.toSeconds())
            .map(most ->
                ApiRequest.delete(PodPaths.of(pod), pod.uid(), most, ApiRequest.Urgency.URGENT))
            .orElseGet(
                () -> ApiRequest.delete(PodPaths.of(pod), pod.uid(), ApiRequest.Urgency.URGENT)),
        PodWrites.TRIES);
  }

  /** In seconds: the one that it has been deleted with, else the one that it states. */
  private static long grace(JsonNode pod) {
    var stated = pod.at("/spec/terminationGracePeriodSeconds").asLong(USUAL_GRACE);
    return pod.at("/metadata/deletionGracePeriodSeconds").asLong(stated);
  }

  /** Takes the pod from its Job, if that would count it as failed. */
  private ApiReply freeIfCounted(PodKey pod, JsonNode owner) {
    var job =
        get(
            "/apis/batch/v1/namespaces/%s/jobs/%s"
                .formatted(pod.namespace(), owner.path("name").asText()));
    var selected = job.body().at("/spec/selector/matchLabels");
    return job.isDone() && !selected.isEmpty() && !ignoresDisruptions(job.body())
        ? api.sendPatiently(freeing(pod, owner, selected), PodWrites.TRIES)
        : job;
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
        && owner.path("apiVersion").asText().startsWith("batch/");
  }

  /**
   * Takes the pod from its Job in one write. The owner that it gets instead exists nowhere, so that
   * garbage collection ends the pod even if nobody comes to delete it.
   */
  private static ApiRequest freeing(PodKey pod, JsonNode owner, JsonNode selected) {
    var labels = new HashMap<String, Object>();
    selected.fieldNames().forEachRemaining(label -> labels.put(label, null));
    var nobody =
        Map.of(
            "apiVersion", owner.path("apiVersion").asText(),
            "kind", owner.path("kind").asText(),
            "name", owner.path("name").asText(),
            "uid", "freed-" + pod.uid());
    return ApiRequest.urgent(
        ApiRequest.Verb.MERGE,
        PodPaths.of(pod),
        Map.of(
            "metadata",
            Map.of("uid", pod.uid(), "labels", labels, "ownerReferences", List.of(nobody))));
  }

  private static boolean ignoresDisruptions(JsonNode job) {
    for (var rule : job.at("/spec/podFailurePolicy/rules")) {
      if (rule.path("action").asText().equals("Ignore")) {
        for (var condition : rule.path("onPodConditions")) {
          if (condition.path("type").asText().equals("DisruptionTarget")) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private ApiReply get(String path) {
    return api.sendPatiently(
        ApiRequest.urgent(ApiRequest.Verb.GET, path, Map.of()), PodWrites.TRIES);
  }
}
