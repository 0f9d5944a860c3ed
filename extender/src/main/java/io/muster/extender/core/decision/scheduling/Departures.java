package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Inventory.Holding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Finds on paper which of those that run must go for somebody to fit: the first of a list, as few
 * as will do. It may be asked for in slices, between which other things happen: each slice goes by
 * what is there at its time, and what the last one finds is to be checked against that.
 *
 * <p>While a slice lasts, those in question are set aside; from one question to the next only those
 * that differ are put back or set aside again. Whoever holds nothing on the nodes of a placement is
 * not needed for it: that is known without a question. Confined to the decision thread.
 */
final class Departures {

  /**
   * What was found.
   *
   * @param gone those that must go, in the order given
   * @param nodes the places that come free then, in the order of the members
   */
  record Found(List<Unit> gone, List<String> nodes) {}

  private enum Stage {
    /** Whether all are enough. */
    ALL,
    /** How few of the first of them are. */
    FEWEST,
    /** Which of these the others make needless. */
    SPARE,
    OVER
  }

  private final List<Unit> units;
  private final boolean spares;
  private Stage stage = Stage.ALL;

  /** At least so many of the first must go. */
  private int low;

  /** So many of the first are enough, or all there are. */
  private int high;

  /** Those of the first that need not go all the same. */
  private final Set<Integer> spared = new HashSet<>();

  /** Who is to be looked at next; those behind it are spared or needed. */
  private int next;

  private Optional<List<String>> nodes = Optional.empty();

  private Predicate<Map<String, Long>> admission = _ -> true;

  private Departures(List<Unit> units, boolean spares) {
    this.units = units;
    this.spares = spares;
    high = units.size();
  }

  /** Finds the first of them, as few as will do. */
  static Departures first(List<Unit> units) {
    return new Departures(units, false);
  }

  /** The same without those that the others make needless; the last are spared first. */
  static Departures needed(List<Unit> units) {
    return new Departures(units, true);
  }

  boolean isOver() {
    return stage == Stage.OVER;
  }

  /**
   * They are not enough unless this is true as well; to be said anew before each slice.
   *
   * @param freed by queue, the devices that come free with those that are gone
   */
  void onlyIf(Predicate<Map<String, Long>> freed) {
    admission = freed;
  }

  /** How many pods the next slice sets aside at most. */
  long pods() {
    return units.subList(0, high).stream().mapToLong(unit -> unit.pods().size()).sum();
  }

  /** What was found once it is over; empty if all are too few. */
  Optional<Found> found() {
    return nodes.filter(_ -> isOver()).map(places -> new Found(going(), places));
  }

  private List<Unit> going() {
    return IntStream.range(0, high)
        .filter(unit -> !spared.contains(unit))
        .mapToObj(units::get)
        .toList();
  }

  /**
   * Goes on for so many questions, and says how many it took at most.
   *
   * @param beside holders that count as gone all the time
   * @param question the nodes of all members as things are then, if they fit; changes nothing
   */
  int advance(
      Inventory inventory,
      Collection<String> beside,
      Supplier<Optional<List<String>>> question,
      int questions) {
    if (isOver()) {
      return 0;
    }
    var slice = new Slice(inventory, question);
    return inventory.asIfGone(
        slice.holders(beside),
        () -> {
          int asked = 0;
          for (; asked < questions && !isOver(); asked++) {
            slice.step();
          }
          return asked;
        });
  }

  /** Some questions at one moment. */
  private final class Slice {
    private final Inventory inventory;
    private final Supplier<Optional<List<String>>> question;
    private final List<Map<String, Holding>> held = new ArrayList<>();

    /** By queue, devices of those that are gone. */
    private final Map<String, Long> freed = new HashMap<>();

    /** The first so many are gone, but for those spared; the others are there. */
    private int gone = high;

    Slice(Inventory inventory, Supplier<Optional<List<String>>> question) {
      this.inventory = inventory;
      this.question = question;
      for (var unit : units.subList(0, high)) {
        var holdings = new LinkedHashMap<String, Holding>();
        for (var holder : unit.holders()) {
          inventory.holding(holder).ifPresent(holding -> holdings.put(holder, holding));
        }
        if (!spared.contains(held.size())) {
          count(unit, 1);
        }
        held.add(holdings);
      }
    }

    private void count(Unit unit, int sign) {
      freed.merge(unit.queue(), sign * unit.frees(), Long::sum);
    }

    /** Where all fit, if those that are gone are enough. */
    private Optional<List<String>> ask() {
      return admission.test(freed) ? question.get() : Optional.empty();
    }

    List<String> holders(Collection<String> beside) {
      var holders = new ArrayList<>(beside);
      for (int unit = 0; unit < high; unit++) {
        if (!spared.contains(unit)) {
          holders.addAll(held.get(unit).keySet());
        }
      }
      return holders;
    }

    /** Takes one question at most. */
    void step() {
      switch (stage) {
        case ALL -> {
          nodes = ask();
          nodes.ifPresentOrElse(found -> enough(found, high), () -> stage = Stage.OVER);
        }
        case FEWEST -> {
          int middle = (low + high) >>> 1;
          goUpTo(middle);
          var others = ask();
          if (others.isPresent()) {
            nodes = others;
            enough(others.get(), middle);
          } else {
            low = middle + 1;
            bisect();
          }
        }
        case SPARE -> spare();
        case OVER -> {}
      }
    }

    private void enough(List<String> found, int among) {
      high = touching(found, among);
      bisect();
    }

    private void bisect() {
      if (low < high) {
        stage = Stage.FEWEST;
        return;
      }
      goUpTo(high);
      // The last is needed, as those before it are too few.
      next = high - 2;
      stage = spares && next >= 0 ? Stage.SPARE : Stage.OVER;
    }

    /** How many of the first so many, who are gone, may hold something there, or of the queue. */
    private int touching(List<String> found, int among) {
      var there = new HashSet<>(found);
      int last = among;
      while (last > 0 && !isOn(last - 1, there)) {
        goUpTo(last - 1);
        if (!admission.test(freed)) {
          goUpTo(last);
          break;
        }
        last--;
      }
      return last;
    }

    private boolean isOn(int unit, Set<String> there) {
      return held.get(unit).values().stream().anyMatch(holding -> there.contains(holding.node()));
    }

    private void spare() {
      var there = new HashSet<>(nodes.orElseThrow());
      boolean isAsked = false;
      while (next >= 0 && !isAsked) {
        putBack(next);
        isAsked = isOn(next, there);
        var others = isAsked ? ask() : nodes.filter(_ -> admission.test(freed));
        if (others.isPresent()) {
          nodes = others;
          spared.add(next);
        } else {
          setAside(next);
        }
        next--;
      }
      if (next < 0) {
        stage = Stage.OVER;
      }
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
      count(units.get(unit), -1);
    }

    private void setAside(int unit) {
      held.get(unit).keySet().forEach(inventory::setAside);
      count(units.get(unit), 1);
    }
  }
}
