package io.muster.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What an API server never stores in objects of its own kinds. */
final class Nulls {

  private Nulls() {}

  /** The same document without them. */
  static JsonNode dropped(JsonNode document) {
    switch (document) {
      case ObjectNode object ->
          object.properties().removeIf(field -> dropped(field.getValue()).isNull());
      case ArrayNode array -> array.removeIf(item -> dropped(item).isNull());
      default -> {}
    }
    return document;
  }
}
