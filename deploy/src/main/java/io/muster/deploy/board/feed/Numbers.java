package io.muster.deploy.board.feed;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Numbers for things that are sent again and again: the same as long as a thing is there, and never
 * that of another. Confined to one thread.
 */
final class Numbers<T> {

  private final Map<T, Integer> known = new HashMap<>();
  private int next;

  int of(T thing) {
    return known.computeIfAbsent(thing, _ -> next++);
  }

  /** Those that are gone get another number when they come back. */
  void keepOnly(Set<T> there) {
    known.keySet().retainAll(there);
  }
}
