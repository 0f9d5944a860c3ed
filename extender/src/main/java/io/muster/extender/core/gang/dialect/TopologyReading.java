package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads how close together a pod says that its gang is to be: by Muster's annotations, or where
 * there is none of them by those of another scheduler ({@link ForeignTopology}). Stateless; safe
 * for concurrent use.
 */
final class TopologyReading {

  static final int MOST_LEVELS = 8;

  /** What is said of a word that names no level. */
  static final String NO_LEVEL = "it must be the name of a level, or the key of a node label";

  private static final int MOST_SEGMENTS = 3;

  private static final Pattern LEVEL =
      Pattern.compile("([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

  private TopologyReading() {}

  /** What came of a reading. */
  sealed interface Outcome {

    /**
     * What is asked.
     *
     * @param warnings about values that are ignored
     */
    record Read(Topology topology, List<String> warnings) implements Outcome {}

    /**
     * The gang cannot be placed as it asks.
     *
     * @param problem what is wrong, to follow the gang's name
     */
    record Bad(Stated stated, String problem) implements Outcome {}
  }

  static Outcome read(Markings markings) {
    var annotations = markings.annotations();
    var required = Stated.in(annotations, GangKeys.TOPOLOGY_REQUIRED);
    var preferred = Stated.in(annotations, GangKeys.TOPOLOGY_PREFERRED);
    var segments = Stated.in(annotations, GangKeys.SEGMENTS);
    if (required.value().isEmpty() && preferred.value().isEmpty() && segments.value().isEmpty()) {
      return ForeignTopology.read(markings);
    }
    if (required.value().filter(level -> !isLevel(level)).isPresent()) {
      return bad(required, NO_LEVEL);
    }
    var parsed = new ArrayList<Topology.Segment>();
    if (segments.value().isPresent()) {
      var problem = parse(segments.value().get(), parsed);
      if (problem.isPresent()) {
        return bad(segments, problem.get());
      }
    }
    var levels = preferred.value().map(TopologyReading::split).orElse(List.of());
    if (levels.size() <= MOST_LEVELS && levels.stream().allMatch(TopologyReading::isLevel)) {
      return new Outcome.Read(new Topology(levels, required.value(), parsed), List.of());
    }
    var warning =
        "%s: %s is no list of 1 to %d names of levels or keys of node labels; it is ignored"
            .formatted(preferred.key(), preferred.shown(), MOST_LEVELS);
    return new Outcome.Read(new Topology(List.of(), required.value(), parsed), List.of(warning));
  }

  static Outcome bad(Stated stated, String remedy) {
    return new Outcome.Bad(stated, "%s is %s; %s".formatted(stated.key(), stated.shown(), remedy));
  }

  static boolean isLevel(String text) {
    return LEVEL.matcher(text).matches();
  }

  private static List<String> split(String text) {
    return List.of(text.strip().split("\\s*,\\s*", -1));
  }

  /** What is wrong with the list, if anything is. */
  private static Optional<String> parse(String text, List<Topology.Segment> into) {
    for (var entry : split(text)) {
      int equals = entry.indexOf('=');
      var size = size(entry.substring(equals + 1));
      var level = entry.substring(0, Math.max(0, equals));
      if (size.isEmpty()
          || !isLevel(level)
          || into.size() == MOST_SEGMENTS
          || into.stream().anyMatch(other -> other.level().equals(level))) {
        return Optional.of(
            "it must be 1 to %d levels, each once, with numbers of members, like rack=16,block=64"
                .formatted(MOST_SEGMENTS));
      }
      into.add(new Topology.Segment(level, size.get()));
    }
    var sizes = into.stream().map(Topology.Segment::size).sorted().toList();
    for (int i = 1; i < sizes.size(); i++) {
      if (sizes.get(i) % sizes.get(i - 1) != 0) {
        return Optional.of(
            "%d is no multiple of %d, and segments must nest"
                .formatted(sizes.get(i), sizes.get(i - 1)));
      }
    }
    return Optional.empty();
  }

  static Optional<Integer> size(String text) {
    var number = new Stated("", Optional.of(text)).integer();
    return number.isPresent() && number.getAsInt() > 0 && number.getAsInt() <= Terms.MAX_MEMBERS
        ? Optional.of(number.getAsInt())
        : Optional.empty();
  }
}
