package io.muster.webhook.injection;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Every path of one JSON value that another one does not have with the same value. An object may
 * have more members, and a list more elements between its own, which keep their order.
 */
final class PodDifferences {

  private final List<String> found = new ArrayList<>();

  private PodDifferences() {}

  static List<String> between(JsonNode before, JsonNode after) {
    var differences = new PodDifferences();
    differences.compare("", before, after);
    return differences.found;
  }

  private void compare(String path, JsonNode before, JsonNode after) {
    if (before.isObject() && after.isObject()) {
      before
          .properties()
          .forEach(member -> {
            var name = path + "/" + member.getKey();
            if (after.has(member.getKey())) {
              compare(name, member.getValue(), after.path(member.getKey()));
            } else {
              found.add(name + " is gone");
            }
          });
    } else if (before.isArray() && after.isArray()) {
      compareLists(path, before, after);
    } else if (!before.equals(after)) {
      found.add("%s was %s and is %s".formatted(path, before, after));
    }
  }

  private void compareLists(String path, JsonNode before, JsonNode after) {
    int next = 0;
    for (int i = 0; i < before.size(); i++) {
      int at = next;
      while (at < after.size() && !between(before.get(i), after.get(at)).isEmpty()) {
        at++;
      }
      if (at == after.size()) {
        found.add("%s/%d, %s, is gone or changed".formatted(path, i, before.get(i)));
      } else {
        next = at + 1;
      }
    }
  }
}
