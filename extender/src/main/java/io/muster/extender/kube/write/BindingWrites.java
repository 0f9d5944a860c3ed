package io.muster.extender.kube.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes Bindings. Repeating one that has worked is harmless: the apiserver's refusal is followed
 * by reading the pod. Safe for concurrent use.
 */
public final class BindingWrites {

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ApiServer api;

  BindingWrites(ApiServer api) {
    this.api = api;
  }

  BindingOutcome bind(Effect.Bind bind) {
    var request =
        ApiRequest.urgent(ApiRequest.Verb.CREATE, PodPaths.binding(bind.pod()), bodyOf(bind));
    var reply = api.send(request);
    if (reply.isTransient()) {
      api.pause(PAUSE);
      // A second full timeout would outlast the burst.
      reply = api.send(request, api.requestTimeout().dividedBy(2));
    }
    if (reply.isDone()) {
      return new BindingOutcome.Bound();
    }
    if (reply.isNotFound()) {
      return new BindingOutcome.Lost("the pod is gone");
    }
    return reply.isConflict()
        ? inspect(bind.pod(), bind.node(), reply.message())
        : failed(reply, reply.message());
  }

  private static Map<String, ?> bodyOf(Effect.Bind bind) {
    var pod = bind.pod();
    var annotations = new HashMap<>(PodWrites.annotations(bind.location()));
    if (bind.incarnation() > 0) {
      annotations.put(GangKeys.INCARNATION, Long.toString(bind.incarnation()));
    }
    if (bind.controlled()) {
      annotations.put(GangKeys.CONTROLLED, "true");
    }
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "Binding",
        "metadata",
        Map.of(
            "name",
            pod.name(),
            "namespace",
            pod.namespace(),
            "uid",
            pod.uid(),
            "annotations",
            annotations),
        "target",
        Map.of("apiVersion", "v1", "kind", "Node", "name", bind.node()));
  }

  /** A conflict means: assigned, being deleted, gated, or another pod by that name. */
  private BindingOutcome inspect(PodKey pod, String node, String conflict) {
    var reply = api.send(ApiRequest.get(PodPaths.of(pod)));
    if (reply.isNotFound()) {
      return new BindingOutcome.Lost("the pod is gone");
    }
    return reply.isDone() ? judge(reply.body(), pod, node, conflict) : failed(reply, conflict);
  }

  private static BindingOutcome failed(ApiReply reply, String message) {
    return reply.saysNothing()
        ? new BindingOutcome.Unanswered(message)
        : new BindingOutcome.Refused(message);
  }

  private static BindingOutcome judge(JsonNode found, PodKey pod, String node, String conflict) {
    var metadata = found.path("metadata");
    var assigned = found.path("spec").path("nodeName").asText("");
    if (!metadata.path("uid").asText("").equals(pod.uid())) {
      return new BindingOutcome.Lost("another pod has taken the name");
    }
    if (assigned.equals(node)) {
      return new BindingOutcome.Bound();
    }
    if (metadata.hasNonNull("deletionTimestamp")) {
      return new BindingOutcome.Lost("the pod is being deleted");
    }
    if (!assigned.isEmpty()) {
      return new BindingOutcome.Lost("the pod is on node " + assigned);
    }
    return new BindingOutcome.Refused(conflict);
  }
}
