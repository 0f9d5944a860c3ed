package io.muster.extender.kube.convert;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Levels.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads the levels of the network as platform teams write them. Stateless. */
public final class LevelsReading {

  private static final int MOST_LEVELS = 8;
  private static final int MOST_KEPT = 1_000;
  private static final int MOST_CHARACTERS = 64 * 1024;
  private static final String AUTO = "auto";
  private static final Set<String> FIELDS = Set.of("name", "label", "keep");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");
  private static final Pattern LABEL =
      Pattern.compile("([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

  private LevelsReading() {}

  /**
   * What came of a reading.
   *
   * @param problems every mistake, with the field and what would be right; then the levels are
   *     those that are found
   */
  public record Read(Levels levels, List<String> problems) {
    public Read {
      problems = List.copyOf(problems);
    }
  }

  /** The levels of this document. */
  public static Read read(String yaml) {
    var problems = new ArrayList<String>();
    var levels = levels(yaml, problems);
    return new Read(problems.isEmpty() ? levels : Levels.FOUND, problems);
  }

  private static Levels levels(String yaml, List<String> problems) {
    if (yaml.length() > MOST_CHARACTERS) {
      problems.add("the document is longer than 64 KiB");
      return Levels.FOUND;
    }
    var document = YamlDocument.read(yaml, problems);
    if (!problems.isEmpty()) {
      return Levels.FOUND;
    }
    var list = document.path("levels");
    if (document.isNull() || document.isMissingNode() || list.asText().equals(AUTO)) {
      return Levels.FOUND;
    }
    if (!document.isObject() || document.size() != 1 || !list.isArray()) {
      problems.add("the document must have one field, levels, with a list or with auto");
      return Levels.FOUND;
    }
    if (list.size() > MOST_LEVELS) {
      problems.add("levels: at most %d".formatted(MOST_LEVELS));
      return Levels.FOUND;
    }
    var levels = new ArrayList<Level>();
    var taken = new HashSet<String>();
    for (int i = 0; i < list.size(); i++) {
      var where = "levels[%d]".formatted(i);
      var level = level(where, list.get(i), problems);
      for (var own : new TreeSet<>(List.of(level.name(), level.label()))) {
        if (!own.isEmpty() && !taken.add(own)) {
          problems.add("%s: \"%s\" is another level's name or label".formatted(where, own));
        }
      }
      levels.add(level);
    }
    return new Levels(levels, false);
  }

  private static Level level(String where, JsonNode node, List<String> problems) {
    if (!node.isObject()) {
      problems.add(where + ": must be a map with a name and a label");
      return new Level("", "", 0);
    }
    node.fieldNames()
        .forEachRemaining(field -> {
          if (!FIELDS.contains(field)) {
            problems.add(
                "%s.%s: no such field; there are keep, label, name".formatted(where, field));
          }
        });
    var name = node.path("name").asText("");
    if (!NAME.matcher(name).matches()) {
      problems.add(
          "%s.name: must be 1 to 63 lower-case letters, digits, \"-\" and \".\", not \"%s\""
              .formatted(where, name));
    }
    var label = node.path("label").asText("");
    if (!LABEL.matcher(label).matches()) {
      problems.add("%s.label: must be the key of a node label, not \"%s\"".formatted(where, label));
    }
    var keep = node.path("keep");
    boolean isNumber = keep.isIntegralNumber() && keep.canConvertToInt();
    if (!keep.isMissingNode() && (!isNumber || keep.asInt() < 0 || keep.asInt() > MOST_KEPT)) {
      problems.add(
          "%s.keep: must be an integer from 0 to %d, not %s".formatted(where, MOST_KEPT, keep));
    }
    return new Level(name, label, keep.asInt(0));
  }
}
