package io.muster.extender.core.plan;

import java.util.Collections;
import java.util.SortedMap;

/**
 * All nodes with what is taken of them, by name. A view of an {@link Inventory}, valid until that
 * changes; the planner never changes it. Confined to the decision thread.
 */
public final class Snapshot {

  private final SortedMap<String, NodeState> rooms;
  private final Grid grid;
  private final Totals totals;

  Snapshot(SortedMap<String, NodeState> rooms, Grid grid, Totals totals) {
    this.rooms = Collections.unmodifiableSortedMap(rooms);
    this.grid = grid;
    this.totals = totals;
  }

  /** Each node by its name. */
  public SortedMap<String, NodeState> rooms() {
    return rooms;
  }

  /**
   * Whether there is enough free in all for these members, if it could be used as it pleases. Where
   * not, {@link Planner#decide} places nothing; where so, it may still find no place. Takes time by
   * the number of members, not of nodes.
   */
  public boolean mayHold(GangRequest request) {
    return totals.mayHold(request);
  }

  Grid grid() {
    return grid;
  }
}
