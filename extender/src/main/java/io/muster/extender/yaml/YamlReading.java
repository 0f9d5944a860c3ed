package io.muster.extender.yaml;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.List;

/**
 * Reads YAML as trees, and refuses what would be misread or would take the stack: an alias would be
 * taken for the text of its name. Safe for concurrent use.
 */
public final class YamlReading {

  /** Objects of Kubernetes are not nested as deep, and what reads them calls itself. */
  private static final int DEEPEST = 200;

  private final YAMLMapper mapper;

  /** One that takes the last of several keys of one name. */
  public YamlReading() {
    this(new YAMLMapper());
  }

  private YamlReading(YAMLMapper mapper) {
    this.mapper = mapper;
  }

  /** One that refuses several keys of one name. */
  public static YamlReading ofUniqueKeys() {
    return new YamlReading(
        new YAMLMapper(
            YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build()));
  }

  /** The first document; a missing node where there is none. */
  public JsonNode first(String yaml) throws MalformedYamlException {
    check(yaml, true);
    try {
      return mapper.readTree(yaml);
    } catch (JsonProcessingException e) {
      throw malformed(e);
    }
  }

  /** All documents. */
  public List<JsonNode> all(String yaml) throws MalformedYamlException {
    check(yaml, false);
    try (var documents = mapper.readerFor(JsonNode.class).<JsonNode>readValues(yaml)) {
      return documents.readAll();
    } catch (IOException e) {
      throw malformed(e);
    }
  }

  private void check(String yaml, boolean isFirstAlone) throws MalformedYamlException {
    try (var parser = mapper.getFactory().createParser(yaml)) {
      int depth = 0;
      for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        int line = parser.currentLocation().getLineNr();
        if (depth > DEEPEST) {
          throw new MalformedYamlException(
              "line %d: nested more than %d deep".formatted(line, DEEPEST));
        }
        if (parser.isCurrentAlias()) {
          throw new MalformedYamlException(
              "line %d: an alias, *%s: write out what it stands for"
                  .formatted(line, parser.getText()));
        }
        if (depth == 0 && isFirstAlone) {
          return;
        }
      }
    } catch (IOException e) {
      throw malformed(e);
    }
  }

  private static MalformedYamlException malformed(IOException e) {
    if (!(e instanceof JsonProcessingException invalid)) {
      return new MalformedYamlException("cannot be read: " + e.getMessage());
    }
    var place = invalid.getLocation();
    return new MalformedYamlException(
        "line %d: no valid YAML: %s"
            .formatted(
                place == null ? 0 : place.getLineNr(),
                invalid.getOriginalMessage().lines().findFirst().orElse("")));
  }
}
