package io.muster.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Gangs that all fit, created at once: how many pods a second get their node, from the first pod
 * sent to the last seen bound.
 */
final class Fit {

  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** What viewers of the board may take. */
  private static final double WATCHED_BAR = 0.98;

  private final String name;
  private final int nodes;
  private final int ofEach;
  private final List<Integer> sizes;
  private final double bar;
  private final List<Double> writesPerGang = new ArrayList<>();
  private final List<Double> writesPerMember = new ArrayList<>();
  private final CpuPerPod cpu = new CpuPerPod();

  private Fit(String name, int nodes, int ofEach, List<Integer> sizes, double bar) {
    this.name = name;
    this.nodes = nodes;
    this.ofEach = ofEach;
    this.sizes = sizes;
    this.bar = bar;
  }

  /** 500 nodes, 1,120 pods. */
  static Fit onFiveHundred() {
    return new Fit("fit500", 500, 20, List.of(8, 16, 32), 0.6);
  }

  /** 5,000 nodes, 1,800 pods. */
  static Fit onFiveThousand() {
    return new Fit("fit5000", 5_000, 15, List.of(8, 16, 32, 64), 0.85);
  }

  Verdict measure(Pairs.Plan plan, boolean profile) {
    try (var arena = Arena.with(nodes, plan.sides())) {
      var pairs = new Pairs(arena, plan);
      pairs.play((side, seed, counts) -> round(arena, side, seed, counts, profile));
      pairs.print("pods/s", value -> "%.0f".formatted(value));
      cpu.print();
      return plan.sides().contains(Side.WATCHED)
          ? verdict(pairs.medians(), pairs.ratio(Side.WATCHED, Side.MUSTER), WATCHED_BAR)
          : verdict(pairs.medians(), pairs.ratio(Side.MUSTER, Side.BARE), bar);
    }
  }

  private Verdict verdict(Map<Side, Double> medians, OptionalDouble ratio, double bar) {
    Optional<Boolean> holds =
        ratio.isPresent() ? Optional.of(ratio.getAsDouble() >= bar) : Optional.empty();
    return new Verdict(
        name, "pods/s", Verdict.HIGHER, medians, ratio, "ratio >= " + bar, holds, cpu.totals());
  }

  private double round(Arena arena, Side side, long seed, boolean counts, boolean profile) {
    var work =
        Work.oneAfterTheOther(seed, ofEach, sizes.stream().mapToInt(Integer::intValue).toArray());
    var profiler = profile && counts ? Optional.of(new Profile(arena)) : Optional.<Profile>empty();
    long mark = arena.sandbox().auditLog().mark();
    double result;
    try (var round = new Round(arena, work)) {
      round.create(Manifests.DEFAULT_SCHEDULER);
      var outcome = round.awaitBound(LIMIT);
      if (counts) {
        System.out.println("    " + outcome.words());
        cpu.add(side, outcome);
      }
      result = outcome.podsPerSecond();
    }
    profiler.ifPresent(Profile::print);
    if (counts && side.isMuster()) {
      CpuTimes.awaitQuiet(arena.sandbox().state());
      var writes = new Writes(arena.sandbox().auditLog().since(mark));
      System.out.println("      " + writes.words(work));
      writesPerGang.add(writes.perGang(work));
      writesPerMember.add(writes.perMember(work));
    }
    arena.viewers().map(Viewers::words).ifPresent(words -> System.out.println("      " + words));
    arena.clean();
    return result;
  }
}
