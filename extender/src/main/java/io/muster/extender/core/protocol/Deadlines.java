package io.muster.extender.core.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One deadline a thing. httpTimeout and podMaxBackoff are kube-scheduler's own settings, repeated
 * here; the constructor refuses values that could not work together. Immutable.
 *
 * @param hold longest wait of one bind call
 * @param burst from the write-ahead record to the last Binding
 * @param gangStall a reservation ends this long after its gang's last progress
 * @param gangTotal a reservation ends this long after it was made
 * @param repair a cut burst is completed within this, else undone
 * @param replacement room is reserved for replacements of lost members at most this long
 * @param volume in place of {@code gangStall} and {@code gangTotal} where members wait for volumes
 */
public record Deadlines(
    Duration httpTimeout,
    Duration podMaxBackoff,
    Duration hold,
    Duration burst,
    Duration gangStall,
    Duration gangTotal,
    Duration repair,
    Duration replacement,
    Duration volume) {

  private static final Duration MARGIN = Duration.ofSeconds(5);

  /** The defaults of the architecture. */
  public static final Deadlines DEFAULT =
      new Deadlines(
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          Duration.ofSeconds(5),
          Duration.ofSeconds(45),
          Duration.ofSeconds(120),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Duration.ofMinutes(5));

  public Deadlines {
    var problems = new ArrayList<String>();
    require(
        problems,
        hold.plus(burst).plus(MARGIN).compareTo(httpTimeout) <= 0,
        "hold + burst + 5 s must not exceed httpTimeout (%s + %s + 5 s > %s)",
        hold,
        burst,
        httpTimeout);
    require(
        problems,
        hold.compareTo(podMaxBackoff.multipliedBy(2)) >= 0,
        "hold must be at least twice podMaxBackoff (%s < 2 x %s)",
        hold,
        podMaxBackoff);
    require(
        problems,
        gangStall.compareTo(hold.plus(podMaxBackoff)) > 0,
        "gangDeadline must exceed hold + podMaxBackoff (%s <= %s + %s)",
        gangStall,
        hold,
        podMaxBackoff);
    require(
        problems,
        gangTotal.compareTo(gangStall) >= 0,
        "the total gangDeadline must not be below the one since last progress (%s < %s)",
        gangTotal,
        gangStall);
    require(problems, !burst.isZero() && !burst.isNegative(), "burst must be positive");
    require(problems, !repair.isNegative(), "repair must not be negative");
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
  }

  private static void require(
      List<String> problems, boolean holds, String sentence, Object... values) {
    if (!holds) {
      problems.add(sentence.formatted(Arrays.stream(values).map(Deadlines::seconds).toArray()));
    }
  }

  private static String seconds(Object value) {
    return value instanceof Duration duration ? duration.toSeconds() + " s" : value.toString();
  }
}
