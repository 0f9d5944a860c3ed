package io.muster.deploy.install;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsOrBool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Holds a stored object against a structural schema: types, fields, enumerations and bounds. Rules
 * in CEL are left out, since they let unchanged values be. Confined to its caller's thread.
 */
public final class SchemaFit {

  /** The API server describes them by itself, at the top and where an object is embedded. */
  private static final Set<String> OF_EVERY_OBJECT = Set.of("apiVersion", "kind", "metadata");

  private final List<String> unkept = new ArrayList<>();
  private final List<String> misfits = new ArrayList<>();

  private SchemaFit() {}

  /**
   * What is found.
   *
   * @param unkept paths of fields that the schema does not have: the API server drops them with the
   *     next write
   * @param misfits paths of values that the schema refuses, and why
   */
  public record Found(List<String> unkept, List<String> misfits) {
    public Found {
      unkept = List.copyOf(unkept);
      misfits = List.copyOf(misfits);
    }
  }

  /** Holds an object, as it is stored, against the schema of its kind. */
  public static Found of(JsonNode object, JSONSchemaProps schema) {
    var fit = new SchemaFit();
    fit.object("", object, schema, OF_EVERY_OBJECT);
    return new Found(fit.unkept, fit.misfits);
  }

  private void value(String path, JsonNode value, JSONSchemaProps schema) {
    if (value.isNull()) {
      return;
    }
    if (isTrue(schema.getXKubernetesIntOrString())) {
      check(path, value.isIntegralNumber() || value.isTextual(), "is neither number nor string");
      return;
    }
    var type = Objects.requireNonNullElse(schema.getType(), "");
    boolean isOfType =
        switch (type) {
          case "object" -> value.isObject();
          case "array" -> value.isArray();
          case "string" -> value.isTextual();
          case "integer" -> value.isIntegralNumber();
          case "number" -> value.isNumber();
          case "boolean" -> value.isBoolean();
          default -> true;
        };
    check(path, isOfType, "is no " + type);
    if (!isOfType) {
      return;
    }
    if (schema.getEnum() != null && !schema.getEnum().isEmpty()) {
      check(path, schema.getEnum().contains(value), "is none of the values that there are");
    }
    if (value.isObject()) {
      object(
          path,
          value,
          schema,
          isTrue(schema.getXKubernetesEmbeddedResource()) ? OF_EVERY_OBJECT : Set.of());
    } else if (value.isArray()) {
      array(path, value, schema);
    } else if (value.isTextual()) {
      text(path, value.textValue(), schema);
    } else if (value.isNumber()) {
      number(path, value.doubleValue(), schema);
    }
  }

  private void object(String path, JsonNode object, JSONSchemaProps schema, Set<String> known) {
    var properties = schema.getProperties();
    object
        .properties()
        .forEach(field -> {
          var at = path + "." + field.getKey();
          var own =
              Optional.ofNullable(properties)
                  .flatMap(all -> Optional.ofNullable(all.get(field.getKey())))
                  .or(() -> additional(schema));
          if (known.contains(field.getKey())) {
            return;
          }
          if (own.isPresent()) {
            value(at, field.getValue(), own.get());
          } else if (!isOpen(schema)) {
            unkept.add(at);
          }
        });
    for (var name : Objects.requireNonNullElse(schema.getRequired(), List.<String>of())) {
      check(path + "." + name, object.has(name) || hasDefault(properties, name), "is missing");
    }
  }

  /** Then the API server fills it in when it reads the object. */
  private static boolean hasDefault(Map<String, JSONSchemaProps> properties, String name) {
    return properties != null
        && properties.containsKey(name)
        && properties.get(name).getDefault() != null;
  }

  private static Optional<JSONSchemaProps> additional(JSONSchemaProps schema) {
    return Optional.ofNullable(schema.getAdditionalProperties())
        .map(JSONSchemaPropsOrBool::getSchema);
  }

  private static boolean isOpen(JSONSchemaProps schema) {
    return isTrue(schema.getXKubernetesPreserveUnknownFields())
        || Optional.ofNullable(schema.getAdditionalProperties())
            .map(JSONSchemaPropsOrBool::getAllows)
            .orElse(false);
  }

  private void array(String path, JsonNode array, JSONSchemaProps schema) {
    within(path, array.size(), schema.getMinItems(), schema.getMaxItems(), "entries");
    var items = schema.getItems() == null ? null : schema.getItems().getSchema();
    if (items != null) {
      for (int i = 0; i < array.size(); i++) {
        value("%s[%d]".formatted(path, i), array.get(i), items);
      }
    }
  }

  private void text(String path, String text, JSONSchemaProps schema) {
    int length = text.codePointCount(0, text.length());
    within(path, length, schema.getMinLength(), schema.getMaxLength(), "characters");
    if (schema.getPattern() != null) {
      check(
          path,
          Pattern.compile(schema.getPattern()).matcher(text).find(),
          "does not match " + schema.getPattern());
    }
  }

  private void number(String path, double number, JSONSchemaProps schema) {
    check(
        path,
        schema.getMinimum() == null || number >= schema.getMinimum(),
        "is below " + schema.getMinimum());
    check(
        path,
        schema.getMaximum() == null || number <= schema.getMaximum(),
        "is above " + schema.getMaximum());
  }

  private void within(String path, long size, Long least, Long most, String what) {
    check(path, least == null || size >= least, "has less than %d %s".formatted(least, what));
    check(path, most == null || size <= most, "has more than %d %s".formatted(most, what));
  }

  private void check(String path, boolean holds, String sentence) {
    if (!holds) {
      misfits.add(path + " " + sentence);
    }
  }

  private static boolean isTrue(Boolean flag) {
    return Boolean.TRUE.equals(flag);
  }
}
