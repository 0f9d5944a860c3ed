package io.muster.bench;

import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What Muster takes while nothing happens: its memory with 1,000 nodes and 10,000 running pods, and
 * how long it takes from start to ready, there and in an empty cluster.
 */
final class Idle {

  private static final int NODES = 1_000;
  private static final int PODS_PER_NODE = 10;
  private static final double MEGABYTES_BAR = 400;
  private static final double READY_BAR = 8;
  private static final double READY_EMPTY_BAR = 3;

  private final List<Double> megabytes = new ArrayList<>();

  Verdict measure(Pairs.Plan plan) {
    double empty;
    double full;
    try (var arena = Arena.with(0)) {
      empty = Verdict.median(starts(arena, plan.pairs()));
      arena.sandbox().nodes().add(NodeRequest.of(Arena.NODE_PREFIX, NODES, NodeShape.GPU8));
      arena.fill(NODES, PODS_PER_NODE - 2, 1);
      arena.fill(NODES, 2, 0);
      megabytes.clear();
      full = Verdict.median(starts(arena, plan.pairs()));
    }
    double resident = Verdict.median(megabytes);
    System.out.printf(
        "%n  %d nodes, %d pods: %.0f MB %s, ready after %.2f s; empty: ready after %.2f s%n",
        NODES, NODES * PODS_PER_NODE, resident, megabytes, full, empty);
    return new Verdict(
        "idle",
        "MB",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, resident)),
        OptionalDouble.empty(),
        "muster < %s, readySeconds < %s, readyEmptySeconds < %s"
            .formatted(MEGABYTES_BAR, READY_BAR, READY_EMPTY_BAR),
        Optional.of(resident < MEGABYTES_BAR && full < READY_BAR && empty < READY_EMPTY_BAR),
        Map.of("readySeconds", full, "readyEmptySeconds", empty));
  }

  /** Seconds from start to ready, so many times; what it holds in memory then is noted. */
  private List<Double> starts(Arena arena, int times) {
    var seconds = new ArrayList<Double>();
    var muster = arena.sandbox().startMuster(MusterOptions.DEFAULT);
    for (int i = 0; i < times; i++) {
      muster.kill();
      CpuTimes.awaitQuiet(arena.sandbox().state());
      long begun = System.nanoTime();
      muster.start();
      seconds.add(Round.seconds(begun, System.nanoTime()));
      CpuTimes.awaitQuiet(arena.sandbox().state());
      megabytes.add(CpuTimes.residentMegabytes(muster.pid()));
    }
    muster.kill();
    return seconds;
  }
}
