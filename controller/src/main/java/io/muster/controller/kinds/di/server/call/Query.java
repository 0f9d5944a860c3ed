package io.muster.controller.kinds.di.server.call;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Reads what stands behind the question mark. */
public final class Query {

  private Query() {}

  /**
   * Values by key; of several the first.
   *
   * @param known the keys that there are, in lower case; written in any
   */
  public static Map<String, String> read(String query, List<String> known) {
    var values = new TreeMap<String, String>();
    for (var pair : query.split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int divider = pair.indexOf('=');
      var key = decoded(divider < 0 ? pair : pair.substring(0, divider));
      var lower = key.toLowerCase(Locale.ROOT);
      if (!known.contains(lower)) {
        throw RefusedException.malformed(
            "the query has an unknown key; there are " + String.join(", ", known));
      }
      values.putIfAbsent(lower, divider < 0 ? "" : decoded(pair.substring(divider + 1)));
    }
    return values;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      throw RefusedException.malformed("the query is not URL-encoded; write % as %25");
    }
  }
}
