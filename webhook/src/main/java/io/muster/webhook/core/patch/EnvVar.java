package io.muster.webhook.core.patch;

import java.util.Map;

/** One environment variable of a container. Immutable. */
public record EnvVar(String name, Source source) {

  /** Where the value comes from. */
  public sealed interface Source {}

  /** The value itself. */
  public record Literal(String value) implements Source {}

  /** A field of the pod, or one of its labels or annotations. */
  public record Field(String path) implements Source {}

  /** Anything else that {@code valueFrom} may say. */
  public record Other(Value valueFrom) implements Source {}

  /** A variable with a fixed value. */
  public static EnvVar of(String name, String value) {
    return new EnvVar(name, new Literal(value));
  }

  /** A variable that the kubelet reads from the pod. */
  public static EnvVar fromField(String name, String path) {
    return new EnvVar(name, new Field(path));
  }

  /** The variable as core/v1 writes it. */
  public Value value() {
    var named = Value.object("name", name);
    return switch (source) {
      case Literal literal -> named.with("value", literal.value());
      case Field field ->
          named.with(
              "valueFrom",
              new Value.Fields(Map.of("fieldRef", Value.object("fieldPath", field.path()))));
      case Other other -> named.with("valueFrom", other.valueFrom());
    };
  }
}
