package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Levels;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * All nodes with what is taken of them, by name. A view of an {@link Inventory}, valid until that
 * changes; the planner never changes it. Confined to the decision thread.
 */
public final class Snapshot {

  private final Grid grid;
  private final Totals totals;
  private final Levels levels;

  Snapshot(Grid grid, Totals totals, Levels levels) {
    this.grid = grid;
    this.totals = totals;
    this.levels = levels;
  }

  /** Each node, in order of their names. */
  public List<NodeState> rooms() {
    return grid.rooms();
  }

  /**
   * Whether there is enough free in all for these members, if it could be used as it pleases. Where
   * not, {@link Planner#decide} places nothing; where so, it may still find no place. Takes time by
   * the number of members, not of nodes.
   */
  public boolean mayHold(GangRequest request) {
    return totals.mayHold(request);
  }

  /** The same nodes in the same network, otherwise as this says: a copy. */
  public Snapshot altered(UnaryOperator<NodeState> otherwise) {
    var altered = grid.altered(otherwise);
    var sums = new Totals();
    altered.rooms().forEach(sums::add);
    return new Snapshot(altered, sums, levels);
  }

  /** The levels of the network as they are stated. */
  public Levels levels() {
    return levels;
  }

  Grid grid() {
    return grid;
  }
}
