package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.BackfillReservation.Kind;
import io.muster.extender.core.decision.state.GangState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
   * Goes on with a search for the gang, for so many plans, and says how many it took at most.
   *
   * @param beside holders that count as gone all the time
   * @param behind for whom others end, and who are given nothing first
   */
  int advance(
      GangState gang,
      Collection<String> beside,
      Set<GangState> behind,
      Departures search,
      int plans,
      Instant now) {
    return search.advance(cluster.inventory(), beside, question(gang, behind, now), plans);
  }

  /** Members of the gang's own that end already: what they hold is its own before long. */
  List<Pod> leaving(GangState gang, Instant now) {
    return gang.members.all().stream()
        .filter(pod -> pod.isBound() && pod.progress().deleting())
        .filter(pod -> Victims.isGoneSoon(pod, cluster, now))
        .toList();
  }

  private Supplier<Optional<List<String>>> question(
      GangState gang, Set<GangState> behind, Instant now) {
    var wanted = Reservations.wanted(gang);
    return () -> besideOthers(gang, behind, () -> plans.place(gang, wanted, now));
  }

  /**
   * What members of ending gangs have left, its own too, and what is kept for these: holders.
   *
   * @param open for whom room is kept that the gang may use
   */
  List<String> beside(GangState gang, Set<GangState> open, Instant now) {
    var holders = new ArrayList<>(cluster.leftDevices().keySet());
    for (var one : open) {
      one.entry
          .backfill()
          .ifPresent(backfill ->
              backfill
                  .wanted
                  .keySet()
                  .forEach(node -> holders.add(BackfillReservation.holder(one.id, node))));
    }
    leaving(gang, now).forEach(pod -> holders.add(pod.key().uid()));
    return holders;
  }

  /** With what comes free given first to those for whom others have been told to end. */
  private <T> T besideOthers(GangState gang, Set<GangState> behind, Supplier<T> question) {
    var owed = new ArrayList<String>();
    for (var other :
        cluster
            .gangs()
            .active(one ->
                one != gang && one.entry.hasBackfill(Kind.PREEMPTION) && !behind.contains(one))) {
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
