package io.muster.extender.kube.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;

/** The text of a ConfigMap as a tree. Stateless; safe for concurrent use. */
final class YamlDocument {

  private static final YAMLMapper YAML =
      new YAMLMapper(
          YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());

  private YamlDocument() {}

  /** The tree; missing, with the problem added, where it is no valid YAML with unique keys. */
  static JsonNode read(String yaml, List<String> problems) {
    try {
      return YAML.readTree(yaml);
    } catch (JsonProcessingException e) {
      var place = e.getLocation();
      problems.add(
          "line %d: no valid YAML: %s"
              .formatted(
                  place == null ? 0 : place.getLineNr(),
                  e.getOriginalMessage().lines().findFirst().orElse("")));
      return YAML.missingNode();
    }
  }
}
