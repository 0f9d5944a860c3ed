package io.muster.simulator.trace;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;

/**
 * One row of a trace. A cell that cannot be read is told with file, line and column. Immutable.
 *
 * @param where the file and the line, as they are shown
 * @param cells by column; a missing cell is empty
 */
record Row(String where, Map<String, String> cells) {

  private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  /** Longer than any job or trace: a typing error or another unit. */
  private static final double LONGEST_SECONDS = 1e10;

  private static final int MOST_UNITS = 100_000_000;

  /** Each is played, also those that may come: with more a typing error would take hours. */
  private static final int MOST_PODS = 1_000_000;

  String text(String column) {
    return cells.getOrDefault(column, "").strip();
  }

  boolean isEmpty(String column) {
    return text(column).isEmpty();
  }

  String required(String column) {
    if (isEmpty(column)) {
      throw fault(column, "is missing; every row needs it");
    }
    return text(column);
  }

  /** A whole number, not below the least; where the cell is empty that which is given. */
  int number(String column, int least, Optional<Integer> otherwise) {
    return number(column, least, MOST_UNITS, otherwise);
  }

  /** A whole number within the bounds; where the cell is empty that which is given. */
  int number(String column, int least, int most, Optional<Integer> otherwise) {
    if (isEmpty(column) && otherwise.isPresent()) {
      return otherwise.get();
    }
    var written = required(column);
    try {
      double value = Double.parseDouble(written);
      if (value == Math.rint(value) && value >= least && value <= most) {
        return (int) value;
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw fault(
        column, "must be a whole number from %d to %d, not \"%s\"".formatted(least, most, written));
  }

  int number(String column, int least) {
    return number(column, least, Optional.empty());
  }

  /** How many pods of one kind there are; where the cell is empty that which is given. */
  int pods(String column, int least, Optional<Integer> otherwise) {
    return number(column, least, MOST_PODS, otherwise);
  }

  /** A number that need not be whole, not below 0. */
  double amount(String column) {
    var written = required(column);
    try {
      double value = Double.parseDouble(written);
      if (value >= 0 && value <= LONGEST_SECONDS) {
        return value;
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw fault(column, "must be a number of at least 0, not \"%s\"".formatted(written));
  }

  Duration seconds(String column) {
    return Duration.ofMillis(Math.round(amount(column) * 1000));
  }

  Duration millis(String column) {
    var written = required(column);
    try {
      long value = Long.parseLong(written);
      if (value >= 0 && value <= LONGEST_SECONDS * 1000) {
        return Duration.ofMillis(value);
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw fault(
        column,
        "must be milliseconds, a whole number of at least 0, not \"%s\"".formatted(written));
  }

  /** A moment, since the epoch. */
  Duration date(String column) {
    var written = required(column);
    try {
      return Duration.ofSeconds(LocalDateTime.parse(written, DATE).toEpochSecond(ZoneOffset.UTC));
    } catch (DateTimeException _) {
      throw fault(column, "must be a time like 2020-04-01 00:00:00, not \"%s\"".formatted(written));
    }
  }

  UnreadableTraceException fault(String column, String problem) {
    return new UnreadableTraceException("%s, column %s: %s".formatted(where, column, problem));
  }
}
