package io.muster.extender.core.plan;

import java.util.Collections;
import java.util.SortedMap;

/**
 * All nodes with what is taken of them, by name. A view of an {@link Inventory} is valid until that
 * changes; the planner never changes it.
 */
public record Snapshot(SortedMap<String, Room> rooms) {
  public Snapshot {
    rooms = Collections.unmodifiableSortedMap(rooms);
  }
}
