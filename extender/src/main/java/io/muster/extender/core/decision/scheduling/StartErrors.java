package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.protocol.ExpectedStart.Outcome;
import io.muster.extender.core.protocol.query.StartEstimate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How wrong estimates have been: of each gang the first one is compared with its start, as the
 * ratio of the time that it waited to the time that it was to wait. Of those that were to wait for
 * about as long, the ratio that nine of ten did not exceed gives the 90th percentile of the next
 * one (split conformal prediction, by groups of alike cases: Vovk, Conditional Validity of
 * Inductive Conformal Predictors, ACML 2012). Gangs that wait beyond their estimate count with what
 * they have waited, or only those would count that were lucky. Kept in memory. Not safe for
 * concurrent use.
 *
 * @param <G> what a gang is known by
 */
public final class StartErrors<G> {

  private static final int KEPT = 500;

  /** Fewer say nothing about one in ten. */
  private static final int LEAST = 20;

  private static final int ALIKE = 50;
  private static final double SHARE = 0.9;

  /** Nobody's estimates are better than that. */
  private static final double LEAST_RATIO = 1.1;

  /** Added to both times, so that a minute more or less says little about short waits. */
  private static final double FLOOR_SECONDS = 60;

  private record First(Instant at, Instant start, Optional<Instant> latest) {

    double expected() {
      return seconds(at, start) + FLOOR_SECONDS;
    }

    Seen seen(Instant started) {
      return new Seen(expected(), (seconds(at, started) + FLOOR_SECONDS) / expected());
    }

    Optional<Outcome> outcome(Instant started) {
      if (!started.isAfter(start)) {
        return Optional.of(Outcome.BY_P50);
      }
      return latest.map(last -> started.isAfter(last) ? Outcome.LATER : Outcome.BY_P90);
    }

    static double seconds(Instant from, Instant to) {
      return Math.max(0, Duration.between(from, to).toSeconds());
    }
  }

  private record Seen(double expected, double ratio) {

    static final Comparator<Seen> BY_EXPECTED = Comparator.comparingDouble(Seen::expected);
  }

  private final Map<G, First> open = new HashMap<>();
  private final ArrayDeque<Seen> past = new ArrayDeque<>();
  private List<Seen> weighed = List.of();

  /** What is estimated of a gang at that moment; only the first counts. */
  public void estimated(G gang, Instant at, StartEstimate estimate) {
    if (!open.containsKey(gang)) {
      open.put(gang, new First(at, estimate.start(), latest(at, estimate)));
    }
  }

  /**
   * The gang has started; how that compares with its estimate. Empty where it had none, or was
   * later than the median without a 90th percentile to compare with.
   */
  public Optional<Outcome> started(G gang, Instant now) {
    var first = Optional.ofNullable(open.remove(gang));
    first.ifPresent(estimate -> {
      past.addLast(estimate.seen(now));
      if (past.size() > KEPT) {
        past.removeFirst();
      }
    });
    return first.flatMap(estimate -> estimate.outcome(now));
  }

  /** Those with an estimate that have not started. */
  public List<G> open() {
    return List.copyOf(open.keySet());
  }

  /** The gang will not start. */
  public void forget(G gang) {
    open.remove(gang);
  }

  /** Puts in order what {@link #latest} goes by. */
  public void weigh(Instant now) {
    var all = new ArrayList<>(past);
    if (past.size() >= LEAST) {
      open.values().stream()
          .filter(first -> first.start().isBefore(now))
          .forEach(first -> all.add(first.seen(now)));
      all.sort(Seen.BY_EXPECTED);
    }
    weighed = all;
  }

  /** By when nine of ten gangs start of which that is estimated; empty until enough is known. */
  public Optional<Instant> latest(Instant at, StartEstimate estimate) {
    if (weighed.size() < LEAST) {
      return Optional.empty();
    }
    double expected = First.seconds(at, estimate.start()) + FLOOR_SECONDS;
    double seconds = expected * Math.max(LEAST_RATIO, ratio(expected)) - FLOOR_SECONDS;
    var latest = at.plusSeconds((long) Math.ceil(seconds));
    return Optional.of(latest.isBefore(estimate.slowest()) ? estimate.slowest() : latest);
  }

  private double ratio(double expected) {
    int found = Collections.binarySearch(weighed, new Seen(expected, 1), Seen.BY_EXPECTED);
    int middle = found < 0 ? -found - 1 : found;
    int from = Math.clamp(middle - ALIKE / 2, 0, Math.max(0, weighed.size() - ALIKE));
    var alike =
        weighed.subList(from, Math.min(weighed.size(), from + ALIKE)).stream()
            .mapToDouble(Seen::ratio)
            .sorted()
            .toArray();
    return alike[(int) Math.ceil(SHARE * alike.length) - 1];
  }
}
