package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What a PromQL expression asks for of Muster's series. Immutable.
 *
 * @param matchers of labels, in the order in which they stand there
 */
record Selector(String name, List<Matcher> matchers) {

  private static final Pattern SERIES = Pattern.compile("\\b(muster_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)=(~?)\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

  /** Of a label whose values are not known beforehand. */
  private static final Set<String> ANY = Set.of("any");

  /**
   * The label must have one of the values.
   *
   * @param values the only one, or the alternatives of a regular expression
   */
  record Matcher(String label, List<String> values) {}

  static List<Selector> in(String expression) {
    return SERIES.matcher(expression).results().map(Selector::read).toList();
  }

  private static Selector read(MatchResult found) {
    return new Selector(
        found.group(1),
        MATCHER
            .matcher(found.group(2) == null ? "" : found.group(2))
            .results()
            .map(one -> new Matcher(one.group(1), List.of(one.group(3).split("\\|", -1))))
            .toList());
  }

  /**
   * Whether that series is asked for.
   *
   * @param series as Muster prints it
   */
  boolean matches(String series) {
    return name.equals(series.replaceFirst("\\{.*", ""))
        && matchers.stream()
            .allMatch(matcher ->
                matcher.values().stream()
                    .anyMatch(value ->
                        series.matches(
                            ".*[{,]" + matcher.label() + "=\"" + Pattern.quote(value) + "\".*")));
  }

  /** Fails unless all that the expression names, its groupings too, is in the table of metrics. */
  static void existIn(String expression, List<MetricRow> rows) {
    var selectors = in(expression);
    assertThat(selectors).as(expression).isNotEmpty();
    var names = new TreeSet<String>();
    for (var selector : selectors) {
      var row = rows.stream().filter(one -> one.series().contains(selector.name())).findFirst();
      assertThat(row).as(selector.name()).isPresent();
      names.addAll(row.orElseThrow().labelNames());
      for (var matcher : selector.matchers()) {
        assertThat(row.orElseThrow().labelNames()).as(selector.name()).contains(matcher.label());
        var known = row.orElseThrow().labels().getOrDefault(matcher.label(), ANY);
        if (!known.equals(ANY)) {
          assertThat(known)
              .as("%s of %s", matcher.label(), selector.name())
              .containsAll(matcher.values());
        }
      }
    }
    GROUPING
        .matcher(expression)
        .results()
        .forEach(by -> assertThat(names).as(expression).contains(by.group(1).split(", ", -1)));
  }
}
