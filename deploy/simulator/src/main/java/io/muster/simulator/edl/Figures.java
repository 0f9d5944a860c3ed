package io.muster.simulator.edl;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What came of the same scenario with several seeds. Immutable. */
record Figures(List<Outcome> outcomes) {

  Figures {
    outcomes = List.copyOf(outcomes);
  }

  /** Seeds move arrivals and shuffle nodes. */
  static Figures varied(Scenario scenario, int seeds, Function<World, Regime> regime) {
    return of(scenario, seeds, true, regime);
  }

  /** Seeds decide ties and starts alone, as in the reference that the replay is held against. */
  static Figures plain(Scenario scenario, int seeds, Function<World, Regime> regime) {
    return of(scenario, seeds, false, regime);
  }

  private static Figures of(
      Scenario scenario, int seeds, boolean isVaried, Function<World, Regime> regime) {
    var outcomes = new ArrayList<Outcome>();
    for (int seed = 1; seed <= seeds; seed++) {
      outcomes.add(Replay.of(scenario, seed, isVaried, regime));
    }
    return new Figures(outcomes);
  }

  private DoubleSummaryStatistics statistics(ToDoubleFunction<Outcome> figure) {
    return outcomes.stream().mapToDouble(figure).summaryStatistics();
  }

  double mean(ToDoubleFunction<Outcome> figure) {
    return statistics(figure).getAverage();
  }

  double most(ToDoubleFunction<Outcome> figure) {
    return statistics(figure).getMax();
  }

  double least(ToDoubleFunction<Outcome> figure) {
    return statistics(figure).getMin();
  }

  /** Mean, least and most, with so many digits after the point. */
  String shown(int digits, ToDoubleFunction<Outcome> figure) {
    var one = "%." + digits + "f";
    var found = statistics(figure);
    return (one + " [" + one + "-" + one + "]")
        .formatted(found.getAverage(), found.getMin(), found.getMax());
  }
}
