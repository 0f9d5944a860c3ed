package io.muster.extender.kube;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import java.util.Map;

/**
 * Ends pods with notice: the condition DisruptionTarget first, then a delete with the uid as
 * precondition, which keeps the grace period. Safe for concurrent use.
 */
final class PodEndings {

  private final ApiServer api;
  private final PodWrites pods;

  PodEndings(ApiServer api, PodWrites pods) {
    this.api = api;
    this.pods = pods;
  }

  ApiReply evict(Effect.Evict evict) {
    return end(evict.pod(), "MusterUndo", evict.sentence());
  }

  /** Ends a member that has not started; needless where its owner would count that as a failure. */
  ApiReply remake(Effect.Remake remake) {
    var pod = get(PodPaths.of(remake.pod()));
    if (!pod.isDone()) {
      return pod;
    }
    var found = pod.body();
    boolean isIt = found.at("/metadata/uid").asText().equals(remake.pod().uid());
    if (!isIt || found.at("/spec").hasNonNull("nodeName") || countsAsFailure(remake.pod(), found)) {
      return new ApiReply(404, found, "the pod is not to be made anew");
    }
    return end(remake.pod(), "MusterRemake", remake.sentence());
  }

  /** A Job counts a deleted pod as failed unless it is told to ignore disruptions. */
  private boolean countsAsFailure(PodKey pod, JsonNode found) {
    for (var owner : found.at("/metadata/ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return owner.path("kind").asText().equals("Job")
            && owner.path("apiVersion").asText().startsWith("batch/")
            && !ignoresDisruptions(
                get(
                    "/apis/batch/v1/namespaces/%s/jobs/%s"
                        .formatted(pod.namespace(), owner.path("name").asText())));
      }
    }
    return true;
  }

  private static boolean ignoresDisruptions(ApiReply job) {
    for (var rule : job.body().at("/spec/podFailurePolicy/rules")) {
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
        ApiRequest.leisurely(ApiRequest.Verb.GET, path, Map.of()), PodWrites.TRIES);
  }

  private ApiReply end(PodKey pod, String reason, String sentence) {
    var marked = pods.condition(pod, "DisruptionTarget", "True", reason, sentence);
    if (!marked.isDone()) {
      return marked;
    }
    return api.sendPatiently(
        ApiRequest.delete(PodPaths.of(pod), pod.uid(), ApiRequest.Urgency.URGENT), PodWrites.TRIES);
  }
}
