package io.muster.extender.kube.write;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.kube.Sentences;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes to pods that are not Bindings, each with the pod's uid as precondition. Safe for
 * concurrent use.
 */
public final class PodWrites {

  /** Carries the turn of the last wake, so that each wake is a change. */
  static final String WAKE = "muster.io/wake";

  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

  private static final String PINNED_PATH = path(GangKeys.PINNED);
  private static final String CONTROLLED_PATH = path(GangKeys.CONTROLLED);

  private static final Map<String, ?> WITHOUT_GATE =
      Map.of("schedulingGates", List.of(Map.of("$patch", "delete", "name", Pod.GATE)));

  private static final Demand UNBOUND = new Demand(Resources.NONE, Map.of(), List.of(), List.of());

  /** How often a write to a pod is sent while the apiserver is out of reach. */
  static final int TRIES = 5;

  private final ApiServer api;
  private final InstantSource clock;

  private static String path(String annotation) {
    return "/metadata/annotations/" + annotation.replace("/", "~1");
  }

  PodWrites(ApiServer api, InstantSource clock) {
    this.api = api;
    this.clock = clock;
  }

  /**
   * A JSON patch costs the apiserver a seventh less than a strategic merge, but says at which place
   * each thing stands. Where Muster's gate is not the first, or the pod has affinity after all, the
   * merge follows; where its affinity is known, the merge is all that is sent.
   */
  ApiReply ungate(Effect.Ungate ungate) {
    if (ungate.hasAffinity() && ungate.pin().isPresent()) {
      return merge(ungate);
    }
    var reply =
        api.sendPatiently(
            ApiRequest.urgent(ApiRequest.Verb.JSON_PATCH, PodPaths.of(ungate.pod()), steps(ungate)),
            TRIES);
    return reply.saysOtherwise() ? merge(ungate) : reply;
  }

  /** A step of a JSON patch, RFC 6902; a test for null holds where there is nothing. */
  private record Step(String op, String path, Object value) {

    static Step test(String path, Object value) {
      return new Step("test", path, value);
    }

    static Step add(String path, Object value) {
      return new Step("add", path, value);
    }
  }

  private static List<Step> steps(Effect.Ungate ungate) {
    var steps = new ArrayList<Step>();
    // Another uid is a conflict.
    steps.add(new Step("replace", "/metadata/uid", ungate.pod().uid()));
    steps.add(Step.test("/spec/schedulingGates/0/name", Pod.GATE));
    steps.add(new Step("remove", "/spec/schedulingGates/0", null));
    ungate
        .pin()
        .ifPresent(pin -> {
          steps.add(Step.add(PINNED_PATH, pin.text()));
          steps.add(Step.test("/spec/affinity", null));
          steps.add(Step.add("/spec/affinity", affinity(pin.tie(UNBOUND).anyOfTerms())));
        });
    if (ungate.controlled()) {
      steps.add(Step.add(CONTROLLED_PATH, "true"));
    }
    annotations(ungate.location()).forEach((key, value) -> steps.add(Step.add(path(key), value)));
    return steps;
  }

  private ApiReply merge(Effect.Ungate ungate) {
    var annotations = stamp(ungate.controlled(), ungate.location());
    var spec = new HashMap<String, Object>(WITHOUT_GATE);
    ungate
        .pin()
        .ifPresent(pin -> {
          annotations.put(GangKeys.PINNED, pin.text());
          spec.put("affinity", affinity(pin.tie(UNBOUND).anyOfTerms()));
        });
    return patch(
        PodPaths.of(ungate.pod()),
        Map.of(
            "metadata",
            Map.of("uid", ungate.pod().uid(), "annotations", annotations),
            "spec",
            spec),
        ApiRequest.Urgency.URGENT);
  }

  private static Map<String, String> stamp(boolean controlled, Effect.Location location) {
    var stamp = new HashMap<>(annotations(location));
    if (controlled) {
      stamp.put(GangKeys.CONTROLLED, "true");
    }
    return stamp;
  }

