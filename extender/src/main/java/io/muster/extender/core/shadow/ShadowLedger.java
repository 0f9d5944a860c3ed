package io.muster.extender.core.shadow;

import java.time.LocalDate;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What was seen in namespaces in shadow, by day and namespace. It never grows beyond {@value #DAYS}
 * days with {@value #NAMESPACES} namespaces each; what comes after these on a day is counted as
 * {@link #OTHERS}. Immutable.
 *
 * @param days of UTC
 */
public record ShadowLedger(SortedMap<LocalDate, SortedMap<String, ShadowCounts>> days) {

  /** The newest days are kept. */
  public static final int DAYS = 31;

  /** Those of a day that come first have a row of their own. */
  public static final int NAMESPACES = 40;

  /** Stands for all namespaces without a row; no namespace has such a name. */
  public static final String OTHERS = "(others)";

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,63}");

  /** Nothing has been counted. */
  public static final ShadowLedger EMPTY = new ShadowLedger(new TreeMap<>());

  public ShadowLedger {
    var kept = new TreeMap<LocalDate, SortedMap<String, ShadowCounts>>();
    days.forEach((day, rows) -> kept.put(day, Collections.unmodifiableSortedMap(bounded(rows))));
    while (kept.size() > DAYS) {
      kept.pollFirstEntry();
    }
    days = Collections.unmodifiableSortedMap(kept);
  }

  private static SortedMap<String, ShadowCounts> bounded(Map<String, ShadowCounts> rows) {
    var bounded = new TreeMap<String, ShadowCounts>();
    rows.forEach((namespace, counts) -> add(bounded, namespace, counts));
    return bounded;
  }

  private static void add(Map<String, ShadowCounts> rows, String namespace, ShadowCounts counts) {
    int named = rows.size() - (rows.containsKey(OTHERS) ? 1 : 0);
    boolean hasRow =
        rows.containsKey(namespace) || (named < NAMESPACES && NAME.matcher(namespace).matches());
    rows.merge(hasRow ? namespace : OTHERS, counts, ShadowCounts::plus);
  }

  /** With what else was seen on that day, by namespace. */
  public ShadowLedger plus(LocalDate day, Map<String, ShadowCounts> more) {
    var sum = new TreeMap<>(days);
    var rows = new TreeMap<>(sum.getOrDefault(day, new TreeMap<>()));
    more.forEach((namespace, counts) -> add(rows, namespace, counts));
    sum.put(day, rows);
    return new ShadowLedger(sum);
  }

  /** With all that the other has. */
  public ShadowLedger plus(ShadowLedger other) {
    var sum = this;
    for (var day : other.days.entrySet()) {
      sum = sum.plus(day.getKey(), day.getValue());
    }
    return sum;
  }

  /** What was seen on that day and later, by namespace. */
  public SortedMap<String, ShadowCounts> since(LocalDate first) {
    var sum = new TreeMap<String, ShadowCounts>();
    days.tailMap(first)
        .values()
        .forEach(rows ->
            rows.forEach((namespace, counts) -> sum.merge(namespace, counts, ShadowCounts::plus)));
    return sum;
  }
}
