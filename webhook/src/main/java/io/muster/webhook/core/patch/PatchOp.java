package io.muster.webhook.core.patch;

/** One step of a JSON patch (RFC 6902). Immutable. */
public sealed interface PatchOp {

  /** JSON pointer to what is added, replaced or removed. */
  String path();

  /** How many characters it adds, about; what was sent with the pod does not count. */
  default long length() {
    return switch (this) {
      case Add(_, var value) -> Value.length(value);
      case Replace(_, var value) -> Value.length(value);
      case Remove _ -> 0;
    };
  }

  /** Sets a member of an object, whether it exists or not, or inserts into an array. */
  record Add(String path, Value value) implements PatchOp {}

  /** Puts another value where one is. */
  record Replace(String path, Value value) implements PatchOp {}

  /** Removes what is there. */
  record Remove(String path) implements PatchOp {}

  /** The key as one part of a JSON pointer. */
  static String escaped(String key) {
    return key.replace("~", "~0").replace("/", "~1");
  }
}
