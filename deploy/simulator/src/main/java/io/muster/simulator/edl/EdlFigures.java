package io.muster.simulator.edl;

import io.muster.simulator.edl.regime.Regime;
import io.muster.simulator.edl.regime.World;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What came of the same scenario with several seeds. Immutable. */
record EdlFigures(List<EdlOutcome> outcomes) {

  EdlFigures {
    outcomes = List.copyOf(outcomes);
  }

  /** Seeds move arrivals and shuffle nodes. */
  static EdlFigures varied(Scenario scenario, int seeds, Function<World, Regime> regime) {
    return of(scenario, seeds, true, regime);
  }

  /** Seeds decide ties and starts alone, as in the reference that the replay is held against. */
  static EdlFigures plain(Scenario scenario, int seeds, Function<World, Regime> regime) {
    return of(scenario, seeds, false, regime);
  }

  private static EdlFigures of(
      Scenario scenario, int seeds, boolean isVaried, Function<World, Regime> regime) {
    var outcomes = new ArrayList<EdlOutcome>();
    for (int seed = 1; seed <= seeds; seed++) {
      outcomes.add(EdlReplay.of(scenario, seed, isVaried, regime));
    }
    return new EdlFigures(outcomes);
  }

  private DoubleSummaryStatistics statistics(ToDoubleFunction<EdlOutcome> figure) {
    return outcomes.stream().mapToDouble(figure).summaryStatistics();
  }

  double mean(ToDoubleFunction<EdlOutcome> figure) {
    return statistics(figure).getAverage();
  }

  double most(ToDoubleFunction<EdlOutcome> figure) {
    return statistics(figure).getMax();
  }

  double least(ToDoubleFunction<EdlOutcome> figure) {
    return statistics(figure).getMin();
  }

  /** Mean, least and most, with so many digits after the point. */
  String shown(int digits, ToDoubleFunction<EdlOutcome> figure) {
    var one = "%." + digits + "f";
    var found = statistics(figure);
    return (one + " [" + one + "-" + one + "]")
        .formatted(found.getAverage(), found.getMin(), found.getMax());
  }
}
