package io.muster.controller.api;

/**
 * One thing for which an object cannot be served as it is written. Immutable.
 *
 * @param field path from the object's root, as {@code spec.trainer.entrypoint}
 * @param text what is wrong and what to write; names the field by its last part
 */
public record Fault(String field, String text) {

  @Override
  public String toString() {
    return field + ": " + text;
  }
}
