package io.muster.simulator.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Files as rows: CSV with a line of headings, or a JSON list of objects. Stateless. */
final class Rows {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Rows() {}

  /** All rows of the file; each has a cell, which may be empty, for every required column. */
  static List<Row> of(Path file, Set<String> required) {
    return file.toString().endsWith(".json") ? ofJson(file, required) : ofCsv(file, required);
  }

  private static List<Row> ofCsv(Path file, Set<String> required) {
    try (var reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      return ofCsv(file.toString(), reader, required);
    } catch (IOException | UncheckedIOException e) {
      throw unreadable(file, e);
    }
  }

  /** The same of a text that is known by that name. */
  static List<Row> ofCsv(String name, BufferedReader text, Set<String> required) {
    var rows = new ArrayList<Row>();
    List<String> headings = List.of();
    int number = 0;
    for (var line : (Iterable<String>) text.lines()::iterator) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      var where = "%s:%d".formatted(name, number);
      var cells = cells(where, line);
      if (headings.isEmpty()) {
        headings = headings(where, cells, required);
      } else {
        rows.add(row(where, headings, cells));
      }
    }
    if (headings.isEmpty()) {
      throw new UnreadableTraceException(
          "%s: is empty; its first line must name the columns".formatted(name));
    }
    return rows;
  }

  private static List<String> headings(String where, List<String> cells, Set<String> required) {
    var headings = new ArrayList<String>();
    cells.forEach(cell -> headings.add(cell.replace("\uFEFF", "").strip()));
    var missing = new HashSet<>(required);
    headings.forEach(missing::remove);
    if (!missing.isEmpty()) {
      throw new UnreadableTraceException(
          "%s: column %s is missing; the first line must name the columns, and names %s"
              .formatted(
                  where,
                  String.join(", ", missing.stream().sorted().toList()),
                  String.join(", ", headings)));
    }
    for (var heading : headings) {
      if (!heading.isEmpty() && Collections.frequency(headings, heading) > 1) {
        throw new UnreadableTraceException(
            "%s: names column %s more than once".formatted(where, heading));
      }
    }
    return headings;
  }

  private static Row row(String where, List<String> headings, List<String> cells) {
    if (cells.size() > headings.size()) {
      throw new UnreadableTraceException(
          "%s: has %d cells, and the first line names %d columns; put cells with commas in quotes"
              .formatted(where, cells.size(), headings.size()));
    }
    var byColumn = new HashMap<String, String>();
    for (int i = 0; i < cells.size(); i++) {
      byColumn.put(headings.get(i), cells.get(i));
    }
    return new Row(where, byColumn);
  }

  private static List<String> cells(String where, String line) {
    var cells = new ArrayList<String>();
    var cell = new StringBuilder();
    boolean isQuoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        boolean isDoubled = isQuoted && i + 1 < line.length() && line.charAt(i + 1) == '"';
        if (isDoubled) {
          cell.append(c);
          i++;
        } else {
          isQuoted = !isQuoted;
        }
      } else if (c == ',' && !isQuoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    if (isQuoted) {
      throw new UnreadableTraceException("%s: a quote is not closed".formatted(where));
    }
    cells.add(cell.toString());
    return cells;
  }

  private static List<Row> ofJson(Path file, Set<String> required) {
    var rows = new ArrayList<Row>();
    int number = 0;
    for (var object : json(file)) {
      number++;
      var where = "%s, entry %d".formatted(file, number);
      for (var column : required) {
        if (!object.has(column)) {
          throw new UnreadableTraceException("%s: %s is missing".formatted(where, column));
        }
      }
      var byColumn = new HashMap<String, String>();
      object
          .properties()
          .forEach(entry -> byColumn.put(entry.getKey(), entry.getValue().asText("")));
      rows.add(new Row(where, byColumn));
    }
    return rows;
  }

  /** The entries of a JSON list of objects. */
  static List<JsonNode> json(Path file) {
    try {
      var read = JSON.readTree(Files.readAllBytes(file));
      if (!read.isArray()) {
        throw new UnreadableTraceException("%s: must be a JSON list of jobs".formatted(file));
      }
      var entries = new ArrayList<JsonNode>();
      for (var entry : read) {
        if (!entry.isObject()) {
          throw new UnreadableTraceException(
              "%s, entry %d: must be an object".formatted(file, entries.size() + 1));
        }
        entries.add(entry);
      }
      return entries;
    } catch (JsonProcessingException e) {
      throw new UnreadableTraceException(
          "%s:%d: is no JSON: %s"
              .formatted(file, e.getLocation().getLineNr(), e.getOriginalMessage()));
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static UnreadableTraceException unreadable(Path file, Exception fault) {
    var cause = fault instanceof UncheckedIOException wrapped ? wrapped.getCause() : fault;
    return new UnreadableTraceException(
        switch (cause) {
          case NoSuchFileException _ -> "%s: there is no such file".formatted(file);
          case MalformedInputException _ -> "%s: is no text in UTF-8".formatted(file);
          default -> "%s: cannot be read: %s".formatted(file, cause.getMessage());
        });
  }
}