  /** What a member is told of where it is. */
  static Map<String, String> annotations(Effect.Location location) {
    var annotations = new HashMap<String, String>();
    location.segment().ifPresent(number -> annotations.put(GangKeys.SEGMENT, number.toString()));
    location.domain().ifPresent(domain -> annotations.put(GangKeys.DOMAIN, domain));
    return annotations;
  }

  /** Not tried for longer than a Binding is: another process may lead by then. */
  ApiReply release(Effect.Release release) {
    var spec = new HashMap<String, Object>(WITHOUT_GATE);
    spec.put("affinity", affinity(release.terms()));
    var annotations = stamp(release.controlled(), release.location());
    annotations.put(GangKeys.PINNED, release.pin().text());
    annotations.put(GangKeys.INCARNATION, Long.toString(release.incarnation()));
    return api.sendPatiently(
        ApiRequest.urgent(
            ApiRequest.Verb.STRATEGIC_MERGE,
            PodPaths.of(release.pod()),
            Map.of(
                "metadata",
                Map.of("uid", release.pod().uid(), "annotations", annotations),
                "spec",
                spec)),
        2);
  }

  /** The whole list: the API takes it as one value, and only narrower terms of a gated pod. */
  private static Map<String, ?> affinity(List<NodeTerm> terms) {
    var written = terms.stream().map(PodWrites::written).toList();
    return Map.of("nodeAffinity", Map.of(REQUIRED, Map.of("nodeSelectorTerms", written)));
  }

  private static Map<String, ?> written(NodeTerm term) {
    var parts = new HashMap<String, Object>();
    if (!term.labels().isEmpty()) {
      parts.put("matchExpressions", term.labels().stream().map(PodWrites::written).toList());
    }
    if (!term.fields().isEmpty()) {
      parts.put("matchFields", term.fields().stream().map(PodWrites::written).toList());
    }
    return parts;
  }

  private static Map<String, ?> written(Requirement requirement) {
    var parts = new HashMap<String, Object>();
    parts.put("key", requirement.key());
    parts.put("operator", requirement.operator().apiName());
    if (!requirement.values().isEmpty()) {
      parts.put("values", List.copyOf(requirement.values()));
    }
    return parts;
  }

  ApiReply wake(Effect.Wake wake) {
    return api.sendPatiently(
        ApiRequest.urgent(
            ApiRequest.Verb.MERGE,
            PodPaths.of(wake.pod()),
            Map.of(
                "metadata",
                Map.of(
                    "uid",
                    wake.pod().uid(),
                    "annotations",
                    Map.of(WAKE, Long.toString(wake.turn()))))),
        TRIES);
  }

  /** Makes a gated pod look as one that kube-scheduler found no room for, or no more so. */
  ApiReply show(Effect.Show show) {
    var reason = show.unschedulable() ? "Unschedulable" : "SchedulingGated";
    return patch(
        PodPaths.status(show.pod()),
        status(
            Map.of("uid", show.pod().uid()),
            condition("PodScheduled", "False", reason, show.sentence())),
        ApiRequest.Urgency.LEISURELY);
  }

  /**
   * Gives notice that the pod ends.
   *
   * @param metadata what the pod is to have
   */
  ApiReply markDisrupted(PodKey pod, Map<String, String> metadata, String reason, String sentence) {
    return patch(
        PodPaths.status(pod),
        status(metadata, condition("DisruptionTarget", "True", reason, sentence)),
        ApiRequest.Urgency.URGENT);
  }

  private static Map<String, ?> status(Map<String, String> metadata, Map<String, ?> condition) {
    return Map.of("metadata", metadata, "status", Map.of("conditions", List.of(condition)));
  }

  private Map<String, ?> condition(String type, String status, String reason, String sentence) {
    return Map.of(
        "type",
        type,
        "status",
        status,
        "reason",
        reason,
        "message",
        Sentences.cut(sentence),
        "lastTransitionTime",
        Sentences.second(clock.instant()));
  }

  private ApiReply patch(String path, Map<String, ?> body, ApiRequest.Urgency urgency) {
    return api.sendPatiently(
        new ApiRequest(ApiRequest.Verb.STRATEGIC_MERGE, path, body, urgency), TRIES);
  }
}
