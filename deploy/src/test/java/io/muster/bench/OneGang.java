package io.muster.bench;

import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** One gang of 512 members that each fill a node: from the first pod sent to the last bound. */
final class OneGang {

  private static final int MEMBERS = 512;
  private static final double RATIO_BAR = 1.2;
  private static final double SPREAD_BAR = 0.5;
  private static final double RACKS_BAR = 1.1;
  private static final int NODES_OF_A_RACK = 16;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final List<Double> spreads = new ArrayList<>();

  Verdict measure(Pairs.Plan plan, boolean profile) {
    try (var arena = Arena.with(MEMBERS, plan.sides())) {
      if (plan.sides().contains(Side.MUSTER_RACKS)) {
        arena.inRacks(NODES_OF_A_RACK);
      }
      var pairs = new Pairs(arena, plan);
      pairs.play((side, _, counts) -> round(arena, side, counts, profile));
      pairs.print("seconds", value -> "%.2f".formatted(value));
      arena.turnTo(Side.BARE);
      bareLoop(arena);
      double loop = bareLoop(arena);
      var more = new LinkedHashMap<String, Double>();
      var holds = new ArrayList<Boolean>();
      if (!spreads.isEmpty()) {
        double spread = Verdict.median(spreads);
        System.out.printf(
            "  Muster's first to last binding: %.2f s; a bare loop: %.0f Bindings/s%n",
            spread, loop);
        more.put("firstToLastSeconds", spread);
        pairs
            .ratio(Side.MUSTER, Side.BARE)
            .ifPresent(ratio -> holds.add(ratio <= RATIO_BAR && spread <= SPREAD_BAR));
      }
      more.put("bareLoopBindingsPerSecond", loop);
      pairs
          .ratio(Side.MUSTER_RACKS, Side.MUSTER)
          .ifPresent(ratio -> {
            System.out.printf("  muster_racks / muster %.2f%n", ratio);
            more.put("racksRatio", ratio);
            holds.add(ratio <= RACKS_BAR);
          });
      return verdict(
          pairs, holds.isEmpty() ? Optional.empty() : Optional.of(!holds.contains(false)), more);
    }
  }

  private static Verdict verdict(Pairs pairs, Optional<Boolean> holds, Map<String, Double> more) {
    return new Verdict(
        "one512",
        "s",
        Verdict.LOWER,
        pairs.medians(),
        pairs.ratio(Side.MUSTER, Side.BARE),
        "ratio <= %s and firstToLastSeconds <= %s, racksRatio <= %s"
            .formatted(RATIO_BAR, SPREAD_BAR, RACKS_BAR),
        holds,
        more);
  }

  private double round(Arena arena, Side side, boolean counts, boolean profile) {
    var profiler = profile && counts ? Optional.of(new Profile(arena)) : Optional.<Profile>empty();
    double result;
    try (var round = new Round(arena, Work.single("one", MEMBERS, NodeShape.GPU8.gpus()))) {
      round.create(Manifests.DEFAULT_SCHEDULER);
      var outcome = round.awaitBound(LIMIT);
      if (counts) {
        System.out.printf(
            "    %s%n      first to last binding %.2f s%n", outcome.words(), outcome.firstToLast());
        if (side == Side.MUSTER) {
          spreads.add(outcome.firstToLast());
        }
      }
      result = outcome.bound();
    }
    profiler.ifPresent(Profile::print);
    arena.clean();
    return result;
  }

  /** Bindings a second when nobody but this program sends them, by 32 clients. */
  private static double bareLoop(Arena arena) {
    var names = IntStream.range(0, MEMBERS).mapToObj(i -> "loop-" + i).toList();
    Crowd.each(
        names,
        name ->
            arena
                .api()
                .post(Manifests.PODS, Manifests.single(name, 0, "", Manifests.NO_SCHEDULER))
                .orFail("pod " + name));
    double took;
    try (var watch = new PodWatch(arena.api(), Manifests.NAMESPACE)) {
      CpuTimes.awaitQuiet(arena.sandbox().state());
      long begun = System.nanoTime();
      Crowd.each(
          IntStream.range(0, MEMBERS).boxed().toList(),
          i ->
              arena
                  .api()
                  .post(
                      Manifests.PODS + "/" + names.get(i) + "/binding",
                      Manifests.binding(names.get(i), Arena.NODE_PREFIX + "-" + i))
                  .orFail("a Binding"));
      if (!watch.sawBound(MEMBERS, LIMIT)) {
        throw new SandboxException("the bare loop's pods were not seen bound");
      }
      long last = watch.bound().values().stream().mapToLong(Long::longValue).max().orElseThrow();
      took = Round.seconds(begun, last);
    }
    arena.clean();
    return MEMBERS / took;
  }
}
