package io.muster.jobs;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.TestSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Training jobs and scalers in the namespace of a test. Confined to the test's thread. */
final class KindObjects {

  static final String GROUP = "kai.alibabacloud.com";
  static final String API_VERSION = GROUP + "/v1alpha1";
  static final String DLROVER = "elastic.iml.github.io/v1alpha1";
  static final String DI_ENGINE = "diengine.opendilab.org/";
  static final String PADDLE = "paddlepaddle.org/v1";
  static final List<String> PLURALS = List.of("trainingjobs", "scaleins", "scaleouts");

  private final TestSpace space;

  KindObjects(TestSpace space) {
    this.space = space;
  }

  /** As an administrator puts the CRDs into a cluster, whatever is there before. */
  static void install(Sandbox sandbox) {
    var crds = Layout.current().deploy().resolve("crds");
    sandbox.kubectl("apply", "--server-side", "--force-conflicts", "-f", crds.toString());
    for (var plural : PLURALS) {
      sandbox.kubectl(
          "wait", "--for=condition=Established", "--timeout=20s", "crd", plural + "." + GROUP);
    }
    for (var name :
        List.of(
            "elasticjobs.elastic.iml.github.io",
            "scaleplans.elastic.iml.github.io",
            "dijobs.diengine.opendilab.org",
            "aggregatorconfigs.diengine.opendilab.org",
            "trainingjobs.paddlepaddle.org")) {
      sandbox.kubectl("wait", "--for=condition=Established", "--timeout=20s", "crd", name);
    }
  }

  static Map<String, Object> scaleIn(int count) {
    return Map.of(
        "selector", Map.of("name", "elastic-training"), "toDelete", Map.of("count", count));
  }

  static Map<String, Object> scaleOut(int count) {
    return Map.of("selector", Map.of("name", "elastic-training"), "toAdd", Map.of("count", count));
  }

  /** As written: unknown fields and wrong values go to the API server. A null spec is left out. */
  GenericKubernetesResource create(String kind, String name, Map<String, Object> spec) {
    return create(kind, name, Map.of(), spec);
  }

  GenericKubernetesResource create(
      String kind, String name, Map<String, String> annotations, Map<String, Object> spec) {
    return create(apiVersion(kind), kind, name, annotations, spec);
  }

  static String apiVersion(String kind) {
    return switch (kind) {
      case "ElasticJob", "ScalePlan" -> DLROVER;
      case "DIJob" -> DI_ENGINE + "v2alpha1";
      case "AggregatorConfig" -> DI_ENGINE + "v1alpha1";
      default -> API_VERSION;
    };
  }

  GenericKubernetesResource create(
      String apiVersion,
      String kind,
      String name,
      Map<String, String> annotations,
      Map<String, Object> spec) {
    var object =
        new GenericKubernetesResourceBuilder()
            .withApiVersion(apiVersion)
            .withKind(kind)
            .withNewMetadata()
            .withName(name)
            .withNamespace(space.namespace())
            .withAnnotations(annotations)
            .endMetadata()
            .build();
    if (spec != null) {
      object.setAdditionalProperty("spec", spec);
    }
    return space.client().resource(object).create();
  }

  /** Another spec for what was made. */
  void change(GenericKubernetesResource made, Map<String, Object> spec) {
    made.setAdditionalProperty("spec", spec);
    space.client().resource(made).update();
  }

  /** The example in the namespace of the test instead of its own. */
  void createExample(String file) {
    var path = Layout.current().deploy().resolveSibling(file);
    var object =
        space.sandbox().kubectl("create", "--dry-run=client", "-o", "json", "-f", path.toString());
    var made = Serialization.unmarshal(object, GenericKubernetesResource.class);
    made.getMetadata().setNamespace(space.namespace());
    space.client().resource(made).create();
  }

  /** Writes these fields of the status and leaves the others. */
  void status(String plural, String name, Map<String, Object> status) {
    kubectl(
        "patch",
        plural,
        name,
        "--subresource=status",
        "--type=merge",
        "-p",
        Serialization.asJson(Map.of("status", status)));
  }

  String text(String plural, String name, String path) {
    return kubectl("get", plural, name, "-o", "jsonpath=" + path);
  }

  Map<?, ?> json(String plural, String name, String path) {
    return Serialization.unmarshal(text(plural, name, path), Map.class);
  }

  /** The scale subresource, as an autoscaler reads it. */
  String scale(String name) {
    return space
        .sandbox()
        .kubectl(
            "get",
            "--raw",
            "/apis/%s/namespaces/%s/trainingjobs/%s/scale"
                .formatted(API_VERSION, space.namespace(), name));
  }

  String kubectl(String... arguments) {
    var line = new ArrayList<>(List.of(arguments));
    line.add("-n");
    line.add(space.namespace());
    return space.sandbox().kubectl(line.toArray(String[]::new));
  }
}
