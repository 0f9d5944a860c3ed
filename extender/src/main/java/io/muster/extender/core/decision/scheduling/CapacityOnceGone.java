package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.BackfillReservation.Kind;
import io.muster.extender.core.decision.state.GangState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Where a gang would go, and how much would be free, if some of those that run were gone. Changes
 * nothing. Confined to the decision thread.
 */
final class CapacityOnceGone {

  /** Ends the name under which room is taken that another gang lacks. */
  private static final String OWED = "#owed";

  private final ClusterState cluster;
  private final GangPlans plans;

  CapacityOnceGone(ClusterState cluster, GangPlans plans) {
    this.cluster = cluster;
    this.plans = plans;
  }

  /** Devices that members of ending gangs have left, which are as good as free. */
  long left() {
    return cluster.leftDevices().values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * The first of these, as few as must be gone for the gang to fit, and where it would go; empty if
   * all are not enough.
   */
  Optional<Departures.Found> first(GangState gang, List<Unit> units, Instant now) {
    return atOnce(gang, Departures.first(units), now);
  }

  /** The same without those that the others make needless; the last of them are spared first. */
  Optional<Departures.Found> needed(GangState gang, List<Unit> units, Instant now) {
    return atOnce(gang, Departures.needed(units), now);
  }

  private Optional<Departures.Found> atOnce(GangState gang, Departures search, Instant now) {
    advance(gang, search, Integer.MAX_VALUE, now);
    return search.found();
  }

  /** Goes on with a search for the gang, for so many plans, and says how many it took at most. */
  int advance(GangState gang, Departures search, int plans, Instant now) {
    return search.advance(cluster.inventory(), beside(gang), question(gang, now), plans);
  }

  private Supplier<Optional<List<String>>> question(GangState gang, Instant now) {
    var wanted = Reservations.wanted(gang);
    return () -> besideOthers(gang, () -> plans.place(gang, wanted, now));
  }

  /** What members of ending gangs have left, and what is kept for the gang itself. */
  private List<String> beside(GangState gang) {
    var holders = new ArrayList<>(cluster.leftDevices().keySet());
    gang.entry
        .backfill()
        .ifPresent(backfill ->
            backfill
                .wanted
                .keySet()
                .forEach(node -> holders.add(BackfillReservation.holder(gang.id, node))));
    return holders;
  }

  /** With what comes free given first to those for whom others have been told to end. */
  private <T> T besideOthers(GangState gang, Supplier<T> question) {
    var owed = new ArrayList<String>();
    for (var other : cluster.gangs().active(one -> one != gang && isPreempting(one))) {
      var wanted = other.entry.backfill().orElseThrow().wanted;
      wanted.forEach((node, names) -> {
        var holder = BackfillReservation.holder(other.id, node);
        var lacking = lacking(holder, node, names);
        if (!lacking.isEmpty()) {
          cluster.inventory().occupy(holder + OWED, node, new Resources(0, 0, lacking));
          owed.add(holder + OWED);
        }
      });
    }
    try {
      return question.get();
    } finally {
      owed.forEach(cluster.inventory()::setAside);
    }
  }

  private static boolean isPreempting(GangState gang) {
    return gang.entry.backfill().filter(kept -> kept.kind == Kind.PREEMPTION).isPresent();
  }

  /** What is free on the node of that which the holder does not have there yet. */
  private Map<String, Long> lacking(String holder, String node, Map<String, Long> names) {
    var amounts = new TreeMap<String, Long>();
    var room = cluster.inventory().room(node);
    var without = cluster.inventory().roomWithout(holder, node);
    if (room.isPresent() && without.isPresent()) {
      names.forEach((name, units) -> {
        long free = room.get().free(name);
        long lacking = Math.min(units - (without.get().free(name) - free), free);
        if (lacking > 0) {
          amounts.put(name, lacking);
        }
      });
    }
    return amounts;
  }
}
