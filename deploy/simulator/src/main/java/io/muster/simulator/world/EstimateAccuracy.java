package io.muster.simulator.world;

import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.decision.scheduling.StartErrors;
import io.muster.extender.core.estimate.StartEstimates;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Has it estimated now and then when the gangs that wait will start, and compares that with what
 * happens. Of each gang the first estimate counts. Not safe for concurrent use.
 */
public final class EstimateAccuracy {

  private static final double MILLIS = 1000;

  private final int every;
  private final StartErrors<GangId> errors = new StartErrors<>();
  private final Map<GangId, First> open = new HashMap<>();
  private final Set<GangId> unknown = new HashSet<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private int arrivals;

  /**
   * One that has seen nothing.
   *
   * @param every so many arrivals it is looked anew
   */
  public EstimateAccuracy(int every) {
    this.every = every;
  }

  private record First(Instant at, Instant start, Optional<Instant> latest) {}

  private record Outcome(double waited, double estimated, Optional<Boolean> inTime) {}

  /**
   * What came of it.
   *
   * @param estimated gangs that had an estimate before they started
   * @param unknown gangs that waited at a look, and had none before they started
   * @param medianError of these, by how much of its wait each was off: the median
   * @param meanWait of these, after the estimate, in seconds
   * @param judged those of them that had a 90th percentile
   * @param covered the share of these that started by then
   */
  public record Summary(
      int estimated,
      int unknown,
      double medianError,
      double meanWait,
      int judged,
      double covered) {}

  /** Something has arrived, and what it leads to has been done. */
  void arrived(GangScheduler protocol, Instant now) {
    if (++arrivals % every != 0) {
      return;
    }
    protocol
        .copy(now)
        .ifPresent(copy -> {
          var waiting = new HashSet<GangId>();
          protocol.placementQueries().waiting(now).forEach(gang -> waiting.add(gang.gang()));
          var estimates = StartEstimates.of(copy, _ -> true, EstimateAccuracy::fail);
          errors.weigh(now);
          for (var gang : waiting) {
            var estimate = Optional.ofNullable(estimates.get(gang));
            estimate.ifPresentOrElse(
                found -> {
                  unknown.remove(gang);
                  errors.estimated(gang, now, found);
                  open.putIfAbsent(gang, new First(now, found.start(), errors.latest(now, found)));
                },
                () -> {
                  if (!open.containsKey(gang)) {
                    unknown.add(gang);
                  }
                });
          }
        });
  }

  /** A gang has started. */
  void started(GangId gang, Instant now) {
    errors.started(gang, now);
    var first = open.remove(gang);
    if (first != null) {
      outcomes.add(
          new Outcome(
              seconds(first.at(), now),
              seconds(first.at(), first.start()),
              first.latest().map(latest -> !now.isAfter(latest))));
    }
  }

  private static void fail(Effect.Fault fault) {
    throw new IllegalStateException(fault.step(), fault.cause());
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toMillis() / MILLIS;
  }

  /** What came of it so far. */
  public Summary summary() {
    var offs =
        outcomes.stream()
            .filter(each -> each.waited() > 0)
            .mapToDouble(each -> Math.abs(each.waited() - each.estimated()) / each.waited())
            .sorted()
            .toArray();
    var judged = outcomes.stream().flatMap(each -> each.inTime().stream()).toList();
    return new Summary(
        outcomes.size(),
        unknown.size(),
        Figures.at(offs, 0.5),
        outcomes.stream().mapToDouble(Outcome::waited).average().orElse(0),
        judged.size(),
        judged.stream().mapToInt(in -> in ? 1 : 0).average().orElse(0));
  }
}
