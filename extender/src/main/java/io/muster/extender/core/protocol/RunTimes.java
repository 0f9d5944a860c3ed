package io.muster.extender.core.protocol;

import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How long gangs of one kin have run: those whose names differ in a number or a generated end only.
 * The median of the last few is taken for the next one. Kept in memory. Confined to the decision
 * thread.
 */
final class RunTimes {

  private static final int KEPT_OF_EACH = 5;
  private static final int MOST_KIN = 10_000;

  /** What owners put at the end of the names that they make: a number, or five or ten letters. */
  private static final Pattern MADE_UP =
      Pattern.compile("(-(\\d+|[bcdfghjklmnpqrstvwxz2456789]{5}|[0-9a-f]{8,10}))+$");

  private final Map<String, ArrayDeque<Duration>> byKin =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ArrayDeque<Duration>> eldest) {
          return size() > MOST_KIN;
        }
      };

  void note(GangId gang, Duration ran) {
    var known = byKin.computeIfAbsent(kin(gang), _ -> new ArrayDeque<>());
    known.addLast(ran);
    if (known.size() > KEPT_OF_EACH) {
      known.removeFirst();
    }
  }

  Optional<Duration> usual(GangId gang) {
    return Optional.ofNullable(byKin.get(kin(gang)))
        .map(known -> List.copyOf(known).stream().sorted().toList())
        .map(sorted -> sorted.get(sorted.size() / 2));
  }

  private static String kin(GangId gang) {
    return gang.namespace() + "/" + MADE_UP.matcher(gang.name()).replaceFirst("");
  }
}
