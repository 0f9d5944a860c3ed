package io.muster.extender.bench;

import java.util.Locale;

/** The last line of a benchmark, for machines. */
final class Report {

  private Report() {}

  /**
   * One JSON object: what was measured, against which bar, and whether it holds.
   *
   * @param better {@code lower} or {@code higher}
   * @param bare what the work costs without Muster, as JSON: a number or {@code null}
   */
  static String line(
      String name, String unit, String better, String bare, double muster, double bar) {
    boolean holds = better.equals("lower") ? muster <= bar : muster >= bar;
    return String.format(
        Locale.ROOT,
        "{\"name\":\"%s\",\"unit\":\"%s\",\"better\":\"%s\",\"bare\":%s,\"probe\":null,"
            + "\"muster\":%.3f,\"ratio\":null,\"bar\":%.3f,\"holds\":%b}",
        name,
        unit,
        better,
        bare,
        muster,
        bar,
        holds);
  }
}
