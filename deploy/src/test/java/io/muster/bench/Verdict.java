package io.muster.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The last line of a benchmark: what was measured of each side, what was asked, and whether it
 * holds. Immutable.
 *
 * @param better {@code higher} or {@code lower}
 * @param values of the sides measured
 * @param bar what was asked for, in words
 * @param holds empty if what was measured does not tell
 * @param more further figures by name
 */
record Verdict(
    String name,
    String unit,
    String better,
    Map<Side, Double> values,
    OptionalDouble ratio,
    String bar,
    Optional<Boolean> holds,
    Map<String, Double> more) {

  static final String HIGHER = "higher";
  static final String LOWER = "lower";

  private static final ObjectMapper JSON = new ObjectMapper();

  Verdict {
    values = Map.copyOf(values);
    more = new LinkedHashMap<>(more);
  }

  /** One line of JSON. */
  String line() {
    ObjectNode line = JSON.createObjectNode().put("name", name).put("unit", unit);
    line.put("better", better);
    put(line, "bare", value(Side.BARE));
    put(line, "probe", value(Side.PROBE));
    put(line, "muster", value(Side.MUSTER));
    put(line, "ratio", ratio);
    line.put("bar", bar);
    holds.ifPresentOrElse(value -> line.put("holds", value), () -> line.putNull("holds"));
    value(Side.GATED).ifPresent(value -> line.put("gated", rounded(value)));
    if (values.containsKey(Side.NATIVE)) {
      put(line, "native", value(Side.NATIVE));
    }
    more.forEach((key, value) -> put(line, key, OptionalDouble.of(value)));
    return line.toString();
  }

  private OptionalDouble value(Side side) {
    var value = values.get(side);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  private static void put(ObjectNode line, String key, OptionalDouble value) {
    if (value.isPresent() && Double.isFinite(value.getAsDouble())) {
      line.put(key, rounded(value.getAsDouble()));
    } else {
      line.putNull(key);
    }
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  /** The middle one, or the mean of the two in the middle. */
  static double median(List<Double> values) {
    var sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }
}
