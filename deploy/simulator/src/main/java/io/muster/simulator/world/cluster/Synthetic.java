package io.muster.simulator.world.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * A trace out of a seed: sizes as on clusters for training (many small, few large), durations
 * lognormal, arrivals at random, so that so much of the devices is asked for. The same seed gives
 * the same trace. Immutable.
 *
 * @param gpus in nodes of eight; rounded up to whole nodes
 * @param load work that is asked for, in shares of what the nodes can do while jobs arrive
 * @param elastic share of the jobs that may have up to four times their pods
 */
public record Synthetic(int jobs, int gpus, double load, long seed, double elastic) {

  private static final int GPUS_A_NODE = 8;
  private static final int TENANTS = 20;
  private static final int TIMES = 4;

  /** Share of jobs, in percent, with so many GPUs. */
  private static final int[][] SIZES = {
    {55, 1}, {10, 2}, {10, 4}, {17, 8}, {4, 16}, {2, 32}, {1, 64}, {1, 128}
  };

  private static final double MEDIAN_SECONDS = 1_800;
  private static final double SIGMA = 1.4;
  private static final double LONGEST_SECONDS = 7 * 86_400;

  public Synthetic {
    if (jobs < 1 || gpus < 1 || load <= 0 || !(elastic >= 0 && elastic <= 1)) {
      throw new IllegalArgumentException(
          "jobs=%d, gpus=%d, load=%s: all must be above 0; elastic=%s: from 0 to 1"
              .formatted(jobs, gpus, load, elastic));
    }
  }

  /** The trace. */
  public Trace trace() {
    var random = new Random(seed);
    int nodes = Math.ceilDiv(gpus, GPUS_A_NODE);
    int most = nodes * GPUS_A_NODE;
    var sizes = new int[jobs];
    var seconds = new double[jobs];
    double work = 0;
    for (int i = 0; i < jobs; i++) {
      sizes[i] = Math.min(most, size(random.nextInt(100)));
      seconds[i] =
          Math.clamp(MEDIAN_SECONDS * Math.exp(SIGMA * random.nextGaussian()), 10, LONGEST_SECONDS);
      work += sizes[i] * seconds[i];
    }
    double meanGap = work / (load * most) / jobs;
    double now = 0;
    var made = new ArrayList<TraceJob>(jobs);
    var whoGrows = new Random(~seed);
    for (int i = 0; i < jobs; i++) {
      made.add(
          job(
              i,
              "team-" + random.nextInt(TENANTS),
              now,
              seconds[i],
              sizes[i],
              whoGrows.nextDouble() < elastic));
      now += -Math.log(1 - random.nextDouble()) * meanGap;
    }
    var note =
        "made up: %d jobs for %d GPUs, load %s, seed %d; no trace of a cluster"
                .formatted(jobs, most, load, seed)
            + (elastic == 0
                ? ""
                : "; %s of the jobs may have up to %d times their pods".formatted(elastic, TIMES));
    return new Trace("synthetic", Machine.alike(nodes, GPUS_A_NODE), made, List.of(note));
  }

  private static int size(int percentile) {
    int left = percentile;
    for (var size : SIZES) {
      left -= size[0];
      if (left < 0) {
        return size[1];
      }
    }
    return 1;
  }

  private static TraceJob job(
      int number, String tenant, double at, double seconds, int gpus, boolean isElastic) {
    var part =
        new TraceJob.Part(
            "", Math.ceilDiv(gpus, GPUS_A_NODE), 0, 0, Math.min(gpus, GPUS_A_NODE), Set.of());
    return new TraceJob(
        "j" + number,
        tenant,
        "",
        0,
        Duration.ofMillis((long) (at * 1000)),
        Duration.ofMillis((long) (seconds * 1000)),
        List.of(part),
        Optional.of(new TraceJob.Elastic(0, TIMES * part.pods(), Speed.IN_PROPORTION))
            .filter(_ -> isElastic));
  }
}
