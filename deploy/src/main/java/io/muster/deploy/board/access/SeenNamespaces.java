package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The namespaces that there is something of to see, numbered as they came; those that have become
 * empty stay a while, so that nobody makes work by going and coming. Confined to the lock of {@link
 * AccessBook}.
 */
final class SeenNamespaces {

  private static final int MOST = 20_000;
  private static final Duration KEPT_EMPTY = Duration.ofMinutes(5);

  private final TreeMap<Long, String> byNumber = new TreeMap<>();
  private final Map<String, Instant> lastSeen = new HashMap<>();
  private long lastNumber;

  /** Takes over what is there now. */
  void take(Set<String> namespaces, Instant now) {
    byNumber
        .values()
        .removeIf(name ->
            !namespaces.contains(name)
                && !lastSeen.get(name).plus(KEPT_EMPTY).isAfter(now)
                && lastSeen.remove(name) != null);
    for (var name : namespaces) {
      if (lastSeen.containsKey(name)) {
        lastSeen.put(name, now);
      } else if (byNumber.size() < MOST && !name.isBlank()) {
        byNumber.put(++lastNumber, name);
        lastSeen.put(name, now);
      }
    }
  }

  boolean has(String namespace) {
    return lastSeen.containsKey(namespace);
  }

  /** The next one after that number, with its own. */
  Optional<Map.Entry<Long, String>> after(long number) {
    return Optional.ofNullable(byNumber.higherEntry(number));
  }
}
