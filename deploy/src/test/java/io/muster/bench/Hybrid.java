package io.muster.bench;

import io.muster.simulator.edl.ServiceBesideTraining;
import io.muster.simulator.edl.ServiceBesideTraining.Run;
import io.muster.simulator.edl.ServiceBesideTraining.Second;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * The published experiment beside an online service, live, and the same replayed in virtual time:
 * what is measured is how far the replay is from what a control plane does.
 */
final class Hybrid {

  private static final double TOLERANCE = 0.1;
  private static final int SEEDS = 10;
  private static final int CALM_FROM = 300;
  private static final int CALM_TO = 370;
  private static final int GROWING_FROM = 387;
  private static final int GROWING_TO = 677;

  /** When the number of the service's pods has been the same for a while. */
  private static final int[][] CALM_STRETCHES = {
    {60, 112}, {150, 203}, {250, 295}, {CALM_FROM, CALM_TO}, {430, 480}, {520, 573}, {650, 705}
  };

  private final ServiceBesideTraining plan;

  /**
   * So much of it.
   *
   * @param scale above 0, at most 1
   */
  Hybrid(double scale) {
    this.plan = ServiceBesideTraining.scaled(scale);
  }

  /** Something that both sides are to agree on. */
  private record Figure(String name, String shown, double live, double replayed) {

    double ratio() {
      return replayed == 0 ? (live == 0 ? 1 : Double.POSITIVE_INFINITY) : live / replayed;
    }

    boolean isAlike() {
      return Math.abs(ratio() - 1) <= TOLERANCE;
    }
  }

  Verdict measure() {
    var live = HybridRun.of(plan);
    var replays = LongStream.rangeClosed(1, SEEDS).mapToObj(plan::replay).toList();
    stretches(live, replays);
    var figures = new ArrayList<Figure>();
    for (var stretch : CALM_STRETCHES) {
      figures.add(
          figure(
              "trainersAt" + stretch[0],
              "trainers at %d-%d s".formatted(stretch[0], stretch[1]),
              live,
              replays,
              run -> mean(run, stretch[0], stretch[1], Second::trainers)));
    }
    figures.addAll(
        List.of(
            figure("usedOffPeak", "used off-peak, %", live, replays, Hybrid::usedOffPeak),
            figure("missing", "pods of the service missing", live, replays, Hybrid::missing),
            figure("trainers", "trainers that run, on average", live, replays, Hybrid::trainers),
            figure("moved", "trainers moved", live, replays, Run::moved)));
    System.out.printf("%n  %-32s %10s %10s %8s%n", "figure", "live", "replayed", "ratio");
    figures.forEach(figure ->
        System.out.printf(
            "  %-32s %10.1f %10.1f %8.3f %s%n",
            figure.shown(),
            figure.live(),
            figure.replayed(),
            figure.ratio(),
            figure.isAlike() ? "" : "differs"));
    System.out.printf(
        "  jobs never whole %d, mean wait for the whole gang %.1f s; replayed %.1f s%n",
        live.neverWhole(),
        live.meanWait(),
        replays.stream().mapToDouble(Run::meanWait).average().orElse(0));
    return verdict(live, figures);
  }

  private static Figure figure(
      String name, String shown, Run live, List<Run> replays, ToDoubleFunction<Run> of) {
    return new Figure(
        name, shown, of.applyAsDouble(live), replays.stream().mapToDouble(of).average().orElse(0));
  }

  private static double mean(Run run, int from, int to, ToDoubleFunction<Second> of) {
    return run.seconds().subList(from, to).stream().mapToDouble(of).average().orElse(0);
  }

  private static double usedOffPeak(Run run) {
    return 100 * mean(run, CALM_FROM, CALM_TO, Second::used);
  }

  private static double missing(Run run) {
    return mean(run, GROWING_FROM, GROWING_TO, Second::missing);
  }

  private static double trainers(Run run) {
    return mean(run, 0, run.seconds().size(), Second::trainers);
  }

  private void stretches(Run live, List<Run> replays) {
    System.out.printf(
        "%n  %-11s %8s | %8s %8s | %8s %8s | %8s %8s%n",
        "seconds", "service", "used %", "replay", "trainers", "replay", "missing", "replay");
    for (var stretch : CALM_STRETCHES) {
      var cells = new ArrayList<Object>();
      cells.add("%d-%d".formatted(stretch[0], stretch[1]));
      cells.add(plan.serviceAt(stretch[0]));
      for (var of :
          List.<ToDoubleFunction<Second>>of(
              second -> 100 * second.used(), Second::trainers, Second::missing)) {
        cells.add(mean(live, stretch[0], stretch[1], of));
        cells.add(
            replays.stream()
                .mapToDouble(run -> mean(run, stretch[0], stretch[1], of))
                .average()
                .orElse(0));
      }
      System.out.printf("  %-11s %8d | %8.1f %8.1f | %8.1f %8.1f | %8.1f %8.1f%n", cells.toArray());
    }
  }

  private static Verdict verdict(Run live, List<Figure> figures) {
    var more = new LinkedHashMap<String, Double>();
    for (var figure : figures) {
      more.put(figure.name(), figure.live());
      more.put(figure.name() + "Replayed", figure.replayed());
    }
    more.put("neverWhole", (double) live.neverWhole());
    double worst =
        figures.stream().mapToDouble(figure -> Math.abs(figure.ratio() - 1)).max().orElse(0);
    return new Verdict(
        "hybrid",
        "greatest difference from the replay, a share",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, worst)),
        OptionalDouble.empty(),
        "muster <= %s, neverWhole = 0".formatted(TOLERANCE),
        Optional.of(figures.stream().allMatch(Figure::isAlike) && live.neverWhole() == 0),
        more);
  }
}
