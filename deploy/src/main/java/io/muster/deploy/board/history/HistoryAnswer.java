package io.muster.deploy.board.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * What is answered of a range, as it is sent: columns of numbers, one for each step, null where
 * nobody looked. Times are RFC 3339, or seconds since 1970. A wire type: what is absent is null.
 * Immutable.
 *
 * @param from when the first step begins; the last one may be going on
 * @param began when the first look was; absent before that
 * @param columns means over each step, by what they are of
 * @param reasons gangs that waited, means over each step, by their reason, the most frequent of the
 *     last 24 h first; all others as {@code other}
 * @param grafana where there is more; absent if it was not told
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record HistoryAnswer(
    int version,
    int stepSeconds,
    long from,
    String now,
    String began,
    Map<String, List<Number>> columns,
    Map<String, List<Number>> reasons,
    StartsPart starts,
    String grafana) {

  static final int VERSION = 1;

  /**
   * Gangs that have started, in intervals of their own.
   *
   * @param medianWaitSeconds of those that started in the interval; null if none did
   */
  record StartsPart(
      int stepSeconds, long from, List<Number> started, List<Number> medianWaitSeconds) {}
}
