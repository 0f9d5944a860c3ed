package io.muster.extender.core.decision.forecast;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.diagnosis.Copies;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.Forecast.Never.Cause;
import io.muster.extender.core.protocol.query.Forecast.Running;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Finds the fewest gangs whose end makes room, with the planner that places gangs:
 *
 * <ol>
 *   <li>one gang if one will do, the oldest of those;
 *   <li>else the shortest row of oldest gangs that will do, without those that make no difference.
 * </ol>
 *
 * <p>The ledger stays as it is. Confined to the decision thread.
 */
public final class Forecasts {

  /** Beyond so many gangs the search for one, and for those that make no difference, ends. */
  private static final int MOST_TRIED = 500;

  private final ClusterState cluster;

  private final BooleanSupplier isGivenUp;

  /**
   * @param isGivenUp asked before each plan; once nobody waits for the answer there is none
   */
  Forecasts(ClusterState cluster, BooleanSupplier isGivenUp) {
    this.cluster = cluster;
    this.isGivenUp = isGivenUp;
  }

  /** A gang and what it holds. */
  private static final class Holder {
    private final GangId gang;
    private final Set<String> holders = new HashSet<>();
    private Instant since = Instant.MAX;

    Holder(GangId gang) {
      this.gang = gang;
    }

    Running shown() {
      return new Running(gang, since);
    }
  }

  /**
   * When there is room for all of the request.
   *
   * @param why there is none now
   */
  Forecast of(GangRequest request, String why) {
    var gangs = gangs();
    if (fitsWithout(gangs, request)) {
      return new Forecast.AfterGangs(
          fewest(gangs, request).stream().map(Holder::shown).toList(), why);
    }
    var all = new HashSet<>(cluster.pods().uids());
    gangs.forEach(gang -> all.addAll(gang.holders));
    return switch (cluster.inventory().asIfGone(all, () -> decided(request))) {
      case Verdict.Placed _ -> new Forecast.AfterOthers(why);
      case Verdict.NoRoom noRoom when fitsOnceAllAreAwake(request) ->
          new Forecast.AfterNodes("the others would not hold it, even empty: " + noRoom.tally());
      case Verdict.NoRoom noRoom ->
          new Forecast.Never(Cause.NODES, "not even on empty nodes: " + noRoom.tally());
    };
  }

  private boolean fitsOnceAllAreAwake(GangRequest request) {
    var awake = new Copies(cluster.inventory().snapshot()).emptiedAndAwake();
    return cluster.planner().decide(awake, request) instanceof Verdict.Placed;
  }

  private Verdict decided(GangRequest request) {
    var verdict = cluster.planner().decide(cluster.inventory().snapshot(), request);
    if (verdict instanceof Verdict.NoRoom noRoom) {
      // Why is worked out late, and the ledger is about to be as it was.
      return new Verdict.NoRoom(noRoom.member(), noRoom.tally());
    }
    return verdict;
  }

  private boolean fitsWithout(Collection<Holder> gangs, GangRequest request) {
    if (isGivenUp.getAsBoolean()) {
      throw new CancellationException("nobody waits for the answer any more");
    }
    var gone = new HashSet<String>();
    gangs.forEach(gang -> gone.addAll(gang.holders));
    return cluster
        .inventory()
        .asIfGone(
            gone,
            () ->
                cluster.planner().decide(cluster.inventory().snapshot(), request)
                    instanceof Verdict.Placed);
  }

  private List<Holder> fewest(List<Holder> oldestFirst, GangRequest request) {
    for (var gang : oldestFirst.subList(0, Math.min(MOST_TRIED, oldestFirst.size()))) {
      if (fitsWithout(List.of(gang), request)) {
        return List.of(gang);
      }
    }
    int tooFew = 1;
    int enough = oldestFirst.size();
    while (enough - tooFew > 1) {
      int middle = (tooFew + enough) / 2;
      if (fitsWithout(oldestFirst.subList(0, middle), request)) {
        enough = middle;
      } else {
        tooFew = middle;
      }
    }
    var needed = new ArrayList<>(oldestFirst.subList(0, enough));
    for (int i = needed.size() - 1, tried = 0; i >= 0 && tried < MOST_TRIED; i--, tried++) {
      var left = new ArrayList<>(needed);
      left.remove(i);
      if (fitsWithout(left, request)) {
        needed.remove(i);
      }
    }
    return needed;
  }

  /** Those that hold room, whoever starts them, the oldest first. */
  private List<Holder> gangs() {
    Map<GangId, Holder> gangs = new TreeMap<>();
    for (var pod : cluster.pods().all()) {
      if (pod.isBound() && !pod.isTerminal()) {
        gangOf(pod)
            .ifPresent(id -> {
              var holder = gangs.computeIfAbsent(id, Holder::new);
              holder.holders.add(pod.key().uid());
              holder.since = min(holder.since, pod.origin().createdAt());
            });
      }
    }
    for (var gang : cluster.gangs().all()) {
      if (gang.isReserved()) {
        var holder = gangs.computeIfAbsent(gang.id, Holder::new);
        holder.holders.addAll(gang.reservation.uids());
        gang.reservation.open().forEach(open -> holder.holders.add(open.holder()));
        for (var pod : gang.members.all()) {
          holder.since = min(holder.since, pod.origin().createdAt());
        }
      }
    }
    return gangs.values().stream()
        .sorted(
            Comparator.comparing((Holder holder) -> holder.since)
                .thenComparing(holder -> holder.gang))
        .toList();
  }

  private static Optional<GangId> gangOf(Pod pod) {
    return ClusterState.unitOf(pod).or(() -> ClusterState.unitOf(pod.asObserved()));
  }

  private static Instant min(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
