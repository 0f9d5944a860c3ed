package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Inventory.Holding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Finds on paper which of those that run must go for somebody to fit. All of them are set aside
 * while it is used; from one question to the next only those that differ are put back or set aside
 * again. Whoever holds nothing on the nodes of a placement is not needed for it: that is known
 * without a question. Confined to the decision thread.
 */
final class Departures {

  /**
   * What was found.
   *
   * @param gone those that must go, in the order given
   * @param nodes the places that come free then, in the order of the members
   */
  record Found(List<Unit> gone, List<String> nodes) {}

  private final Inventory inventory;
  private final List<Unit> units;
  private final Supplier<Optional<List<String>>> question;
  private final List<Map<String, Holding>> held = new ArrayList<>();

  /** The first so many are gone, the others are there. */
  private int gone;

  private Departures(
      Inventory inventory, List<Unit> units, Supplier<Optional<List<String>>> question) {
    this.inventory = inventory;
    this.units = units;
    this.question = question;
    gone = units.size();
    for (var unit : units) {
      var holdings = new LinkedHashMap<String, Holding>();
      for (var holder : unit.holders()) {
        inventory.holding(holder).ifPresent(holding -> holdings.put(holder, holding));
      }
      held.add(holdings);
    }
  }

  /**
   * The first of them, as few as will do; empty if all are too few.
   *
   * @param beside holders that count as gone all the time
   * @param question the nodes of all members as things are then, if they fit; changes nothing
   */
  static Optional<Found> first(
      Inventory inventory,
      List<Unit> units,
      List<String> beside,
      Supplier<Optional<List<String>>> question) {
    return new Departures(inventory, units, question).asIfGone(beside, false);
  }

  /** The same without those that the others make needless; the last are spared first. */
  static Optional<Found> needed(
      Inventory inventory,
      List<Unit> units,
      List<String> beside,
      Supplier<Optional<List<String>>> question) {
    return new Departures(inventory, units, question).asIfGone(beside, true);
  }

  private Optional<Found> asIfGone(List<String> beside, boolean spares) {
    var holders = new ArrayList<>(beside);
    held.forEach(holdings -> holders.addAll(holdings.keySet()));
    return inventory.asIfGone(holders, () -> first().map(found -> spares ? spare(found) : found));
  }

  private Optional<Found> first() {
    var nodes = question.get();
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    int low = 0;
    int high = touching(nodes.get(), units.size());
    while (low < high) {
      int middle = (low + high) >>> 1;
      goUpTo(middle);
      var others = question.get();
      if (others.isPresent()) {
        nodes = others;
        high = touching(others.get(), middle);
      } else {
        low = middle + 1;
      }
    }
    goUpTo(high);
    return Optional.of(new Found(units.subList(0, high), nodes.get()));
  }

  /** How many of the first so many may hold something there. */
  private int touching(List<String> nodes, int among) {
    var there = new HashSet<>(nodes);
    int last = among;
    while (last > 0 && !isOn(last - 1, there)) {
      last--;
    }
    return last;
  }

  private boolean isOn(int unit, Set<String> nodes) {
    return held.get(unit).values().stream().anyMatch(holding -> nodes.contains(holding.node()));
  }

  /** The last is needed, as those before it are too few. */
  private Found spare(Found found) {
    var left = new ArrayList<>(found.gone());
    var nodes = found.nodes();
    var there = new HashSet<>(nodes);
    for (int i = left.size() - 2; i >= 0; i--) {
      putBack(i);
      if (isOn(i, there)) {
        var others = question.get();
        if (others.isEmpty()) {
          setAside(i);
          continue;
        }
        nodes = others.get();
        there = new HashSet<>(nodes);
      }
      left.remove(i);
    }
    return new Found(left, nodes);
  }

  private void goUpTo(int count) {
    for (; gone > count; gone--) {
      putBack(gone - 1);
    }
    for (; gone < count; gone++) {
      setAside(gone);
    }
  }

  private void putBack(int unit) {
    held.get(unit).forEach(inventory::putBack);
  }

  private void setAside(int unit) {
    held.get(unit).keySet().forEach(inventory::setAside);
  }
}
