package io.muster.extender.core.plan.packing;

/**
 * Which of the nodes that can take a pod gets it: the one of highest score, and of equal ones that
 * of the domain with the fewest left, then the first by name. Scores are coarse on purpose: ties
 * that go by name leave the last nodes whole. Immutable; safe for concurrent use.
 */
public sealed interface PackingPolicy {

  /** What a live cluster is packed by. */
  PackingPolicy DEFAULT = new Fgd(TargetWorkload.WHOLE_DEVICES, true);

  /** No score is higher. */
  long HIGHEST = (1L << 38) - 1;

  /** From 0 to {@link #HIGHEST}, for a node before and after it took the pod. */
  long score(Idle before, Idle after);

  /** The first node by name. */
  record FirstFit() implements PackingPolicy {
    @Override
    public long score(Idle before, Idle after) {
      return 0;
    }
  }

  /**
   * The fullest node, cpu and devices counted alike; a node of 128 cores and 8 devices is whole.
   */
  record BestFit() implements PackingPolicy {

    private static final long CORES = 128_000;
    private static final long DEVICES = 8_000;
    private static final long WHOLE = 2 * CORES * DEVICES;

    @Override
    public long score(Idle before, Idle after) {
      long idle = after.cpuMillis() * DEVICES + after.milli() * CORES;
      return Math.max(0, 100 * (WHOLE - idle) / WHOLE);
    }
  }

  /** The emptiest node, by devices and then by cpu. */
  record Spread() implements PackingPolicy {

    private static final int CORES = 1 << 14;

    @Override
    public long score(Idle before, Idle after) {
      long devices = Math.min(before.milli() / Idle.DEVICE, (HIGHEST >> 14) - 1);
      return devices * CORES + Math.min(before.cpuMillis() / 1000, CORES - 1);
    }
  }

  /**
   * Fragmentation gradient descent: the node on which the pod makes least of the idle devices
   * useless to the target. The difference in devices is put through a sigmoid and cut to 0..100, as
   * published; finer scores pack worse.
   *
   * @param sparing whether, of nodes that score alike, a pod without devices goes to the one with
   *     fewest idle; the published method goes by name alone
   */
  record Fgd(TargetWorkload target, boolean sparing) implements PackingPolicy {

    private static final int STEPS = 100;
    private static final int MOST_SPARED = 1 << 10;

    /** The least difference, in thousandths of a device, that reaches each score from 1 on. */
    private static final double[] LEAST = new double[STEPS - 1];

    static {
      for (int i = 0; i < LEAST.length; i++) {
        LEAST[i] = Idle.DEVICE * StrictMath.log((i + 1.0) / (STEPS - i - 1.0));
      }
    }

    @Override
    public long score(Idle before, Idle after) {
      long gained = target.fragment(before) - target.fragment(after);
      long score = (long) step((double) gained / target.total()) * MOST_SPARED;
      return sparing && before.milli() == after.milli()
          ? score + MOST_SPARED - 1 - Math.min(after.milli() / Idle.DEVICE, MOST_SPARED - 1)
          : score;
    }

    private static int step(double gained) {
      int low = 0;
      int high = LEAST.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (LEAST[middle] <= gained) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
