package io.muster.extender.core.decision.scheduling;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Gangs, or groups of them, that were found not to fit, by what they lack: whether something may
 * help is asked once for all that lack the same. Confined to the decision thread.
 */
final class Unschedulable<T> {

  /** What kept one from its places. */
  sealed interface Lack {

    /** Its queue does not let it have as many devices. */
    record Quota(String queue, long devices) implements Lack {}

    /** There is no room for as many devices, or not where it may use them. */
    record Room(long devices) implements Lack {}
  }

  private final Map<Lack, Set<T>> byLack = new LinkedHashMap<>();
  private final Map<T, Lack> lacks = new HashMap<>();

  /** It lacks this now, and no more what it lacked before. */
  void put(T who, Lack lack) {
    remove(who);
    lacks.put(who, lack);
    byLack.computeIfAbsent(lack, _ -> new LinkedHashSet<>()).add(who);
  }

  void remove(T who) {
    var lack = lacks.remove(who);
    if (lack != null) {
      var others = byLack.get(lack);
      others.remove(who);
      if (others.isEmpty()) {
        byLack.remove(lack);
      }
    }
  }

  boolean has(T who) {
    return lacks.containsKey(who);
  }

  /** What one of them lacks. */
  Lack lackOf(T who) {
    return lacks.get(who);
  }

  int size() {
    return lacks.size();
  }

  /** Those that lack such a thing. */
  List<T> of(Predicate<Lack> which) {
    var found = new ArrayList<T>();
    byLack.forEach((lack, those) -> {
      if (which.test(lack)) {
        found.addAll(those);
      }
    });
    return found;
  }
}
