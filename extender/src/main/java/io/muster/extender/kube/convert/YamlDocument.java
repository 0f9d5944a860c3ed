package io.muster.extender.kube.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import java.util.List;

/** The text of a ConfigMap as a tree. Stateless; safe for concurrent use. */
final class YamlDocument {

  private static final YamlReading YAML = YamlReading.ofUniqueKeys();

  private YamlDocument() {}

  /** The tree; missing, with the problem added, where it is no valid YAML with unique keys. */
  static JsonNode read(String yaml, List<String> problems) {
    try {
      return YAML.first(yaml);
    } catch (MalformedYamlException e) {
      problems.add(e.getMessage());
      return MissingNode.getInstance();
    }
  }
}
