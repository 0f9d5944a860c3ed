package io.muster.deploy.board.history;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Since when somebody wants to know, and how finely.
 *
 * @param firstStep of 10 s
 * @param width how many steps are one point
 * @param startsWidth how many steps are one interval of starts
 */
record HistoryRange(long firstStep, int width, int startsWidth) {

  private static final int MOST_POINTS = 1_000;

  /** In steps: 10 s, 30 s and 90 s, with starts by the minute, five and thirty minutes. */
  private record Fineness(int width, int startsWidth) {}

  private static final List<Fineness> FINENESSES =
      List.of(new Fineness(1, 6), new Fineness(3, 30), new Fineness(9, 180));

  /** What was asked for, or why that cannot be answered. */
  sealed interface Asked {

    /** It can. */
    record Range(HistoryRange range) implements Asked {}

    /** It cannot. */
    record Refused(String sentence) implements Asked {}
  }

  /**
   * Reads what was asked.
   *
   * @param since RFC 3339, or seconds since 1970; empty: all of the last 24 h
   * @param stepSeconds empty, or less than what would be too many points: as fine as may be
   */
  static Asked of(Optional<String> since, Optional<String> stepSeconds, Instant now) {
    var time = since.flatMap(HistoryRange::time);
    if (since.isPresent() && time.isEmpty()) {
      return new Asked.Refused(
          "since must be a time such as 2026-11-22T05:00:00Z, or seconds since 1970");
    }
    var finest = stepSeconds.flatMap(HistoryRange::fineness);
    if (stepSeconds.isPresent() && finest.isEmpty()) {
      return new Asked.Refused("step must be 10, 30 or 90, in seconds");
    }
    long last = Steps.of(now);
    long first = Math.max(last - Steps.COUNT + 1, time.map(Steps::of).orElse(Long.MIN_VALUE));
    int least = finest.map(Fineness::width).orElse(1);
    var fineness =
        FINENESSES.stream()
            .filter(one -> one.width >= least && (last - first) / one.width < MOST_POINTS)
            .min(Comparator.comparingInt(Fineness::width))
            .orElse(FINENESSES.getLast());
    return new Asked.Range(new HistoryRange(first, fineness.width, fineness.startsWidth));
  }

  private static Optional<Instant> time(String text) {
    try {
      return Optional.of(
          text.matches("-?\\d{1,12}(\\.\\d{1,9})?")
              ? Instant.ofEpochSecond((long) Math.floor(Double.parseDouble(text)))
              : Instant.parse(text));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private static Optional<Fineness> fineness(String stepSeconds) {
    return FINENESSES.stream()
        .filter(one -> stepSeconds.equals(Integer.toString(one.width * Steps.SECONDS)))
        .findFirst();
  }
}
