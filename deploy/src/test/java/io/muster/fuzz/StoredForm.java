package io.muster.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What an API server stores of a kind: by the types and bounds of its CRD, without its rules in
 * CEL. Immutable.
 */
final class StoredForm {

  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private static final List<String> FRAME = List.of("apiVersion", "kind", "metadata");

  private final Map<String, JsonNode> versions;

  private StoredForm(Map<String, JsonNode> versions) {
    this.versions = versions;
  }

  static StoredForm of(JsonNode crd) {
    var versions = new HashMap<String, JsonNode>();
    for (var version : crd.path("spec").path("versions")) {
      versions.put(version.path("name").asText(), version.path("schema").path("openAPIV3Schema"));
    }
    return new StoredForm(Map.copyOf(versions));
  }

  /** Why it is not stored; empty if it is, and then without the fields that nobody knows. */
  Optional<String> refusal(JsonNode object, JsonNode good) {
    for (var field : List.of("apiVersion", "kind")) {
      if (!object.path(field).equals(good.path(field))) {
        return Optional.of(field);
      }
    }
    var version = good.path("apiVersion").asText().replaceAll(".*/", "");
    return ofMetadata(object.path("metadata"), good.path("metadata"))
        .or(() -> refusal(versions.get(version), object, ""));
  }

  /** Users write the name, labels and annotations. */
  private static Optional<String> ofMetadata(JsonNode metadata, JsonNode good) {
    var name = metadata.path("name");
    if (!name.isTextual()
        || name.asText().length() > 253
        || !NAME.matcher(name.asText()).matches()) {
      return Optional.of("metadata.name");
    }
    for (var texts : List.of("labels", "annotations")) {
      var map = metadata.path(texts);
      if ((!map.isMissingNode() && !map.isObject())
          || map.properties().stream().anyMatch(field -> !field.getValue().isTextual())) {
        return Optional.of("metadata." + texts);
      }
    }
    for (var field : List.of("namespace", "uid", "generation", "creationTimestamp")) {
      if (!metadata.path(field).equals(good.path(field))) {
        return Optional.of("metadata." + field);
      }
    }
    return metadata.properties().stream()
        .map(Map.Entry::getKey)
        .filter(field -> !Set.of("name", "labels", "annotations").contains(field))
        .filter(field -> !metadata.path(field).equals(good.path(field)))
        .findFirst();
  }

  private static Optional<String> refusal(JsonNode schema, JsonNode value, String path) {
    if (value.isNull()) {
      return schema.path("nullable").asBoolean() ? Optional.empty() : Optional.of(path);
    }
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return (value.isIntegralNumber() && value.canConvertToLong())
              || (value.isTextual() && fits(schema, value.asText()))
          ? Optional.empty()
          : Optional.of(path);
    }
    boolean fits =
        switch (schema.path("type").asText()) {
          case "object" -> value.isObject();
          case "array" -> value.isArray();
          case "string" -> value.isTextual() && fits(schema, value.asText());
          case "boolean" -> value.isBoolean();
          case "integer" ->
              value.isIntegralNumber() && value.canConvertToLong() && fits(schema, value);
          case "number" -> value.isNumber() && fits(schema, value);
          default -> true;
        };
    if (!fits) {
      return Optional.of(path);
    }
    for (var item : schema.path("items").isMissingNode() ? List.<JsonNode>of() : value) {
      var refusal = refusal(schema.path("items"), item, path + "[]");
      if (refusal.isPresent()) {
        return refusal;
      }
    }
    return value.isObject() ? ofFields(schema, value, path) : Optional.empty();
  }

  private static Optional<String> ofFields(JsonNode schema, JsonNode value, String path) {
    for (var name : schema.path("required")) {
      if (!value.has(name.asText())) {
        return Optional.of(path + "." + name.asText());
      }
    }
    var unknown = new ArrayList<String>();
    for (var field : value.properties()) {
      var known = schema.path("properties").path(field.getKey());
      var of = known.isMissingNode() ? schema.path("additionalProperties") : known;
      boolean keeps = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
      if (of.isMissingNode() && !keeps && !schema.path("properties").isEmpty()) {
        unknown.add(field.getKey());
      } else if (of.isObject()) {
        var refusal = refusal(of, field.getValue(), path + "." + field.getKey());
        if (refusal.isPresent()) {
          return refusal;
        }
      }
    }
    unknown.removeAll(path.isEmpty() ? FRAME : List.of());
    ((ObjectNode) value).remove(unknown);
    return Optional.empty();
  }

  private static boolean fits(JsonNode schema, String text) {
    var allowed = schema.path("enum");
    boolean isAllowed = !allowed.isArray();
    for (var one : allowed) {
      isAllowed |= one.asText().equals(text);
    }
    var pattern = schema.path("pattern");
    return isAllowed
        && text.length() >= schema.path("minLength").asInt(0)
        && text.length() <= schema.path("maxLength").asInt(Integer.MAX_VALUE)
        && (pattern.isMissingNode() || Pattern.compile(pattern.asText()).matcher(text).find())
        && (!schema.path("format").asText().equals("date-time")
            || text.matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"));
  }

  private static boolean fits(JsonNode schema, JsonNode number) {
    var least = schema.path("minimum");
    var most = schema.path("maximum");
    boolean isWithinType =
        !schema.path("format").asText().equals("int32") || number.canConvertToInt();
    return isWithinType
        && (least.isMissingNode() || number.decimalValue().compareTo(least.decimalValue()) >= 0)
        && (most.isMissingNode() || number.decimalValue().compareTo(most.decimalValue()) <= 0);
  }
}
