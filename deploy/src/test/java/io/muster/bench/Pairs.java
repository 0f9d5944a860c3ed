package io.muster.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sides that take turns, so that a machine that grows slower does so for all of them; what each
 * achieved in each turn. Confined to one thread.
 */
final class Pairs {

  private final Arena arena;
  private final Plan plan;
  private final Map<Side, List<Double>> values = new EnumMap<>(Side.class);

  /**
   * How often to measure what.
   *
   * @param warmUps rounds before each measured one that do not count: every process starts its turn
   *     cold
   */
  record Plan(List<Side> sides, int pairs, int warmUps, long seed) {}

  Pairs(Arena arena, Plan plan) {
    this.arena = arena;
    this.plan = plan;
    plan.sides().forEach(side -> values.put(side, new ArrayList<>()));
  }

  /** A round: gets its side and seed, gives its figure. */
  interface Turn {
    double play(Side side, long seed, boolean counts);
  }

  void play(Turn turn) {
    for (int pair = 0; pair < plan.pairs(); pair++) {
      long seed = plan.seed() + pair;
      for (var side : plan.sides()) {
        arena.turnTo(side);
        for (int i = 0; i < plan.warmUps(); i++) {
          turn.play(side, seed, false);
        }
        System.out.printf("  pair %d, %s:%n", pair + 1, side.label());
        values.get(side).add(turn.play(side, seed, true));
      }
    }
  }

  /** The median of each side. */
  Map<Side, Double> medians() {
    var medians = new EnumMap<Side, Double>(Side.class);
    values.forEach((side, all) -> medians.put(side, Verdict.median(all)));
    return medians;
  }

  /** The median over the pairs of one side's figure divided by another's in the same pair. */
  OptionalDouble ratio(Side side, Side base) {
    if (!values.containsKey(side) || !values.containsKey(base)) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(
        Verdict.median(
            IntStream.range(0, plan.pairs())
                .mapToObj(i -> values.get(side).get(i) / values.get(base).get(i))
                .toList()));
  }

  /** A line a side: median, ratio to bare, all figures. */
  void print(String unit, Function<Double, String> format) {
    System.out.printf("%n  %-8s %10s  %7s  all%n", "side", unit, "/ bare");
    medians()
        .forEach((side, median) -> {
          var ratio = ratio(side, Side.BARE);
          System.out.printf(
              "  %-8s %10s  %7s  %s%n",
              side.label(),
              format.apply(median),
              ratio.isPresent() ? "%.2f".formatted(ratio.getAsDouble()) : "",
              values.get(side).stream().map(format).collect(Collectors.joining(" ")));
        });
  }
}
