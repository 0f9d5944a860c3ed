package io.muster.extender.core.decision.member;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The priorities of the members that live, and how many have each: a change costs the same however
 * many members there are. Confined to the decision thread.
 */
final class Priorities {

  private final Map<String, Integer> byUid = new HashMap<>();
  private final TreeMap<Integer, Integer> members = new TreeMap<>();

  void put(String uid, int priority) {
    remove(uid);
    byUid.put(uid, priority);
    members.merge(priority, 1, Integer::sum);
  }

  void remove(String uid) {
    var was = byUid.remove(uid);
    if (was != null) {
      members.computeIfPresent(was, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Empty if no member lives. */
  OptionalInt highest() {
    return members.isEmpty() ? OptionalInt.empty() : OptionalInt.of(members.lastKey());
  }

  /** Empty if no member lives. */
  OptionalInt lowest() {
    return members.isEmpty() ? OptionalInt.empty() : OptionalInt.of(members.firstKey());
  }
}
