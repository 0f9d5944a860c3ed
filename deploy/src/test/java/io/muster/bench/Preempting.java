package io.muster.bench;

import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * 500 nodes full of gangs of 8 GPUs, and a gang of 512 GPUs that comes before them: how long after
 * the grace of the first of those that end for it, which all take theirs in full, it is whole. The
 * gangs that end have ended whole, and no more of them than it takes.
 */
final class Preempting {

  private static final int NODES = 500;
  private static final int GPUS = NodeShape.GPU8.gpus();
  private static final int MEMBERS = 64;
  private static final double BAR_SECONDS = 10;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String BEFORE_ALL = "bench-before-all";

  /**
   * Seconds to the moment when the gang was whole.
   *
   * @param fromCreated from its last member created
   * @param fromFirstEnd from the first pod that was seen to have gone for it
   * @param fromLastEnd from the last of those
   */
  private record Run(double fromCreated, double fromFirstEnd, double fromLastEnd) {}

  Verdict measure(Pairs.Plan plan) {
    var runs = new ArrayList<Run>();
    try (var arena = Arena.with(NODES)) {
      arena
          .api()
          .post("/apis/scheduling.k8s.io/v1/priorityclasses", Manifests.priority(BEFORE_ALL, 1000))
          .orFail("the PriorityClass");
      arena.turnTo(Side.MUSTER);
      for (int i = -plan.warmUps(); i < plan.pairs(); i++) {
        var run = once(arena);
        System.out.printf("    %s%n", run);
        if (i >= 0) {
          runs.add(run);
        }
      }
    }
    double median = middle(runs, Run::fromFirstEnd);
    return new Verdict(
        "preempt",
        "s",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, median)),
        OptionalDouble.empty(),
        "muster < " + BAR_SECONDS,
        Optional.of(median < BAR_SECONDS),
        Map.of(
            "longest", runs.stream().mapToDouble(Run::fromFirstEnd).max().orElseThrow(),
            "fromLastEnd", middle(runs, Run::fromLastEnd),
            "fromCreated", middle(runs, Run::fromCreated)));
  }

  private static double middle(List<Run> runs, ToDoubleFunction<Run> what) {
    return Verdict.median(runs.stream().map(what::applyAsDouble).toList());
  }

  private static Run once(Arena arena) {
    Run run;
    var small = IntStream.range(0, NODES).mapToObj(i -> new Gang("small" + i, GPUS, 1)).toList();
    try (var full = new Round(arena, Work.oneByOne(small))) {
      full.create(Manifests.DEFAULT_SCHEDULER);
      full.awaitBound(LIMIT);
      Await.until(
          "all pods to run",
          LIMIT,
          () ->
              arena
                  .api()
                  .get(Manifests.PODS + "?limit=1&fieldSelector=status.phase%21%3DRunning")
                  .path("items")
                  .isEmpty());
      CpuTimes.awaitQuiet(arena.sandbox().state());
      try (var large =
          new Round(arena, Work.single("large", MEMBERS, GPUS), Optional.of(BEFORE_ALL))) {
        large.create(Manifests.DEFAULT_SCHEDULER);
        Await.until("it to be whole", LIMIT, () -> large.watch().boundOf("large") == MEMBERS);
        long whole =
            large.watch().bound().entrySet().stream()
                .filter(pod -> Gang.of(pod.getKey()).equals("large"))
                .mapToLong(Map.Entry::getValue)
                .max()
                .orElseThrow();
        Await.until("all ends", LIMIT, () -> full.watch().goneCount() >= MEMBERS * GPUS);
        requireWholeEnds(full.watch().gone());
        var ends = full.watch().gone().values().stream().sorted(Comparator.naturalOrder()).toList();
        run =
            new Run(
                Round.seconds(large.allCreated(), whole),
                Round.seconds(ends.getFirst(), whole),
                Round.seconds(ends.getLast(), whole));
      }
    }
    arena.clean();
    return run;
  }

  /** As many gangs as it takes, each with all its members. */
  private static void requireWholeEnds(Map<String, Long> gone) {
    var ended = new HashMap<String, Integer>();
    gone.keySet().forEach(pod -> ended.merge(Gang.of(pod), 1, Integer::sum));
    boolean areWhole = ended.values().stream().allMatch(pods -> pods == GPUS);
    if (!areWhole || ended.size() != MEMBERS) {
      throw new SandboxException(
          "%d gangs have ended, and %d were to: %s".formatted(ended.size(), MEMBERS, ended));
    }
  }
}
