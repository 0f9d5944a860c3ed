package io.muster.extender.core.gang;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads {@code launcher=1,worker=4}: the fewest members of each role. Stateless. */
public final class RoleMinimums {

  /** That one gang tells apart. */
  public static final int MOST_ROLES = 32;

  private static final Pattern ROLE = Pattern.compile("([A-Za-z0-9._-]{1,63})=(\\d{1,4})");

  private RoleMinimums() {}

  /** The minimum of each role named, none for empty text; empty for anything else. */
  public static Optional<SortedMap<String, Integer>> parse(String text) {
    var roles = new TreeMap<String, Integer>();
    if (text.isEmpty()) {
      return Optional.of(roles);
    }
    for (var entry : text.split(",", -1)) {
      var role = ROLE.matcher(entry.strip());
      if (!role.matches()
          || roles.put(role.group(1), Integer.parseInt(role.group(2))) != null
          || roles.size() > MOST_ROLES) {
        return Optional.empty();
      }
    }
    return Optional.of(roles);
  }
}
