package io.muster.simulator.edl;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One table of the replay, with the bars that it is held to. Confined to one thread. */
final class Table {

  /** Something that must hold. */
  private record Bar(String what, boolean holds) {}

  private final String title;
  private final List<String> columns;
  private final List<List<String>> rows = new ArrayList<>();
  private final List<Bar> bars = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  Table(String title, String... columns) {
    this.title = title;
    this.columns = List.of(columns);
  }

  Table row(String... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          "%d cells for %d columns".formatted(cells.length, columns.size()));
    }
    rows.add(List.of(cells));
    return this;
  }

  Table note(String note) {
    notes.add(note);
    return this;
  }

  Table atMost(String what, double found, double limit) {
    return bar("%s %.2f, at most %.2f".formatted(what, found, limit), found <= limit);
  }

  Table atLeast(String what, double found, double limit) {
    return bar("%s %.2f, at least %.2f".formatted(what, found, limit), found >= limit);
  }

  Table within(String what, double found, double least, double most) {
    return bar(
        "%s %.2f, from %.2f to %.2f".formatted(what, found, least, most),
        found >= least && found <= most);
  }

  /** One that is known not to be met, with the reason among the notes: it is shown, and no more. */
  Table aimedAt(String what, double found, String aim) {
    return note("aimed at, not held to: %s %.2f, %s".formatted(what, found, aim));
  }

  private Table bar(String what, boolean holds) {
    bars.add(new Bar(what, holds));
    return this;
  }

  boolean holds() {
    return bars.stream().allMatch(Bar::holds);
  }

  /** For people. */
  String text() {
    var widths =
        IntStream.range(0, columns.size())
            .map(i ->
                Math.max(
                    columns.get(i).length(),
                    rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0)))
            .toArray();
    var lines = new ArrayList<String>();
    lines.add(title);
    lines.add(line(columns, widths));
    rows.forEach(row -> lines.add(line(row, widths)));
    bars.forEach(bar -> lines.add((bar.holds() ? "holds: " : "FAILS: ") + bar.what()));
    notes.forEach(note -> lines.add("note:  " + note));
    return String.join("\n", lines);
  }

  private static String line(List<String> cells, int[] widths) {
    return IntStream.range(0, cells.size())
        .mapToObj(i -> ("%-" + widths[i] + "s").formatted(cells.get(i)))
        .collect(Collectors.joining("  "))
        .stripTrailing();
  }

  /** For programs, on one line. */
  String json() {
    Map<String, Object> written = new LinkedHashMap<>();
    written.put("table", title);
    written.put(
        "rows",
        rows.stream()
            .map(row -> {
              var cells = new LinkedHashMap<String, String>();
              IntStream.range(0, row.size()).forEach(i -> cells.put(columns.get(i), row.get(i)));
              return cells;
            })
            .toList());
    written.put("bars", bars);
    written.put("notes", notes);
    written.put("holds", holds());
    try {
      return new ObjectMapper().writeValueAsString(written);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a table cannot be written as JSON", e);
    }
  }
}
