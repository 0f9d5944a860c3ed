package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Objects of every kind with the largest number in one field each, beside gangs and jobs that mean
 * no harm. The fields are those that the CRDs have.
 */
@ExtendWith(SandboxExtension.class)
final class HostileJobsIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final List<JsonNode> NUMBERS =
      List.of(
          JSON.numberNode(Integer.MAX_VALUE),
          JSON.numberNode(Long.MAX_VALUE),
          JSON.numberNode(Long.MIN_VALUE));
  private static final List<JsonNode> QUANTITIES =
      List.of(JSON.textNode("9223372036854775807E"), JSON.textNode("1e9999"), JSON.textNode(""));

  /** A pod for the nodes of those who are given. */
  private static final String TEMPLATE =
      "{spec: {nodeSelector: SELECTOR, containers: [{name: main, image: any}]}}";

  private static final List<String> GOOD =
      List.of(
          """
          apiVersion: kai.alibabacloud.com/v1alpha1
          kind: TrainingJob
          spec: {etReplicaSpecs: {launcher: {template: TEMPLATE}, worker: {replicas: 1, template: TEMPLATE}}}
          """,
          """
          apiVersion: elastic.iml.github.io/v1alpha1
          kind: ElasticJob
          metadata: {annotations: {muster.io/dlrover-mode: builtin}}
          spec: {distributionStrategy: AllreduceStrategy, replicaSpecs: {worker: {replicas: 1, template: TEMPLATE}}}
          """,
          """
          apiVersion: diengine.opendilab.org/v2alpha1
          kind: DIJob
          spec: {tasks: [{type: learner, replicas: 1, template: TEMPLATE}]}
          """,
          """
          apiVersion: paddlepaddle.org/v1
          kind: TrainingJob
          spec: {nodeSelector: SELECTOR, trainer: {entrypoint: train, min-instance: 1, max-instance: 1}}
          """);

  private static final List<String> REQUESTS =
      List.of(
          """
          apiVersion: kai.alibabacloud.com/v1alpha1
          kind: ScaleIn
          spec: {selector: {name: GOOD}, toDelete: {count: 1}}
          """,
          """
          apiVersion: kai.alibabacloud.com/v1alpha1
          kind: ScaleOut
          spec: {selector: {name: GOOD}, toAdd: {count: 1}}
          """,
          """
          apiVersion: elastic.iml.github.io/v1alpha1
          kind: ScalePlan
          spec: {ownerJob: GOOD}
          """,
          """
          apiVersion: diengine.opendilab.org/v1alpha1
          kind: AggregatorConfig
          spec: {aggregator: {template: TEMPLATE}}
          """,
          """
          apiVersion: muster.io/v1alpha1
          kind: Gang
          spec: {gangName: hostile, dialect: muster, minAvailable: 1}
          """);

  /** One field with one value that somebody means harm by. */
  private record Hostile(JsonNode object, String path) {}

  @Test
  void theLargestNumbersInEveryFieldDisturbNobody(Sandbox sandbox, TestSpace space)
      throws IOException {
    space.nodes(12, NodeShape.GPU1);
    var muster = sandbox.muster().orElseThrow();
    long pid = muster.pid();
    int logged = Files.readAllLines(muster.log()).size();
    var hostile =
        Stream.concat(GOOD.stream(), REQUESTS.stream()).flatMap(HostileJobsIT::all).toList();
    var gangs = new ArrayList<GangManifest>();
    var stored = new ArrayList<GenericKubernetesResource>();
    var unnamed = new ArrayList<String>();

    for (int i = 0; i < hostile.size(); i++) {
      if (i % Math.max(1, hostile.size() / 3) == 0 && gangs.size() < 3) {
        gangs.add(GangManifest.of(space, "load-" + gangs.size(), 4));
        gangs.getLast().create();
      }
      try {
        stored.add(create(space, hostile.get(i).object(), "hostile-" + i));
      } catch (KubernetesClientException e) {
        var field = hostile.get(i).path().replaceAll(".*\\.|\\[0]$", "");
        if (e.getCode() != 422 || !e.getMessage().contains(field)) {
          unnamed.add(hostile.get(i).path() + ": " + e.getMessage());
        }
      }
    }
    for (int i = 0; i < GOOD.size(); i++) {
      create(space, filled(GOOD.get(i), Serialization.asJson(space.nodeSelector())), "good-" + i);
    }

    assertThat(hostile).hasSizeGreaterThan(60);
    assertThat(unnamed).as("refused without the field").isEmpty();
    for (var gang : gangs) {
      Await.until("a gang to run", SOON, () -> gang.running() == 4);
    }
    for (int i = 0; i < GOOD.size(); i++) {
      var name = "good-" + i;
      Await.until("pods of " + name, SOON, () -> runs(space, name));
    }
    for (var object : stored) {
      if (GOOD.stream().anyMatch(job -> job.contains("kind: " + object.getKind() + "\n"))) {
        Await.until(
            object.getMetadata().getName() + " to be taken up", SOON, () -> isTold(space, object));
      }
    }
    assertThat(muster.isAlive()).isTrue();
    assertThat(muster.pid()).isEqualTo(pid);
    assertThat(
            Files.readAllLines(muster.log()).stream()
                .skip(logged)
                .filter(line -> line.contains("ERROR")))
        .isEmpty();
  }

  /** As from a definition of another maker, which says little about its fields. */
  @Test
  void anObjectThatCannotBeReadStopsItsOwnKindAlone(Sandbox sandbox, TestSpace space) {
    space.nodes(12, NodeShape.GPU1);
    var muster = sandbox.muster().orElseThrow();
    long pid = muster.pid();
    var selector = Serialization.asJson(space.nodeSelector());
    var definition =
        space
            .client()
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .withName("trainingjobs.paddlepaddle.org");
    var before = definition.get();
    definition.edit(HostileJobsIT::withoutSchema);
    try {
      var job = filled(GOOD.getLast(), selector);
      var unreadable = job.<ObjectNode>deepCopy();
      unreadable.withObject("/spec").put("passes", "many");
      // The API server takes the other definition up a moment later.
      Await.until("an object that nobody can read", SOON, () -> isCreated(space, unreadable));
      for (int i = 0; i < GOOD.size() - 1; i++) {
        create(space, filled(GOOD.get(i), selector), "other-" + i);
      }
      for (int i = 0; i < GOOD.size() - 1; i++) {
        var name = "other-" + i;
        Await.until("pods of " + name, SOON, () -> runs(space, name));
      }
      assertThat(muster.pid()).isEqualTo(pid);
      muster.kill();
      muster.start();
      create(space, filled(GOOD.getFirst(), selector), "again");
      Await.until("pods of a job after a start", SOON, () -> runs(space, "again"));
      space.client().resource(named(space, job, "unreadable")).delete();
      create(space, job, "later");
      Await.until("the kind to be looked after again", SOON, () -> runs(space, "later"));
    } finally {
      definition.edit(
          now -> new CustomResourceDefinitionBuilder(now).withSpec(before.getSpec()).build());
    }
    assertThat(muster.isAlive()).isTrue();
  }

  /** Templates that were copied from the pods of an earlier generation may have them. */
  @Test
  void aPodWithTheLabelsOfBothGenerationsIsOnePod(TestSpace space) {
    space.nodes(1, NodeShape.CPU);
    var template =
        "{metadata: {labels: {dijob-name: both}}, spec: {nodeSelector: SELECTOR, containers:"
            + " [{name: main, image: any, resources: {limits: {nvidia.com/gpu: 1}}}]}}";
    var selector = Serialization.asJson(space.nodeSelector());
    var job = filled(GOOD.get(2).replace("TEMPLATE", template), selector);
    create(space, job, "both");
    Await.until("a pod that waits", SOON, () -> pods(space) == 1);
    var change = "[{\"op\":\"replace\",\"path\":\"/spec/tasks/0/replicas\",\"value\":3}]";
    space
        .sandbox()
        .kubectl("patch", "dijob", "both", "-n", space.namespace(), "--type=json", "-p", change);
    Await.until("the others", SOON, () -> pods(space) == 3);
  }

  private static int pods(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().size();
  }

  private static CustomResourceDefinition withoutSchema(CustomResourceDefinition definition) {
    var anything =
        new JSONSchemaPropsBuilder()
            .withType("object")
            .withXKubernetesPreserveUnknownFields(true)
            .build();
    definition
        .getSpec()
        .getVersions()
        .forEach(version -> version.getSchema().setOpenAPIV3Schema(anything));
    return definition;
  }

  private static boolean isCreated(TestSpace space, JsonNode object) {
    try {
      create(space, object, "unreadable");
      return true;
    } catch (KubernetesClientException _) {
      return false;
    }
  }

  private static boolean runs(TestSpace space, String name) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .filter(pod -> pod.getMetadata().getName().startsWith(name + "-"))
        .anyMatch(HostileJobsIT::isRunning);
  }

  private static boolean isRunning(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase());
  }

  /** Whoever asks sees how it stands: it has failed with a reason, or is being run. */
  private static boolean isTold(TestSpace space, GenericKubernetesResource object) {
    Map<?, ?> status = space.client().resource(object).get().get("status");
    return status != null && status.get("phase") != null;
  }

  private static GenericKubernetesResource create(TestSpace space, JsonNode object, String name) {
    return space.client().resource(named(space, object, name)).create();
  }

  private static GenericKubernetesResource named(TestSpace space, JsonNode object, String name) {
    ObjectNode named = object.deepCopy();
    named.withObject("/metadata").put("name", name).put("namespace", space.namespace());
    return Serialization.unmarshal(named.toString(), GenericKubernetesResource.class);
  }

  /** No node has what their pods ask for. */
  private static Stream<Hostile> all(String good) {
    var object = filled(good, "{hostile: \"true\"}");
    var found = new ArrayList<Hostile>();
    walk(schema(object).path("properties").path("spec"), "/spec", object, found);
    return found.stream();
  }

  private static JsonNode filled(String text, String selector) {
    return Serialization.unmarshal(
        "---\n"
            + text.replace("TEMPLATE", TEMPLATE)
                .replace("SELECTOR", selector)
                .replace("GOOD", "good-0"),
        JsonNode.class);
  }

  private static JsonNode schema(JsonNode object) {
    var parts = List.of(object.path("apiVersion").asText().split("/", -1));
    var crds = Layout.current().deploy().resolve("crds");
    try (var files = Files.list(crds)) {
      for (var file : files.toList()) {
        var crd = Serialization.unmarshal(Files.readString(file), JsonNode.class).path("spec");
        if (crd.path("group").asText().equals(parts.getFirst())
            && crd.path("names").path("kind").equals(object.path("kind"))) {
          for (var version : crd.path("versions")) {
            if (version.path("name").asText().equals(parts.getLast())) {
              return version.path("schema").path("openAPIV3Schema");
            }
          }
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalArgumentException("no CRD of " + object);
  }

  private static void walk(JsonNode schema, String path, JsonNode good, List<Hostile> found) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      QUANTITIES.forEach(value -> found.add(with(good, path, value)));
    } else if (schema.path("type").asText().matches("integer|number")) {
      NUMBERS.forEach(value -> found.add(with(good, path, value)));
    }
    schema
        .path("properties")
        .properties()
        .forEach(field -> walk(field.getValue(), path + "/" + field.getKey(), good, found));
    if (schema.has("items")) {
      walk(schema.path("items"), path + "/0", good, found);
    }
    if (schema.path("additionalProperties").isObject()) {
      var key = path.endsWith("limits") || path.endsWith("requests") ? "cpu" : "worker";
      walk(schema.path("additionalProperties"), path + "/" + key, good, found);
    }
  }

  /** The value in that place, with what leads there made where the good object lacks it. */
  private static Hostile with(JsonNode good, String path, JsonNode value) {
    JsonNode root = good.deepCopy();
    var at = root;
    var steps = path.substring(1).split("/", -1);
    for (int i = 0; i < steps.length - 1; i++) {
      var step = steps[i];
      var next = steps[i + 1].equals("0") ? JSON.arrayNode() : JSON.objectNode();
      if (at instanceof ArrayNode array) {
        if (array.isEmpty()) {
          array.add(next);
        }
        at = array.get(0);
      } else {
        if (!at.path(step).isContainerNode()) {
          ((ObjectNode) at).set(step, next);
        }
        at = at.path(step);
      }
    }
    if (at instanceof ArrayNode array) {
      array.removeAll().add(value);
    } else {
      ((ObjectNode) at).set(steps[steps.length - 1], value);
    }
    return new Hostile(root, String.join(".", steps));
  }
}
