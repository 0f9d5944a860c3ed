package io.muster.webhook.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** Finds null where a list has an element: nothing of the API is written so. Stateless. */
final class NullElement {

  private static final int LONGEST_SHOWN = 200;

  private NullElement() {}

  /** The first null element of any list below this one, as {@code spec.containers[0]}. */
  static Optional<String> in(JsonNode node, String path) {
    return find(node)
        .map(found -> path + found)
        .map(found ->
            found.length() > LONGEST_SHOWN ? found.substring(0, LONGEST_SHOWN) + "..." : found);
  }

  private static Optional<String> find(JsonNode node) {
    return node.isArray() ? findInList(node) : findInObject(node);
  }

  private static Optional<String> findInList(JsonNode list) {
    for (int i = 0; i < list.size(); i++) {
      var element = list.get(i);
      var found = element.isNull() ? Optional.of("") : find(element);
      if (found.isPresent()) {
        return Optional.of("[" + i + "]" + found.get());
      }
    }
    return Optional.empty();
  }

  private static Optional<String> findInObject(JsonNode object) {
    for (var member : object.properties()) {
      var found = find(member.getValue());
      if (found.isPresent()) {
        return Optional.of("." + member.getKey() + found.get());
      }
    }
    return Optional.empty();
  }
}
