package io.muster.controller.kai.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.type.TypeReference;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** One row of {@code kai/faults.yml}: a manifest with one fault, and what is said of it. */
record FaultCase(
    String rule,
    String kind,
    String name,
    Map<String, Object> spec,
    String field,
    String text,
    String admission,
    String instead) {

  private static final Path FILE = Path.of("src/test/resources/kai/faults.yml");

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record File(List<FaultCase> cases) {}

  static List<FaultCase> all() throws IOException {
    return Serialization.unmarshal(Files.readString(FILE), new TypeReference<File>() {}).cases();
  }

  GenericKubernetesResource stored() {
    var object = new HashMap<String, Object>();
    object.put("apiVersion", TrainingJob.GROUP + "/" + TrainingJob.VERSION);
    object.put("kind", kind);
    object.put("metadata", Map.of("name", Objects.requireNonNullElse(name, "elastic-training")));
    if (spec != null) {
      object.put("spec", spec);
    }
    return Serialization.unmarshal(Serialization.asJson(object), GenericKubernetesResource.class);
  }

  Fault expected() {
    return new Fault(field, text, Optional.ofNullable(instead));
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
