package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Demand;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Places on a ledger that are kept for one question alone, so that requests can be planned one
 * after the other, each beside those before it. Confined to the decision thread, and to its
 * question.
 */
public final class Paper {

  private final Planner planner;
  private final Inventory inventory;
  private final List<String> holders = new ArrayList<>();

  private Paper(Planner planner, Inventory inventory) {
    this.planner = planner;
    this.inventory = inventory;
  }

  /**
   * The answer if these holders occupied nothing. Afterwards all is as it was, and nothing counts
   * as having come free.
   */
  public static <T> T ask(
      Planner planner, Inventory inventory, Collection<String> gone, Function<Paper, T> question) {
    return inventory.asIfGone(
        gone,
        () -> {
          var paper = new Paper(planner, inventory);
          try {
            return question.apply(paper);
          } finally {
            paper.holders.forEach(inventory::setAside);
          }
        });
  }

  /** The nodes of all members, which are taken from then on; empty, and none taken, if not all. */
  public Optional<List<String>> place(GangRequest request) {
    return switch (planner.decide(inventory.snapshot(), request)) {
      case Verdict.NoRoom _ -> Optional.empty();
      case Verdict.Placed(var nodes) -> {
        var members = request.members();
        for (int i = 0; i < nodes.size(); i++) {
          take(members.get(i), nodes.get(i));
        }
        yield Optional.of(nodes);
      }
    };
  }

  /** That node is taken so far, whether or not there is room. */
  public void take(Demand demand, String node) {
    var holder = "paper#" + holders.size();
    holders.add(holder);
    inventory.occupy(holder, node, demand.requests());
  }
}
