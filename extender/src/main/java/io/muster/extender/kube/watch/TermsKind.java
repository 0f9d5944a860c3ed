package io.muster.extender.kube.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.dialect.ObjectReading;
import io.muster.extender.core.gang.dialect.ObjectReading.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the objects in which terms stand are served, and what they say. Total for any object,
 * whatever is missing in it.
 *
 * @param versions those that can be read, the best first
 */
public record TermsKind(TermsObject.Kind kind, List<String> versions, String plural) {

  /** On a LeaderWorkerSet: workers are made only once their leader has a node. */
  private static final String EXCLUSIVE_TOPOLOGY = "leaderworkerset.sigs.k8s.io/exclusive-topology";

  /** All that Muster reads, each where the cluster serves it. */
  static final List<TermsKind> ALL =
      Arrays.stream(TermsObject.Kind.values()).map(TermsKind::of).toList();

  public TermsKind {
    versions = List.copyOf(versions);
  }

  private static TermsKind of(TermsObject.Kind kind) {
    return switch (kind) {
      case PLUGINS_POD_GROUP, KOORDINATOR_POD_GROUP ->
          new TermsKind(kind, List.of("v1alpha1"), "podgroups");
      case VOLCANO_POD_GROUP -> new TermsKind(kind, List.of("v1beta1"), "podgroups");
      case KAI_POD_GROUP -> new TermsKind(kind, List.of("v2alpha2"), "podgroups");
      case NATIVE_POD_GROUP ->
          new TermsKind(kind, List.of("v1", "v1beta1", "v1alpha3", "v1alpha2"), "podgroups");
      case NATIVE_WORKLOAD -> new TermsKind(kind, List.of("v1alpha1"), "workloads");
      case JOB -> new TermsKind(kind, List.of("v1"), "jobs");
      case JOB_SET -> new TermsKind(kind, List.of("v1alpha2"), "jobsets");
      case PYTORCH_JOB -> new TermsKind(kind, List.of("v1"), "pytorchjobs");
      case MPI_JOB -> new TermsKind(kind, List.of("v2beta1", "v1"), "mpijobs");
      case RAY_CLUSTER -> new TermsKind(kind, List.of("v1"), "rayclusters");
      case LEADER_WORKER_SET -> new TermsKind(kind, List.of("v1"), "leaderworkersets");
    };
  }

  /**
   * What the object states, by the object that members point to; empty where it says that its pods
   * are no gang.
   */
  Map<TermsObject, Optional<Terms>> read(String namespace, String name, JsonNode tree) {
    var object = new TermsObject(kind, namespace, name);
    var spec = tree.path("spec");
    return switch (kind) {
      case PLUGINS_POD_GROUP, KOORDINATOR_POD_GROUP, VOLCANO_POD_GROUP, KAI_POD_GROUP ->
          Map.of(
              object,
              Optional.of(
                  ObjectReading.read(
                      object,
                      new Statement(
                          "spec.minMember",
                          text(spec.path("minMember")),
                          text(spec.path("scheduleTimeoutSeconds")),
                          integers(spec.path("minTaskMember")),
                          texts(tree.path("metadata").path("annotations")),
                          closeness(kind, spec)))));
      case NATIVE_POD_GROUP ->
          Map.of(object, ofPolicy(object, spec.path("schedulingPolicy"), closeness(kind, spec)));
      case NATIVE_WORKLOAD -> ofWorkload(object, spec);
      case JOB, JOB_SET, PYTORCH_JOB, MPI_JOB, RAY_CLUSTER ->
          Map.of(object, OwnerSize.of(kind, spec).map(size -> least(object, "spec", size)));
      case LEADER_WORKER_SET ->
          // Of each of its groups: how many there are anybody may write.
          Map.of(
              object,
              tree.path("metadata").path("annotations").has(EXCLUSIVE_TOPOLOGY)
                  ? Optional.empty()
                  : OwnerSize.of(kind, spec)
                      .map(size -> least(object, "spec.leaderWorkerTemplate.size", size)));
    };
  }

  /** The cluster binds the pods of many groups to nothing. */
  private static Optional<Terms> ofPolicy(
      TermsObject object, JsonNode policy, Map<String, String> closeness) {
    return text(policy.path("gang").path("minCount"))
        .map(count ->
            ObjectReading.read(
                object,
                new Statement(
                    "gang.minCount",
                    Optional.of(count),
                    Optional.empty(),
                    Map.of(),
                    Map.of(),
                    closeness)));
  }

  /** The cluster's own groups name one level at most. */
  private static Map<String, String> closeness(TermsObject.Kind kind, JsonNode spec) {
    return switch (kind) {
      case VOLCANO_POD_GROUP -> texts(spec.path("networkTopology"));
      case KAI_POD_GROUP -> texts(spec.path("topologyConstraint"));
      case NATIVE_POD_GROUP -> texts(spec.path("schedulingConstraints").path("topology").path(0));
      default -> Map.of();
    };
  }

  private static Map<TermsObject, Optional<Terms>> ofWorkload(TermsObject workload, JsonNode spec) {
    var terms = new HashMap<TermsObject, Optional<Terms>>();
    for (var group : spec.path("podGroups")) {
      var object =
          new TermsObject(
              workload.kind(),
              workload.namespace(),
              workload.name() + "/" + group.path("name").asText());
      terms.put(object, ofPolicy(object, group.path("policy"), Map.of()));
    }
    return terms;
  }

  private static Terms least(TermsObject object, String field, long size) {
    return ObjectReading.read(object, new Statement(field, Long.toString(size)));
  }

  private static Optional<String> text(JsonNode value) {
    return value.isValueNode() && !value.isNull() ? Optional.of(value.asText()) : Optional.empty();
  }

  private static Map<String, Integer> integers(JsonNode object) {
    var integers = new HashMap<String, Integer>();
    object.properties().stream()
        .filter(entry -> entry.getValue().isInt())
        .forEach(entry -> integers.put(entry.getKey(), entry.getValue().asInt()));
    return integers;
  }

  private static Map<String, String> texts(JsonNode object) {
    var texts = new HashMap<String, String>();
    object
        .properties()
        .forEach(entry -> text(entry.getValue()).ifPresent(it -> texts.put(entry.getKey(), it)));
    return texts;
  }
}
