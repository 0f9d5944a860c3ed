package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.type.TypeReference;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One row of a group's {@code faults.yml}: a manifest with one fault, and what is said of it.
 *
 * @param group the folder of its table
 * @param version of the apiVersion; null: the kind's only or newest one
 * @param later what the object is changed to, if that is what is refused
 * @param served whether only creation is refused, and what is there is served
 * @param instead what is used in place of a bad value; null: the object cannot be served
 */
record FaultCase(
    String group,
    String rule,
    String kind,
    String version,
    String name,
    Map<String, String> annotations,
    Map<String, Object> spec,
    Map<String, Object> later,
    boolean served,
    String field,
    String text,
    String admission,
    String instead) {

  /** The groups, by the folders of their tables. */
  private static final Map<String, String> GROUPS =
      Map.of(
          "etoperator", "kai.alibabacloud.com/",
          "dlrover", "elastic.iml.github.io/",
          "di-orchestrator", "diengine.opendilab.org/",
          "paddle-edl", "paddlepaddle.org/");

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record File(List<FaultCase> cases) {}

  static List<FaultCase> all() throws IOException {
    var all = new ArrayList<FaultCase>();
    for (var group : GROUPS.keySet()) {
      all.addAll(of(group));
    }
    return all;
  }

  private static List<FaultCase> of(String group) throws IOException {
    var file = Path.of("src/test/resources", group, "faults.yml");
    return Serialization.unmarshal(Files.readString(file), new TypeReference<File>() {})
        .cases()
        .stream()
        .map(one -> one.in(group))
        .toList();
  }

  private FaultCase in(String folder) {
    return new FaultCase(
        folder,
        rule,
        kind,
        version,
        name,
        annotations,
        spec,
        later,
        served,
        field,
        text,
        admission,
        instead);
  }

  GenericKubernetesResource stored() {
    var object = new HashMap<String, Object>();
    var newest =
        switch (kind + " of " + group) {
          case "DIJob of di-orchestrator" -> "v2alpha1";
          case "TrainingJob of paddle-edl" -> "v1";
          default -> "v1alpha1";
        };
    object.put("apiVersion", GROUPS.get(group) + Objects.requireNonNullElse(version, newest));
    object.put("kind", kind);
    object.put(
        "metadata",
        Map.of(
            "name", Objects.requireNonNullElse(name, "elastic-training"),
            "annotations", Objects.requireNonNullElse(annotations, Map.of())));
    if (spec != null) {
      object.put("spec", spec);
    }
    return Serialization.unmarshal(Serialization.asJson(object), GenericKubernetesResource.class);
  }

  /** What Muster says of the object if it is there. */
  List<Fault> faults() {
    return served || later != null || instead != null ? List.of() : List.of(expected());
  }

  private Fault expected() {
    return new Fault(field, text);
  }

  /** The words of the API server; empty where it lets the object in. */
  String atCreation() {
    return Objects.requireNonNullElse(admission, text);
  }

  @Override
  public String toString() {
    return rule;
  }
}
