package io.muster.extender.kube;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads fields of API objects that may be missing. Stateless; safe for concurrent use. */
public final class ApiFields {

  private ApiFields() {}

  /** Empty text where there is none. */
  public static String text(String text) {
    return text == null ? "" : text;
  }

  public static Optional<String> filled(String text) {
    return Optional.ofNullable(text).filter(value -> !value.isEmpty());
  }

  /** The map without entries that have no value. */
  public static <T> Map<String, T> present(Map<String, T> map) {
    if (map == null) {
      return Map.of();
    }
    if (map.values().stream().noneMatch(Objects::isNull)) {
      return map;
    }
    var present = new HashMap<>(map);
    present.values().removeIf(Objects::isNull);
    return present;
  }

  /** Empty for what is no time. */
  public static Optional<Instant> instant(String timestamp) {
    if (timestamp.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Instant.parse(timestamp));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }
}
