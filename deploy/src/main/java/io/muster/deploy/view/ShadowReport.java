package io.muster.deploy.view;

import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.core.shadow.ShadowLedger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/**
 * What was counted in namespaces in shadow on some days, for people and for programs. Immutable.
 *
 * @param first day, of UTC
 * @param last day
 */
record ShadowReport(SortedMap<String, ShadowCounts> rows, LocalDate first, LocalDate last) {

  private static final int OUTPUT_VERSION = 1;
  private static final double SECONDS_OF_AN_HOUR = 3_600;
  private static final String COLUMNS = "%-24s %8s %8s %8s %10s %13s %9s";

  static ShadowReport of(ShadowLedger ledger, LocalDate first, LocalDate last) {
    return new ShadowReport(ledger.since(first), first, last);
  }

  private ShadowCounts total() {
    return rows.values().stream().reduce(ShadowCounts.NONE, ShadowCounts::plus);
  }

  /** A sentence, and a table with a row for each namespace. */
  List<String> lines() {
    var days = "%s to %s (days of UTC)".formatted(first, last);
    if (rows.isEmpty()) {
      return List.of(
          days + ": nothing was counted: no gang was seen in a namespace in shadow",
          "muster.io/enrol=shadow on a namespace, or defaultEnrolment: shadow, brings one there");
    }
    var total = total();
    var lines = new ArrayList<String>();
    lines.add(
        "%s: %d of %d gangs were started in part, and held %s device hours that way"
            .formatted(days, total.inPart(), total.gangs(), hours(total)));
    lines.add(
        "with Muster their pods, %d, would have waited for the others; %d pods would have been refused"
            .formatted(total.podsEarly(), total.refused()));
    lines.add(
        COLUMNS.formatted(
            "NAMESPACE", "GANGS", "WHOLE", "IN PART", "PODS EARLY", "DEVICE HOURS", "REFUSED"));
    rows.forEach((namespace, counts) -> lines.add(line(namespace, counts)));
    return lines;
  }

  private static String line(String namespace, ShadowCounts counts) {
    return COLUMNS.formatted(
        namespace,
        counts.gangs(),
        counts.whole(),
        counts.inPart(),
        counts.podsEarly(),
        hours(counts),
        counts.refused());
  }

  private static String hours(ShadowCounts counts) {
    return String.format(Locale.ROOT, "%.1f", counts.deviceSeconds() / SECONDS_OF_AN_HOUR);
  }

  /** The same as JSON, with seconds. */
  Map<String, Object> document() {
    var document = new LinkedHashMap<String, Object>();
    document.put("version", OUTPUT_VERSION);
    document.put("from", first.toString());
    document.put("to", last.toString());
    document.put("total", total());
    document.put("namespaces", rows);
    return document;
  }
}
