package io.muster.controller.api;

import java.util.Optional;

/**
 * One thing in an object that cannot be honoured as written. Immutable.
 *
 * @param field path from the object's root, as {@code spec.toDelete.count}
 * @param text what is wrong and what to write; names the field by its last part
 * @param instead what is used in its place; empty if the object cannot be served at all
 */
public record Fault(String field, String text, Optional<String> instead) {

  /** Whether the object cannot be served: a job is to fail, a scaler to end as ScaleFailed. */
  public boolean isFatal() {
    return instead.isEmpty();
  }

  @Override
  public String toString() {
    return field + ": " + text;
  }
}
