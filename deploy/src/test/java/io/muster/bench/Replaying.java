package io.muster.bench;

import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Whether {@code muster simulate} tells what a cluster does: the same gangs on the sandbox in real
 * time and, with their arrivals as they really were, through the simulator.
 */
final class Replaying {

  private static final double MEAN_SHARE = 0.1;
  private static final double MEAN_SECONDS = 0.5;
  private static final double MOST_SECONDS = 2;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  Verdict measure(long seed) {
    try (var arena = Arena.with(TimedWork.NODES)) {
      arena.turnTo(Side.MUSTER);
      warmUp(arena, seed);
      var oneByOne = play(arena, TimedWork.oneByOne(seed));
      var inBursts = play(arena, TimedWork.inBursts(seed));
      return verdict(oneByOne, inBursts);
    }
  }

  private static void warmUp(Arena arena, long seed) {
    try (var round = new Round(arena, Work.oneAfterTheOther(seed, 4, 1, 8, 16))) {
      round.create(Manifests.DEFAULT_SCHEDULER);
      round.awaitBound(LIMIT);
    }
    rest(arena);
  }

  /** The Gangs stay: no name comes again. */
  private static void rest(Arena arena) {
    arena.empty(Manifests.PODS, "{\"gracePeriodSeconds\":0}");
    CpuTimes.awaitQuiet(arena.sandbox().state());
  }

  private static Fidelity play(Arena arena, TimedWork work) {
    Fidelity fidelity;
    try (var live = new LiveTrace(arena, work)) {
      live.play();
      var asItWas = work.arriving(live.arrivals());
      fidelity = Fidelity.of(asItWas, live.starts(), live.begun(), Replayed.of(asItWas));
    }
    System.out.printf("%n  %s%n", work.name());
    fidelity.print();
    System.out.printf(
        "    on the same nodes %d of %d, in order %d; waits live %.2f s and replayed %.2f s,"
            + " longest %.2f s and %.2f s, farthest apart %.2f s%n",
        fidelity.onSameNodes(),
        fidelity.pairs().size(),
        fidelity.inOrder(),
        fidelity.meanLive(),
        fidelity.meanReplayed(),
        fidelity.longestLive(),
        fidelity.longestReplayed(),
        fidelity.farthestApart());
    rest(arena);
    return fidelity;
  }

  private static Verdict verdict(Fidelity oneByOne, Fidelity inBursts) {
    double meanApart = Math.abs(inBursts.meanLive() - inBursts.meanReplayed());
    double longestApart = Math.abs(inBursts.longestLive() - inBursts.longestReplayed());
    boolean holds =
        oneByOne.onSameNodes() == oneByOne.pairs().size()
            && inBursts.inOrder() == inBursts.pairs().size()
            && meanApart <= Math.max(MEAN_SECONDS, MEAN_SHARE * inBursts.meanLive())
            && longestApart <= MOST_SECONDS;
    var more = new LinkedHashMap<String, Double>();
    more.put("gangs", (double) oneByOne.pairs().size());
    more.put("burstsInOrder", (double) inBursts.inOrder());
    more.put("burstsOnSameNodes", (double) inBursts.onSameNodes());
    more.put("meanWaitLive", inBursts.meanLive());
    more.put("meanWaitReplayed", inBursts.meanReplayed());
    more.put("longestWaitLive", inBursts.longestLive());
    more.put("longestWaitReplayed", inBursts.longestReplayed());
    more.put("farthestApart", inBursts.farthestApart());
    return new Verdict(
        "replay",
        "gangs on the same nodes",
        Verdict.HIGHER,
        new EnumMap<>(Map.of(Side.MUSTER, (double) oneByOne.onSameNodes())),
        OptionalDouble.empty(),
        "muster = gangs, burstsInOrder = gangs, mean wait within 10 %% or %s s, longest within %s s"
            .formatted(MEAN_SECONDS, MOST_SECONDS),
        Optional.of(holds),
        more);
  }
}
